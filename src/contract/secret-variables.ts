/** Variables whose names say that they hold a credential: they reach no command by themselves, and a command that shows one asks. */
const words =
  "API_?KEY APIKEY TOKENS? SECRETS? PASSWORDS? PASSWD PASSPHRASE PASS PWD PW PAT PIN KEYS? SK PRIVATE SIGNING CONN(?:STR)? PRIVATE_?KEY ACCESS_?KEY(?:_ID)? CREDENTIALS? CREDS? AUTH JWT BEARER OTP DSN COOKIES? (?:WEB)?HOOK";
const families = "ANTHROPIC OPENAI GEMINI MISTRAL COHERE DEEPSEEK GROQ XAI";
const whole =
  "(?:DATABASE|DB|MONGO\\w*|REDIS|POSTGRES\\w*|PG|MYSQL|AMQP|RABBITMQ|BROKER)_UR[IL] PGPASSWORD \\w*CONNECTION_STRING \\w*CONFIG_(?:DATA|JSON|B(?:ASE)?64) SSH_AUTH_SOCK SSH_ASKPASS GIT_ASKPASS KARYI_VAULT_KEY NPM_CONFIG_.*AUTH.* __KARYI.*";

/** Long enough to be told within a word that is written together, as in DBPASSWORD and clientSecret. */
const within = "PASSWORDS? PASSWD PASSPHRASE SECRETS? TOKENS? APIKEYS? PRIVATEKEYS? ACCESSKEYS? CREDENTIALS?";

const anyOf = (alternatives: string) => alternatives.split(" ").join("|");
const secret = new RegExp(
  `(?:^|_)(?:${anyOf(words)})\\d*(?:_|$)|(?:${anyOf(within)})\\d*(?:_|$)|^(?:${anyOf(families)})_|^(?:${anyOf(whole)})$`,
  "i",
);
/** Where a shell is and was. */
const directories = new Set(["PWD", "OLDPWD", "INIT_CWD"]);

export function isSecretVariable(name: string): boolean {
  return secret.test(name) && !directories.has(name);
}
