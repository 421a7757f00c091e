/** Which names promise a secret, and which values keep the promise: samples, code and types do not. */

const secretName =
  /(?:^|[^a-z])_?(?:pass(?:word|wd|phrase)|pwd|secrets?|token|auth_?token|(?:api|app|access|account|admin|auth|client|consumer|crypt|deploy|encryption|hmac|host|jwt|license|master|private|secret|service|session|shared|signing|ssh|storage|subscription|webhook)[_.-]?key|credentials?)$/;
/** Known exceptions: page marks, parsers, and the working directory. */
const notSecret =
  /(?:^|[^a-z])(?:next|page|continuation|cursor|sync|start|end|stop|bos|eos|pad|unk|mask|sep|cls|parse|lexer|syntax|current|csrf|xsrf|old)[_.-]?(?:page[_.-]?)?(?:token|pwd)$|^pwd$/;

/** `dbPassword`, `DB_PASSWORD` and `db-password` are the same to the table. */
function folded(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

export type SecretKind = "password" | "token" | "key" | "secret";

export function secretKind(name: string): SecretKind | undefined {
  const plain = folded(name);
  if (notSecret.test(plain)) return undefined;
  if (!secretName.test(plain) && !glued.test(plain)) return undefined;
  if (/pass|pwd/.test(plain)) return "password";
  if (plain.endsWith("token")) return "token";
  return plain.endsWith("key") ? "key" : "secret";
}

/** Names without any mark between their words, as `PGPASSWORD` or `apikey`. */
const glued =
  /^[a-z0-9]{0,24}(?:password|passwd|passphrase|apikey|secretkey|accesskey|privatekey|authtoken|accesstoken|clientsecret)$|^_auth$/;

const sampleWords = new Set(
  (
    "a access add admin an and any api app auth bar base64 baz bearer by change changeme client code config credential credentials default demo " +
    "dummy empty enter env example fake false fill foo from generate generated get goes hash here hidden id in input insert is it key keys long " +
    "masked me my name new nil no none not null of optional or own pass passphrase passwd password paste personal placeholder private put " +
    "random randomly real redacted removed replace required sample secret secrets set some something string super test text that the this to " +
    "todo token tokens true type undefined use user username value variable with yes you your"
  ).split(" "),
);

/** A sample, a reference or a mark instead of a value. */
export function isPlaceholder(value: string): boolean {
  if (/^(?:\$[A-Za-z_{(]|\$\$|<|\{|%[({A-Za-z]|\[|#\{|@\{|\.\.\.|…|&lt;|`)/.test(value)) return true;
  if (/^[*x•.?_#=-]+$/i.test(value) || /\.\.\.|…|\*{3}/.test(value)) return true;
  if (
    /^(?:process\.env|import\.meta|os\.(?:environ|getenv)|env\.|ENV\[|config\.|settings\.|secrets\.|vars?\.|self\.|this\.|args\.|options\.)/.test(
      value,
    )
  )
    return true;
  const words = value
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  return words.every((word) => sampleWords.has(word) || sampleWords.has(word.replace(/\d{1,3}$/, "")) || /^x+$/.test(word));
}

const callOrIndex = /[\w$\])]\(.*\)?$|[\w$]\[/;
const memberAccess = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)+$/;
const path = /^(?:~|\.{1,2})?\/(?:[\w.@-]{1,40}\/)*[\w.@-]{0,40}$|^[A-Za-z]:[\\/]/;
const identifier = /^[A-Za-z_$][\w$]*$/;
const typeName = /^[A-Z]?[A-Za-z]*\d{1,3}[A-Z][A-Za-z]*$|(?:Array|String|Bytes|Vec|Type|Str)\d*$/;

/** How the value stood there: in quotes, `NAME=value` as in an environment, or loosely (`name: value`, `name = value`). */
export type Style = "quoted" | "environment" | "loose";

export function looksSecret(value: string, style: Style, kind: SecretKind): boolean {
  if (value.length < (style === "environment" ? 6 : shortestLoose) || isPlaceholder(value)) return false;
  if (/\s/.test(value) || path.test(value) || /^https?:\/\//.test(value)) return false;
  const hasDigit = /\d/.test(value);
  const hasLetter = /[A-Za-z]/.test(value);
  if (style === "quoted") return quotedSecret(value, kind);
  if (callOrIndex.test(value) || memberAccess.test(value)) return false;
  if (style === "environment") return hasLetter ? !looksLikeCode(value) : kind === "password" || value.length >= 16;
  return hasDigit && hasLetter && !looksLikeCode(value);
}

/** In quotes stand also words, types and keys of translations; and what stands between two texts of a program. */
function quotedSecret(value: string, kind: SecretKind): boolean {
  if (/^[),;\]}]/.test(value)) return false;
  const hasDigit = /\d/.test(value);
  if (!/[A-Za-z]/.test(value)) return kind === "password" && hasDigit;
  if (hasDigit) return !memberAccess.test(value);
  if (kind === "password" && /[^\w\s.,:;/-]/.test(value)) return true;
  const capitals = value.match(/[A-Z]/g)?.length ?? 0;
  return value.length >= 20 && capitals > value.length / 4 && capitals < value.length * 0.75;
}

const shortestLoose = 8;

/** A variable or a type of a program, that names what it holds. */
function looksLikeCode(value: string): boolean {
  return identifier.test(value) && (/pass(?:word|wd|phrase)|token|secret|key|cred/i.test(value) || typeName.test(value));
}
