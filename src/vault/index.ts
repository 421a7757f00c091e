/** Secure variables and masking (V1–V4): values are used by name, kept encrypted, and masked in everything that leaves. */
export type { Keychain, KeySource, KeyStore } from "./key.ts";
export { createMasker, type MaskerOptions, type VaultMasker } from "./mask/masker.ts";
export type { ValuesOptions } from "./session-values.ts";
export { type AskValue, createValueRequests, type ValueReply, type ValueRequestsOptions } from "./value-requests.ts";
export { isVariableName } from "./variables.ts";
export { createVault, type NewVariable, type Vault, type VaultFiles, type VaultOptions, type VaultPlace } from "./vault.ts";
