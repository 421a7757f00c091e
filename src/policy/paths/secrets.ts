/**
 * Owns which names hold secrets: inside the roots they ask, outside they are refused.
 * Refuses to look at contents: a secret under an innocent name is the masker's business.
 */
import { foldName } from "./names.ts";

/** Directories of which every file counts; a pair is a directory in a directory. */
const stores = new Set([
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".oci",
  ".kube",
  ".password-store",
  ".mozilla",
  ".thunderbird",
  ".electrum",
  ".bitcoin",
  ".config/gh",
  ".config/hub",
  ".config/glab-cli",
  ".config/gcloud",
  ".config/op",
  ".config/rclone",
  ".config/doctl",
  ".config/sops",
  ".config/google-chrome",
  ".config/chromium",
  ".config/brave-browser",
  ".config/git/credentials",
  ".local/share/keyrings",
  "library/keychains",
  "library/cookies",
  "appdata/roaming/gcloud",
  "appdata/local/google/chrome",
  "application support/google/chrome",
  "application support/firefox",
]);

const files = new Set([
  ...".envrc .npmrc .pypirc .netrc _netrc .pgpass pgpass.conf .git-credentials .htpasswd .my.cnf .mylogin.cnf".split(" "),
  ...".vault-token .vault_pass .vault_password .boto .s3cfg .dockercfg .terraformrc terraform.rc .authinfo kubeconfig".split(" "),
  ...".bash_history .zsh_history .sh_history .python_history .node_repl_history .psql_history".split(" "),
  ..."secring.gpg login.keychain-db wallet.dat .mysql_history .sqlite_history .rediscli_history fish_history".split(" "),
]);

const filesIn: readonly (readonly [string, string])[] = [
  [".docker", "config.json"],
  [".cargo", "credentials"],
  [".cargo", "credentials.toml"],
  [".gem", "credentials"],
  [".m2", "settings.xml"],
  [".m2", "settings-security.xml"],
  [".gradle", "gradle.properties"],
];

const privateKey = /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)/;
const keyEndings = "pem key p12 pfx p8 pkcs12 jks keystore ppk kdb kdbx agekey tfstate".split(" ");
const keyEnding = new RegExp(`\\.(?:${keyEndings.join("|")})$`);
const harmlessEnv = /[._-](?:example|sample|template|tmpl|dist|schema|defaults?)$/;
const serviceAccount =
  /^(?:service[-_]?account|client[-_]?secret|google[-_]?credentials|firebase[-_]adminsdk).*\.json$|[-_](?:service[-_]?account|credentials)\.json$/;
/** Words about secrets in the name of a source file are about code, not a secret. */
const sourceEnding = /\.(?:tsx?|mts|cts|jsx|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|scala|md|mdx|rst|html|css|scss|vue|svelte|snap)$/;
const leftoverEndings = [..."bak backup orig old save tmp copy".split(" "), ...[..."abcdefghijklmnop"].map((letter) => `sw${letter}`)];
const leftover = new RegExp(`(?:~|\\.(?:${leftoverEndings.join("|")}))$`);

/** Every name that a rule of this file begins with, and every ending one looks at: what has neither is no secret by its name. */
export const secretNames: readonly string[] = [
  ...files,
  ...filesIn.map(([directory]) => directory),
  ...[...stores].map((path) => path.split("/", 1)[0] ?? ""),
];
export const watchedEndings: ReadonlySet<string> = new Set([...keyEndings, ...leftoverEndings, "env", "json", "code-workspace"]);

/** Stores by the name they begin with. */
const storesBy = new Map<string, string[][]>();
for (const store of stores) {
  const chain = store.split("/");
  const head = chain[0] ?? "";
  storesBy.set(head, [...(storesBy.get(head) ?? []), chain]);
}

/** Why the file at these names (from the root or from a workspace down) counts as a secret. */
export function secretReason(names: readonly string[]): string | undefined {
  const folded = names.map(foldName);
  for (let index = 0; index < folded.length; index += 1) {
    for (const chain of storesBy.get(folded[index] ?? "") ?? []) {
      if (chain.every((name, offset) => folded[index + offset] === name)) return `${chain.join("/")} holds credentials`;
    }
  }
  const name = folded.at(-1);
  if (name === undefined) return undefined;
  if (filesIn.some(([directory, file]) => name === file && folded.at(-2) === directory)) return `${name} here holds credentials`;
  return isSecretName(name) ? `${name} looks like a secret` : undefined;
}

/** Of a folded name that ends in `.json`, as the keys of cloud services do. */
export function isServiceKey(name: string): boolean {
  return serviceAccount.test(name);
}

/** Of a folded name. */
export function isSecretName(name: string): boolean {
  let bare = name.includes("#") || name.startsWith("..") ? name.replace(/^[#.](?=\.)/, "").replace(/#$/, "") : name;
  while (leftover.test(bare)) bare = bare.replace(leftover, "");
  if (files.has(bare)) return true;
  if (/^\.env(?:[._-].*)?$/.test(bare)) return !harmlessEnv.test(bare);
  if (/^.+\.env$/.test(bare)) return !/^(?:example|sample|template)\.env$/.test(bare);
  if (privateKey.test(bare)) return !bare.endsWith(".pub");
  if (keyEnding.test(bare) || isServiceKey(bare)) return true;
  if (sourceEnding.test(bare)) return false;
  return /^\.?credentials/.test(bare) || /^\.?secrets?(?:\..+)?$/.test(bare);
}
