/**
 * Owns the judgement of one address a call would contact (W1): by its parsed form, by the addresses its name
 * resolved to, and by the person's list of domains. A redirect is a new address and is judged again.
 * Refuses text that two parsers could read differently, rather than choosing a reading.
 */
import { type Because, because, type EffectVerdict, isUnprintable, type Mode, type PolicyWorld, parsedUrl } from "../../contract/index.ts";
import { allow, ask, deny, type Finding, worst } from "../finding.ts";
import { row } from "../mode-table.ts";
import { isNearAddress, isPublicAddress } from "./address.ts";
import { hostRefusal, isListedPrivate, isNear, matchesDomain } from "./host.ts";

export interface UrlContext {
  readonly method?: string;
  /** What the name resolved to; one that is not public refuses them all. */
  readonly addresses?: readonly string[];
  readonly mode?: Mode;
  /** A command contacts it: other protocols and this machine ask instead of being refused, since a person may well mean them. */
  readonly command?: boolean;
}

export type UrlVerdict = Pick<EffectVerdict, "verdict" | "rule" | "reason" | "because" | "code"> & {
  /** The host as it will be contacted, names outside ASCII in their punycode form. */
  readonly host?: string;
};

/** Services that answer to a stray HTTP request with something else than HTTP. */
const foreignPorts = new Set(
  [
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117,
    119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601,
    636, 989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 3306, 3389, 3659, 4045, 5060, 5061, 5432, 5900, 6000,
    6379, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 9200, 10080, 11211, 27017,
  ].map(String),
);

/** What commands speak besides the web. Bare sockets (`tcp`, `udp`) only with this machine: bash's `/dev/tcp` is for reverse shells. */
const commandProtocols = new Set(["ssh", "git", "git+ssh", "sftp", "scp", "rsync", "ftp", "ftps", "dns", "icmp", "ws", "wss"]);

const maxUrlLength = 8192;
const maxHostLength = 253;

const placeholder = /\$KARYI(?:\{|%7b)|(?:\{|%7b){2}\s*secret:/i;

export function judgeUrl(url: string, world: PolicyWorld, context: UrlContext = {}): UrlVerdict {
  const parsed = parseUrl(url);
  const found = parsed instanceof URL ? judgeParsed(url, parsed, world, context) : deny("builtin:network", parsed);
  const { verdict, rule, reason, code } = found;
  return {
    verdict,
    rule,
    reason,
    because: found.because,
    ...(code === undefined ? {} : { code }),
    ...(parsed instanceof URL ? { host: parsed.hostname } : {}),
  };
}

/** The same, as the room's own finding. */
export function urlFinding(url: string, world: PolicyWorld, context: UrlContext): Finding {
  const protocol = /^([a-z][a-z\d+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
  const isBare = protocol === "tcp" || protocol === "udp";
  if (
    context.command &&
    protocol !== undefined &&
    (commandProtocols.has(protocol) || (isBare && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i.test(hostOf(url))))
  )
    return foreignProtocol(url, protocol, context, world);
  const parsed = parseUrl(url);
  return parsed instanceof URL ? judgeParsed(url, parsed, world, context) : deny("builtin:network", parsed);
}

function hostOf(url: string): string {
  const parsed = parseUrl(url.replace(/^[a-z]+:/i, "http:"));
  return parsed instanceof URL ? parsed.hostname : "";
}

/** The parsed address, or why it is not one to contact. */
export function parseUrl(url: string): URL | Because {
  const shown = { url: url.length > 120 ? `${url.slice(0, 120)}…` : url };
  if (url.length > maxUrlLength) return because("url_long", shown);
  if (isUnprintable(url)) return because("url_invisible", { url: JSON.stringify(shown.url) });
  if (/[\ud800-\udfff]/u.test(url)) return because("url_half");
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme !== "http" && scheme !== "https") return because("url_not_http", shown);
  if (!/^https?:\/\/[^/\\]/i.test(url)) return because("url_not_written", shown);
  const beforeQuery = url.split(/[?#]/, 1)[0] ?? "";
  if (beforeQuery.includes("\\")) return because("url_backslash", shown);
  const authority = beforeQuery.slice(beforeQuery.indexOf("//") + 2).split("/", 1)[0] ?? "";
  if (/\s/.test(authority) || /%(?:[01][\da-f]|7f|2f|3f|23|40|5c|20)/i.test(authority)) return because("url_hides_host", shown);
  if ((authority.match(/@/g) ?? []).length > 1) return because("url_hides_host", shown);
  const parsed = parsedUrl(url);
  if (parsed === undefined) return because("url_not", shown);
  if (parsed.hostname === "") return because("url_no_host", shown);
  return parsed.hostname.length > maxHostLength + 1 ? because("url_long_host", shown) : parsed;
}

function foreignProtocol(url: string, protocol: string, context: UrlContext, world: PolicyWorld): Finding {
  // Special schemes parse hosts strictly; the judgement of the host must not be weaker for another protocol.
  const parsed = parseUrl(`http${url.slice(protocol.length)}`);
  if (!(parsed instanceof URL)) return deny("builtin:network", parsed);
  const refusal = refusalOf(parsed.hostname, context);
  if (refusal) return refusal;
  const cell = row(context.mode ?? "default", world, false).webSend;
  return at(cell, because("protocol", { protocol, host: parsed.hostname }));
}

/** Not public: refused, or asked about where a command talks to this machine or its network. */
function refusalOf(host: string, context: UrlContext): Finding | undefined {
  const refusal = hostRefusal(host);
  if (refusal !== undefined) return context.command && isNear(host) ? ask("builtin:network", refusal) : deny("builtin:network", refusal);
  const inner = context.addresses?.filter((address) => !isPublicAddress(address)) ?? [];
  if (inner.length === 0) return undefined;
  const reason = because("resolves_private", { host, address: inner[0] ?? "" });
  return context.command && inner.every(isNearAddress) ? ask("builtin:network", reason) : deny("builtin:network", reason);
}

function judgeParsed(url: string, parsed: URL, world: PolicyWorld, context: UrlContext): Finding {
  const host = parsed.hostname;
  const opened = !context.command && isListedPrivate(parsed, world.allowedPrivate ?? []);
  const refusal = opened ? undefined : refusalOf(host, context);
  if (refusal?.verdict === "deny") return refusal;
  if (!opened && foreignPorts.has(parsed.port)) return deny("builtin:network", because("foreign_port", { port: parsed.port }));
  const listed = world.allowedDomains.some((domain) => matchesDomain(host, domain));
  if (placeholder.test(url)) {
    const reason = because("carries_secret", { host });
    return listed ? ask("builtin:secret", reason, "never") : deny("builtin:secret", reason);
  }
  const cells = row(context.mode ?? "default", world, false);
  const method = (context.method ?? "GET").toUpperCase();
  const shown = describe(host, url);
  const findings: Finding[] = refusal ? [refusal] : [];
  if (method !== "GET" && method !== "HEAD") findings.push(at(cells.webSend, because("sends_data", { method, host: shown })));
  else if (listed && (parsed.port === "" || opened)) findings.push(at(cells.webAllowed, because("allowed_domain", { host: shown })));
  else if (listed) findings.push(at(cells.webOther, because("allowed_domain_port", { host: shown, port: parsed.port })));
  else findings.push(at(cells.webOther, because("not_allowed_domain", { host: shown })));
  if (parsed.username !== "" || parsed.password !== "") {
    const reason = because("carries_login", { host });
    // A fetched address ends up in histories and logs of others; a command may be meant to log in.
    findings.push(context.command ? ask("builtin:secret", reason, "never") : deny("builtin:secret", reason));
  }
  const [first, ...others] = findings;
  return first ? worst(first, ...others) : deny("builtin:network", because("not_allowed_domain", { host: shown }));
}

function at(verdict: Finding["verdict"], reason: Because): Finding {
  if (verdict === "allow") return allow("builtin:network", reason);
  return verdict === "ask" ? ask("builtin:network", reason) : deny("builtin:network", reason);
}

/** A name outside ASCII is shown in both forms: letters that look alike are different hosts. */
function describe(host: string, url: string): string {
  if (!host.includes("xn--")) return host;
  const written = /\/\/(?:[^/@]*@)?([^/:?#]+)/.exec(url)?.[1] ?? host;
  return written === host ? host : `${host} (written ${written})`;
}
