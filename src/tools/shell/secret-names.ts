/**
 * Names that may hold a secret, as a pattern for a search and as a test of one path. Wider than what the policy asks
 * about on purpose: what is found here is only named, and the policy judges it.
 */
const names =
  ".env .env.* .env-* .env_* *.env .envrc* id_rsa* id_dsa* id_ecdsa* id_ed25519* id_xmss* .npmrc* .pypirc* .netrc* _netrc* .pgpass* pgpass.conf* .git-credentials* .htpasswd* .my.cnf* .mylogin.cnf* .vault* .boto* .s3cfg* .dockercfg* .terraformrc* terraform.rc* .authinfo* kubeconfig* *_history* secring.gpg* login.keychain-db* wallet.dat* credentials* .credentials* secret secrets .secret .secrets secret.* secrets.* .secret.* .secrets.* service*account*.json client*secret*.json google*credentials*.json firebase*adminsdk*.json *credentials.json *service*account.json";
const endings = "pem key p12 pfx p8 pkcs12 jks keystore ppk kdb kdbx agekey tfstate";
/** A name with one of these behind it is still that name. */
const leftovers = "~ .bak .backup .orig .old .save .tmp .copy .sw?";
/** Every file in them counts. */
const directories =
  ".ssh .gnupg .aws .azure .oci .kube .password-store .mozilla .thunderbird .electrum .bitcoin .docker .cargo .gem .m2 .gradle .config/gh .config/hub .config/glab-cli .config/gcloud .config/op .config/rclone .config/doctl .config/sops .config/google-chrome .config/chromium .config/brave-browser .config/git .local/share/keyrings";

const keys = endings.split(" ").map((ending) => `*.${ending}`);
const files = [...names.split(" "), ...keys, ...["*.env", ...keys].flatMap((name) => leftovers.split(" ").map((end) => name + end))];

/** For a search through directories. */
export const secretPattern = `**/{${[...files, ...directories.split(" ").map((directory) => `${directory}/**`)].join(",")}}`;

const file = new RegExp(`^[#.]?(?:${files.map(expressionOf).join("|")})#?$`, "s");
const directory = new RegExp(`(?:^|/)(?:${directories.split(" ").map(expressionOf).join("|")})(?:/|$)`, "s");

function expressionOf(pattern: string): string {
  return pattern
    .replace(/[.+^$()|[\]{}\\]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]");
}

/** What every such path holds as it is written; other letters may turn into these. Nearly all names of a tree are told apart by this one look. */
const plainParts = [...files, ...directories.split(" ")].map((pattern) =>
  pattern.split(/[*?]/).reduce((a, b) => (b.length > a.length ? b : a)),
);
const worthALook = new RegExp([...new Set(plainParts)].map(expressionOf).concat("[^\\0-\\x7f]").join("|"), "i");

/** What a name says of secrets in these is about code. */
const source = /\.(?:tsx?|mts|cts|jsx|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|scala|md|mdx|rst|html|css|scss|vue|svelte|snap)$/;

/** A path from the top of a repository or directory down. */
export function mayBeSecret(path: string): boolean {
  if (!worthALook.test(path)) return false;
  const folded = path.normalize("NFKC").toLowerCase();
  const name = folded.slice(folded.lastIndexOf("/") + 1);
  return (file.test(name) && (!source.test(name) || name.startsWith(".") || name.startsWith("id_"))) || directory.test(folded);
}
