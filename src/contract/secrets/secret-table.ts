/**
 * Owns which names hold secrets: the one table behind Read, Grep, Glob, List, commands, dry runs and the sandbox.
 * All names are folded. A glob knows `*`, `[…]` and `{a,b}`, and speaks of one name, never of a path.
 * Refuses to look at contents: a secret under an innocent name is the masker's business.
 */

/** Directories of which every file counts; with a slash, a directory in a directory. */
export const secretStores: readonly string[] = [
  ...".ssh .gnupg .aws .azure .oci .kube .password-store .mozilla .thunderbird .electrum .bitcoin .ethereum .age .vnc .fly".split(" "),
  ...".config/gh .config/hub .config/glab-cli .config/gcloud .config/op .config/rclone .config/doctl .config/sops".split(" "),
  ...".config/google-chrome .config/chromium .config/bravesoftware .config/brave-browser .config/git/credentials".split(" "),
  ...".config/solana .config/filezilla .config/configstore .config/netlify .netlify .docker/contexts".split(" "),
  ...".local/share/keyrings .local/share/kwalletd library/keychains library/cookies".split(" "),
  ...["appdata/roaming/gcloud", "appdata/local/google/chrome", "application support/google/chrome", "application support/firefox"],
];

/** Files that are secret in one directory only. */
export const secretFilesIn: readonly (readonly [directory: string, file: string])[] = [
  [".docker", "config.json"],
  [".cargo", "credentials"],
  [".cargo", "credentials.toml"],
  [".gem", "credentials"],
  [".m2", "settings.xml"],
  [".m2", "settings-security.xml"],
  [".gradle", "gradle.properties"],
  [".huggingface", "token"],
  ["huggingface", "token"],
  [".kaggle", "kaggle.json"],
  [".vscode", "sftp.json"],
];

export const secretFiles: readonly string[] = [
  ...".envrc .npmrc .yarnrc.yml .pypirc .netrc _netrc .pgpass pgpass.conf .git-credentials .gitcookies .htpasswd .my.cnf".split(" "),
  ...".mylogin.cnf .vault-token .vault_pass .vault-pass .vault_password .boto .s3cfg .dockercfg .terraformrc terraform.rc".split(" "),
  ...".authinfo .authinfo.gpg kubeconfig .databrickscfg .sentryclirc .msmtprc .fetchmailrc .smbcredentials .ftpconfig".split(" "),
  ...".renviron auth.json .auth.json oauth_creds.json sftp-config.json local.settings.json rclone.conf .rclone.conf .claude.json".split(
    " ",
  ),
  ...".bash_history .zsh_history .sh_history .python_history .node_repl_history .psql_history .mysql_history".split(" "),
  ...".sqlite_history .rediscli_history .irb_history .rhistory fish_history .viminfo .xauthority .token .tokens".split(" "),
  ..."secring.gpg login.keychain-db wallet.dat wg0.conf wg1.conf".split(" "),
];

/** Names by their form. `but` takes back out of this form alone. */
export interface SecretForm {
  readonly globs: readonly string[];
  readonly but: readonly string[];
}

const sample = "{example,sample,template,tmpl,dist,schema,default,defaults}";
const keyEndings = "{pem,key,p12,pfx,p8,pkcs12,jks,jceks,bks,keystore,keytab,ppk,kdb,kdbx,agekey,tfstate,ovpn}";
/** Words about secrets in the name of a source file are about code, not a secret. */
const source = "{ts,tsx,mts,cts,jsx,go,rs,java,kt,swift,c,h,cc,cpp,hpp,cs,scala,md,mdx,rst,html,css,scss,vue,svelte,snap}";

export const secretForms: readonly SecretForm[] = [
  {
    globs: [".env", ".env[._-]*", "*.env", ".dev.vars", ".dev.vars.*", "*.tfvars", "*.tfvars.json"],
    but: [`.env*[._-]${sample}`, "{example,sample,template}.env", `.dev.vars.${sample}`, "{example,sample,template}.tfvars"],
  },
  { globs: ["id_{rsa,dsa,ecdsa,ed25519,xmss}*"], but: ["*.pub"] },
  {
    globs: [`*.${keyEndings}`],
    // Certificates of authorities and public halves are made to be handed out.
    but: ["*public*.{pem,key}", "{pub,*[._-]pub}.{pem,key}", "{cacert,ca-cert,ca-bundle,fullchain,chain}.pem"],
  },
  {
    globs: [
      "{service-account,service_account,serviceaccount,client-secret,client_secret,clientsecret}*.json",
      "{google-credentials,google_credentials,googlecredentials,firebase-adminsdk,firebase_adminsdk}*.json",
      "*[._-]{service-account,service_account,serviceaccount,credentials}.json",
    ],
    but: [],
  },
  {
    globs: ["{credentials,.credentials}*", "{secret,secrets,.secret,.secrets}", "{secret,secrets,.secret,.secrets}.*"],
    but: [`*.${source}`],
  },
  { globs: ["{password,passwords,passwd}.{txt,csv,json,yml,yaml,ini}", "{.password,.passwords}"], but: [] },
];

/** A name with one of these behind it is still that name: copies that editors and people leave. */
export const leftoverEndings: readonly string[] = [
  "~",
  ..."bak backup orig old save tmp copy".split(" ").map((ending) => `.${ending}`),
  ...[..."abcdefghijklmnop"].map((letter) => `.sw${letter}`),
];
