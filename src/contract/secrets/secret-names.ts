/**
 * Owns the question whether a path is a secret by its name, over the table of secrets.
 * Refuses to know any disk or rule: the policy decides what follows from the answer.
 */
import { type Because, because } from "../reasons.ts";
import { foldName } from "./names.ts";
import { leftoverEndings, secretFiles, secretFilesIn, secretForms, secretStores } from "./secret-table.ts";

const files: ReadonlySet<string> = new Set(secretFiles);
const forms = secretForms.map(({ globs, but }) => ({ globs: expressionOf(globs), but: but.length === 0 ? undefined : expressionOf(but) }));
const leftover = new RegExp(`(?:${leftoverEndings.map(escapeText).join("|")})$`);

/** Stores by the name they begin with. */
const storesBy = new Map<string, string[][]>();
for (const store of secretStores) {
  const chain = store.split("/");
  const head = chain[0] ?? "";
  storesBy.set(head, [...(storesBy.get(head) ?? []), chain]);
}

/**
 * Why the file at these names (from the root or from a workspace down) counts as a secret. A directory counts only if it is
 * a store: the files in one that is called `secrets` or `.env` are judged by their own names.
 */
export function secretReason(names: readonly string[], isDirectory = false): Because | undefined {
  const folded = names.map(foldName);
  for (let index = 0; index < folded.length; index += 1) {
    for (const chain of storesBy.get(folded[index] ?? "") ?? []) {
      if (chain.every((name, offset) => folded[index + offset] === name)) return because("secret_store", { name: chain.join("/") });
    }
  }
  const name = folded.at(-1);
  if (name === undefined || isDirectory) return undefined;
  const around = folded.at(-2);
  if (secretFilesIn.some(([directory, file]) => name === file && around === directory)) return because("secret_here", { name });
  return isSecretName(name) ? because("secret_name", { name }) : undefined;
}

/** Of a folded name. */
export function isSecretName(name: string): boolean {
  let bare = name.includes("#") || name.startsWith("..") ? name.replace(/^[#.](?=\.)/, "").replace(/#$/, "") : name;
  while (leftover.test(bare)) bare = bare.replace(leftover, "");
  return files.has(bare) || forms.some(({ globs, but }) => globs.test(bare) && but?.test(bare) !== true);
}

/** Of a path from the top of a repository or directory down, or an absolute one; most paths are told apart by one look. */
export function isSecretPath(path: string, isDirectory = false): boolean {
  return (
    worthALook.test(path) &&
    secretReason(
      path.split("/").filter((name) => name !== ""),
      isDirectory,
    ) !== undefined
  );
}

/** Every name that the table knows as a whole or begins a store with. */
export const secretNames: readonly string[] = [
  ...secretFiles,
  ...secretFilesIn.map(([directory]) => directory),
  ...secretStores.map((path) => path.split("/", 1)[0] ?? ""),
];

/** Every glob of the table without braces, so that others can see what it begins or ends with. */
export const secretGlobs: readonly string[] = secretForms.flatMap(({ globs }) => globs.flatMap(unbraced));

/** What every such path holds as it is written; letters outside ASCII may fold into these, and a stream or a dot may follow. */
const worthALook = new RegExp([...secretNames, ...secretGlobs.map(longestText)].map(escapeText).concat("[^\\0-\\x7f]").join("|"), "i");

function longestText(glob: string): string {
  return glob.split(/\*|\[[^\]]*\]/).reduce((a, b) => (b.length > a.length ? b : a));
}

/** `a{b,c}` becomes `ab` and `ac`. */
export function unbraced(glob: string): readonly string[] {
  const braces = /^([^{]*)\{([^}]*)\}(.*)$/s.exec(glob);
  if (braces === null) return [glob];
  const [, head = "", inner = "", rest = ""] = braces;
  return inner.split(",").flatMap((part) => unbraced(rest).map((end) => head + part + end));
}

function expressionOf(globs: readonly string[]): RegExp {
  const parts = globs.map((glob) =>
    glob.replace(/\[[^\]]*\]|[\s\S]/g, (piece) => {
      if (piece.length > 1) return piece;
      if (piece === "*") return "[^/]*";
      if (piece === "{") return "(?:";
      if (piece === "}") return ")";
      return piece === "," ? "|" : escapeText(piece);
    }),
  );
  return new RegExp(`^(?:${parts.join("|")})$`, "s");
}

function escapeText(text: string): string {
  return text.replace(/[.+^$()|[\]{}\\*?/-]/g, "\\$&");
}
