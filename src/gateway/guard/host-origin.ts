/**
 * Who may be spoken to as whom: the `Host` must be this server (against DNS rebinding), and an `Origin` must be the
 * page that this server itself sends (against foreign pages in the same browser).
 */
import { Problem } from "../problem.ts";

export interface OwnNames {
  /** Host names and addresses that mean this server. */
  readonly hosts: ReadonlySet<string>;
  port(): number;
}

const loopback = ["127.0.0.1", "localhost", "[::1]"];

export function ownNames(host: string, port: () => number, further: readonly string[] = []): OwnNames {
  const spelled = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const all = host === "0.0.0.0" || host === "::" ? [...loopback, ...further] : [spelled, ...further];
  const isLoopback = loopback.includes(spelled.toLowerCase());
  return { hosts: new Set([...all, ...(isLoopback ? loopback : [])].map((name) => name.toLowerCase())), port };
}

export function checkHost(header: string | undefined, names: OwnNames): void {
  if (header === undefined || !isOwn(header.toLowerCase(), names)) {
    throw new Problem(421, "misdirected_request", "This server does not answer for that host.", { details: { reason: "host" } });
  }
}

/** Also `null`: a sandboxed page or a file has no business here. */
export function checkOrigin(header: string | undefined, names: OwnNames): void {
  if (header === undefined) return;
  const match = /^https?:\/\/([^/]+)$/i.exec(header);
  if (match?.[1] === undefined || !isOwn(match[1].toLowerCase(), names)) {
    throw new Problem(403, "forbidden", "Requests of other pages are refused.", { details: { reason: "origin" } });
  }
}

function isOwn(authority: string, { hosts, port }: OwnNames): boolean {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(authority);
  if (match?.[1] === undefined || !hosts.has(match[1])) return false;
  return match[2] === undefined ? port() === 80 || port() === 443 : Number(match[2]) === port();
}
