/** What counts as a secret by its name, for every room alike. */
export { foldName, isUnencodable, isUnprintable } from "./names.ts";
export { isSecretName, isSecretPath, secretGlobs, secretNames, secretReason, unbraced } from "./secret-names.ts";
export { leftoverEndings, secretFiles, secretFilesIn, secretForms, secretStores } from "./secret-table.ts";
