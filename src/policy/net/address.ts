/**
 * Owns which addresses belong to the public internet (W1).
 * Refuses everything else, and every form that carries an inner IPv4 address that is not public itself.
 */
import ipaddr from "ipaddr.js";

/** In public ranges, but answered by the cloud's own control plane. */
const controlPlanes = new Set(["168.63.129.16", "100.100.100.200", "169.254.169.254", "192.0.0.192"]);
const globalUnicast = ipaddr.IPv6.parse("2000::");

export function isPublicAddress(address: string): boolean {
  const bare = address.startsWith("[") && address.endsWith("]") ? address.slice(1, -1) : address;
  // A zone means an address of this link only; `isValid` also takes inet_aton spellings, which are judged by their value.
  if (bare.includes("%") || !ipaddr.isValid(bare)) return false;
  const parsed = ipaddr.parse(bare);
  return isIpv4(parsed) ? isPublicIpv4(parsed) : isPublicIpv6(parsed);
}

/** This machine and the person's own network: never for a fetch, but a command may be asked to talk to it. */
export function isNearAddress(address: string): boolean {
  const bare = address.startsWith("[") && address.endsWith("]") ? address.slice(1, -1) : address;
  if (bare.includes("%") || !ipaddr.isValid(bare) || bare.toLowerCase().startsWith("fd00:ec2:")) return false;
  const range: string = ipaddr.process(bare).range();
  return range === "loopback" || range === "private" || range === "uniqueLocal";
}

function isIpv4(address: ipaddr.IPv4 | ipaddr.IPv6): address is ipaddr.IPv4 {
  return address.kind() === "ipv4";
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && !controlPlanes.has(address.toString());
}

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  const range: string = address.range();
  const bytes = address.toByteArray();
  const inner = isPublicIpv4(new ipaddr.IPv4(bytes.slice(12)));
  if (range === "ipv4Mapped") return inner;
  // Only the well-known NAT64 prefix translates to public addresses; a local one may lead anywhere.
  if (range === "rfc6052") return address.match(ipaddr.IPv6.parse("64:ff9b::"), 96) && inner;
  if (range !== "unicast" || !address.match(globalUnicast, 3)) return false;
  const isatap = (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return !isatap || inner;
}
