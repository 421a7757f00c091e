/** The addresses of a host, looked up once. Whoever connects uses exactly these, so a second answer changes nothing. */
import dns, { type LookupAddress } from "node:dns";
import { isIP } from "node:net";

export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

export const systemLookup: Lookup = (host) =>
  new Promise((resolve, reject) => {
    dns.lookup(host, { all: true, verbatim: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/** Of a literal the address itself. Rejects when the signal aborts first: the system's own lookup cannot be ended. */
export async function resolveHost(hostname: string, lookup: Lookup, signal: AbortSignal): Promise<readonly LookupAddress[]> {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const family = isIP(bare);
  if (family !== 0) return [{ address: bare, family }];
  signal.throwIfAborted();
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([lookup(bare), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
