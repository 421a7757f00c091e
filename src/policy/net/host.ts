/**
 * Owns what can be told from a host's name alone: names of this machine and this network, names that carry an
 * address in themselves, and names on a list of domains.
 * Refuses single-label names: they resolve through the local network's search list.
 */
import { type Because, because, parsedUrl } from "../../contract/index.ts";
import { isNearAddress, isPublicAddress } from "./address.ts";

const localEndings = "localhost local internal intranet lan home corp private localdomain home.arpa in-addr.arpa ip6.arpa onion".split(" ");

/** Public names whose whole purpose is to resolve to an address of the asker's choice, loopback first of all. */
const mirrors = [
  "nip.io sslip.io xip.io traefik.me local-ip.sh local-ip.co backname.io localtest.me lvh.me vcap.me lacolhost.com",
  "localho.st 127-0-0-1.org.uk yoogle.com fuf.me rbndr.us 1u.ms rebind.network rebindtest.com spoofed.burpcollaborator.net",
].flatMap((line) => line.split(" "));

const controlPlaneNames = [
  "metadata.goog",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "instance-data",
];

/** Without the final dot, in lower case. */
function bareHost(host: string): string {
  return host.toLowerCase().replace(/\.+$/, "");
}

/** This machine or the person's own network, as opposed to a cloud's control plane or a disguise. */
export function isNear(host: string): boolean {
  const bare = bareHost(host);
  if (isAddress(bare)) return isNearAddress(bare);
  return !bare.includes(".") || ["localhost", "local", "lan", "home.arpa", "localdomain"].some((ending) => isOrBelow(bare, ending));
}

function isAddress(bare: string): boolean {
  return bare.startsWith("[") || /^[\d.]+$/.test(bare);
}

/** Why a host must not be contacted, judged by its name alone. `host` is in ASCII as WHATWG gives it. */
export function hostRefusal(host: string): Because | undefined {
  const bare = bareHost(host);
  if (isAddress(bare)) return isPublicAddress(bare) ? undefined : because("not_public", { host: bare });
  if (!bare.includes(".")) return because("local_name", { host: bare });
  if (localEndings.some((ending) => isOrBelow(bare, ending))) return because("local_name", { host: bare });
  if (controlPlaneNames.some((name) => isOrBelow(bare, name))) return because("control_plane", { host: bare });
  const carried = carriedAddresses(bare);
  const hidden = carried.find((address) => !isPublicAddress(address));
  if (hidden !== undefined) return because("carries_private_address", { host: bare, address: hidden });
  const mirror = mirrors.find((name) => isOrBelow(bare, name));
  if (mirror !== undefined && carried.length === 0) return because("mirror_name", { host: mirror });
  return undefined;
}

/** Whether the person opened this local address: `host` at any port, or `host:port`; the host as it is written, not what it resolves to. */
export function isListedPrivate(url: URL, entries: readonly string[]): boolean {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return entries.some((entry) => {
    const { host = "", wanted } = /^(?<host>\[[^\]]+\]|[^:]+)(?::(?<wanted>\d+))?$/.exec(entry.trim())?.groups ?? {};
    const listed = host === "" ? undefined : parsedUrl(`http://${host}/`);
    if (listed === undefined) return false;
    return bareHost(listed.hostname) === bareHost(url.hostname) && (wanted === undefined || wanted === port);
  });
}

/** `example.com` is itself only, `*.example.com` every name below it; whole labels only. */
export function matchesDomain(host: string, pattern: string): boolean {
  const bare = bareHost(host);
  if (!pattern.startsWith("*.")) return bare === asciiHost(pattern);
  const base = asciiHost(pattern.slice(2));
  return base?.includes(".") === true && bare !== base && isOrBelow(bare, base);
}

function isOrBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** The ASCII form of a domain as a person writes it; `undefined` where it is not one. */
function asciiHost(domain: string): string | undefined {
  if (/[\s/?#@\\:%*]/.test(domain) || domain === "") return undefined;
  const url = parsedUrl(`http://${domain}/`);
  return url === undefined ? undefined : bareHost(url.hostname);
}

/** Addresses written into a name: dotted or dashed quads, and eight hex digits as a whole label. */
function carriedAddresses(host: string): string[] {
  const found: string[] = [];
  for (const [, a, b, c, d] of host.matchAll(/(?<![\d])(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?!\d))/g)) {
    const quad = [a, b, c, d].map(Number);
    if (quad.every((part) => part <= 255)) found.push(quad.join("."));
  }
  if (mirrors.some((name) => isOrBelow(host, name))) {
    for (const [, hex] of host.matchAll(/(?:^|[.-])(?:0x)?([\da-f]{8})(?=[.-])/g)) {
      const value = Number.parseInt(hex ?? "0", 16);
      found.push([24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join("."));
    }
    for (const label of host.split(".")) {
      const spelled = label.replaceAll("-", ":");
      if (spelled.includes("::") || spelled.split(":").length === 8) found.push(spelled);
    }
  }
  return found;
}
