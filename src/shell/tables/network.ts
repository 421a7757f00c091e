/**
 * Programs that talk to other machines. They always ask; what they would contact, send and store is named as far
 * as their arguments say it, so that path and address rules hold for them too.
 */
import { type Field, textField } from "../field.ts";
import type { Judge } from "../judge.ts";
import type { Handler, Program } from "../machine.ts";
import { optionTable, readOptions } from "../options.ts";
import { asksAlways, versionOnly } from "../program.ts";
import { parallel } from "./xargs.ts";

const asks = "talks to the network";

/** Options of curl that take a value. */
const curlShort = "AbcCdDeEFhHKmoPQrtTuUwxXyYz";
const curlLong = new Set(
  `abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at cookie
cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode delegation dns-interface dns-ipv4-addr
dns-ipv6-addr dns-servers doh-url dump-header ech egd-file engine etag-compare etag-save expect100-timeout form form-string ftp-account
ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5
hostpubsha256 hsts interface ip-tos ipfs-gateway json keepalive-cnt keepalive-time key key-type krb libcurl limit-rate local-port
login-options mail-auth mail-from mail-rcpt max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir
parallel-max pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type
proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers
proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file range rate referer request
request-target resolve retry retry-delay retry-max-time sasl-authzid service-name socks4 socks4a socks5 socks5-gssapi-service
socks5-hostname speed-limit speed-time stderr telnet-option tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword
tlsuser trace trace-ascii trace-config unix-socket upload-file url url-query user user-agent variable vlan-priority write-out`.split(/\s+/),
);
const curlUploads =
  /^(?:-d|--data(?:-\w+)?|--json|-F|--form(?:-string)?|-T|--upload-file|-b|--cookie|-K|--config|-E|--cert|--key|--netrc-file|-H|--header|--url-query)$/;
const curlStores = /^(?:-o|--output|-D|--dump-header|-c|--cookie-jar|--trace(?:-ascii)?|--stderr|--etag-save|--hsts|--alt-svc)$/;

const curlProxies = /^(?:-x|--(?:pre)?proxy(?:1\.0)?|--socks\w+|--doh-url)$/;

/** Where it goes instead: `--connect-to HOST:PORT:OTHER:PORT`, `--resolve HOST:PORT:ADDRESS,…`; an empty one stays as it is. */
function redirected({ name, value }: Option): readonly string[] {
  const rest = /^[^:]*:[^:]*:(.*)$/s.exec(value)?.[1] ?? "";
  const places = name === "--resolve" ? rest.split(",").map((place) => (place.includes("::") ? `[${place}]` : place)) : [rest];
  return places.filter((place) => !/^:?\d*$/.test(place)).map((place) => place.replace(/:$/, ""));
}

const curl: Handler = ({ judge, fields }) => {
  judge.network = true;
  let method = "GET";
  const addresses: string[] = [];
  for (let index = 1; index < fields.length; index += 1) {
    const field = fields[index];
    if (field?.kind !== "text") continue;
    const text = field.text;
    if (!text.startsWith("-") || text === "-") {
      addresses.push(text);
      continue;
    }
    const option = splitOption(text, fields[index + 1]);
    if (option.usesNext) index += 1;
    if (/^(?:-X|--request)$/.test(option.name)) method = option.value;
    else if (/^(?:-d|--data|-F|--form|--json)/.test(option.name) && method === "GET") method = "POST";
    else if (/^(?:-T|--upload-file)$/.test(option.name)) method = "PUT";
    else if (option.name === "--url" || curlProxies.test(option.name)) addresses.push(option.value);
    else if (option.name === "--connect-to" || option.name === "--resolve") addresses.push(...redirected(option));
    else if (/^--(?:abstract-)?unix-socket$/.test(option.name)) judge.read(textField(option.value));
    if (curlUploads.test(option.name)) upload(option.name, option.value, judge);
    if (curlStores.test(option.name) && option.value !== "-") judge.write(textField(option.value), "modify");
    if (/^-[a-zA-Z]*O|^--remote-name/.test(option.name)) judge.write(textField("."), "create", false);
  }
  for (const address of addresses) connectTo(address, method, judge);
};

interface Option {
  readonly name: string;
  readonly value: string;
  readonly usesNext: boolean;
}

function splitOption(text: string, next: Field | undefined): Option {
  const following = next?.text ?? "";
  if (text.startsWith("--")) {
    const equals = text.indexOf("=");
    if (equals > 0) return { name: text.slice(0, equals), value: text.slice(equals + 1), usesNext: false };
    const valued = curlLong.has(text.slice(2));
    return { name: text, value: valued ? following : "", usesNext: valued };
  }
  for (let at = 1; at < text.length; at += 1) {
    if (!curlShort.includes(text[at] ?? "")) continue;
    const rest = text.slice(at + 1);
    return { name: `-${text[at] ?? ""}`, value: rest === "" ? following : rest, usesNext: rest === "" };
  }
  return { name: text, value: "", usesNext: false };
}

function upload(name: string, value: string, judge: Judge): void {
  const isFile = /^(?:-T|--upload-file|-K|--config|-E|--cert|--key|--netrc-file)$/.test(name);
  const match = isFile ? value : /(?:^|=|^[\w-]+)[@<]([^;]*)/.exec(value)?.[1];
  if (match !== undefined && match !== "" && match !== "-")
    judge.read(textField(match.startsWith("~/") ? judge.home() + match.slice(1) : match));
}

const wgetLong = new Set(
  `execute output-file append-output report-speed input-file base config rejected-log tries retry-on-http-error output-document start-pos
progress timeout dns-timeout connect-timeout read-timeout wait waitretry quota bind-address limit-rate restrict-file-names
prefer-family user password use-askpass local-encoding remote-encoding directory-prefix cut-dirs http-user http-password default-page
header compression proxy-user proxy-password referer user-agent load-cookies save-cookies post-data method body-data secure-protocol
certificate certificate-type private-key private-key-type ca-certificate ca-directory crl-file pinnedpubkey ciphers ftp-user
ftp-password warc-file warc-header warc-max-size warc-dedup warc-tempdir level accept reject accept-regex reject-regex
regex-type domains exclude-domains follow-tags ignore-tags include-directories exclude-directories`.split(/\s+/),
);

/** Of a cluster of letters the first one that takes a value takes the rest for it, or the next word where nothing is left. */
function takesNext(text: string, letters: string): boolean {
  if (!/^-[A-Za-z0-9]+$/.test(text)) return false;
  const first = [...text].findIndex((letter, index) => index > 0 && letters.includes(letter));
  return first > 0 && first === text.length - 1;
}

const wget: Handler = ({ judge, fields }) => {
  judge.network = true;
  let method = "GET";
  let stored: string | undefined;
  const addresses: string[] = [];
  for (let index = 1; index < fields.length; index += 1) {
    const text = fields[index]?.kind === "text" ? (fields[index]?.text ?? "") : "";
    const match = /^(--[\w-]+)(?:=(.*))?$/s.exec(text);
    const value = match?.[2] ?? "";
    if (match !== null && /^--(?:post-file|body-file)$/.test(match[1] ?? "")) {
      method = "POST";
      judge.read(textField(value !== "" ? value : (fields[index + 1]?.text ?? "")));
    } else if (takesNext(text, "OoaPieBtTwQUlARDIX")) {
      index += 1;
      const next = fields[index]?.text;
      if (/O$/.test(text)) stored = next;
      else if (/[oa]$/.test(text) && next !== undefined) judge.write(textField(next), "modify");
    } else if (match?.[2] === undefined && wgetLong.has(match?.[1]?.slice(2) ?? "")) {
      index += 1;
      if (text === "--output-document") stored = fields[index]?.text;
    } else if (!text.startsWith("-") && text !== "") addresses.push(text);
  }
  for (const address of addresses) connectTo(address, method, judge);
  if (stored !== "-") judge.write(textField(stored ?? "."), stored === undefined ? "create" : "modify");
};

function connectTo(address: string, method: string, judge: Judge): void {
  if (/\s/.test(address) || address === "") return;
  judge.connect(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`, method);
}

/** The first operand is a host; options with values are skipped roughly, since the program asks anyway. */
function host(scheme: string, valued: string, withPort = false): Program {
  return {
    asks,
    handle({ judge, fields }) {
      judge.network = true;
      const operands: string[] = [];
      for (let index = 1; index < fields.length; index += 1) {
        const text = fields[index]?.kind === "text" ? (fields[index]?.text ?? "") : "";
        if (takesNext(text, valued)) index += 1;
        else if (!text.startsWith("-") && !text.startsWith("+") && text !== "") operands.push(text);
      }
      const name = operands[0]?.replace(/^[^@]*@/, "").replace(/:.*$/, "");
      if (name !== undefined && /^[\w.:-]+$/.test(name))
        judge.connect(`${scheme}://${name}${withPort && /^\d+$/.test(operands[1] ?? "") ? `:${operands[1]}` : ""}`, "CONNECT");
    },
  };
}

/** Copies between machines: `host:path` on either side. */
const copy: Handler = ({ judge, fields }) => {
  judge.network = true;
  for (const field of fields.slice(1)) {
    if (field.kind !== "text" || field.text.startsWith("-")) continue;
    const remote = /^(?:[^@/\s]+@)?([\w.-]+):/.exec(field.text);
    if (remote !== null) judge.connect(`ssh://${remote[1] ?? ""}`, "CONNECT");
    else if (field === fields.at(-1)) judge.write(field, "modify", true);
    else judge.read(field, true);
  }
};

const packages = "installs or runs code of others";

const npmTable = optionTable({
  short: "gla",
  long: "all depth: json long parseable global omit: include: link package-lock-only unicode workspaces",
  noHelp: true,
});

/**
 * Lists what is installed. Every command of npm would keep a log and ask its server for news; the environment that
 * commands get says that it must not, and counts for more than a project's configuration. All it may leave is an empty cache directory.
 */
const npm: Handler = ({ judge, fields }) => {
  const { npm_config_update_notifier: news = "false", npm_config_logs_max: logs = "0" } = judge.world.env ?? {};
  if (news !== "false" || logs !== "0") judge.fail(packages);
  const parsed = readOptions(npmTable, fields, 1, judge);
  const verb = parsed?.operands[0];
  const isListing =
    verb?.kind === "text" &&
    verb === fields[1] &&
    (/^(?:ls|list|root|prefix|explain|why)$/.test(verb.text) || isGet(parsed?.operands ?? []));
  if (!isListing) judge.fail(packages);
};

/** `npm pkg get name` */
function isGet([pkg, get]: readonly Field[]): boolean {
  return pkg?.text === "pkg" && get?.text === "get";
}

export const networkPrograms: Readonly<Record<string, Program>> = {
  curl: versionOnly(/^(?:--version|-V)$/, { handle: curl, asks }),
  wget: versionOnly(/^(?:--version|-V)$/, { handle: wget, asks }),
  ssh: versionOnly(/^-V$/, host("ssh", "bcDEeFIiJLlmOopQRSWw")),
  scp: { handle: copy, asks },
  sftp: host("ssh", "bcFiloPRS"),
  rsync: { handle: copy, asks },
  ping: host("icmp", "cIilmMpQsStTWw"),
  ping6: host("icmp", "cIilmMpQsStTWw"),
  traceroute: host("icmp", "fgimNpqswz"),
  dig: host("dns", "bcfkmpqtxy"),
  nslookup: host("dns", ""),
  host: host("dns", "cNRtW"),
  nc: host("tcp", "IiMmOPpqsTVWwXx", true),
  ncat: host("tcp", "IiMmOPpqsTVWwXx", true),
  netcat: host("tcp", "IiMmOPpqsTVWwXx", true),
  telnet: host("tcp", "abelnSXx", true),
  ftp: host("ftp", ""),
  socat: asksAlways(asks, ({ judge }) => {
    judge.network = true;
  }),
  openssl: versionOnly(
    /^version$/,
    asksAlways("may talk to the network or write keys", ({ judge, fields }) => {
      if (fields.some((field) => field.text === "s_client" || field.text === "s_server")) judge.network = true;
    }),
  ),
  parallel: { handle: parallel },
  npm: versionOnly(/^(?:--version|-v)$/, { handle: npm }),
  npx: versionOnly(/^--version$/, asksAlways(packages)),
  yarn: asksAlways(packages),
  pnpm: asksAlways(packages),
  pip: versionOnly(/^(?:--version|-V)$/, asksAlways(packages)),
  pip3: versionOnly(/^(?:--version|-V)$/, asksAlways(packages)),
  uv: asksAlways(packages),
  cargo: asksAlways(packages),
  go: asksAlways(packages),
  gem: asksAlways(packages),
  bundle: asksAlways(packages),
  composer: asksAlways(packages),
  apt: asksAlways(packages),
  "apt-get": asksAlways(packages),
  dpkg: asksAlways(packages),
  dnf: asksAlways(packages),
  yum: asksAlways(packages),
  apk: asksAlways(packages),
  brew: asksAlways(packages),
  pacman: asksAlways(packages),
};
