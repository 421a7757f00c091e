/**
 * Owns the way to a server: straight to addresses that were checked, or through the proxy of the environment. A straight
 * connection is used only if its peer is one of those addresses.
 */
import type { LookupAddress } from "node:dns";
import ipaddr from "ipaddr.js";
import { buildConnector, Client, type Dispatcher, ProxyAgent } from "undici";
import { refused } from "./failures.ts";

const maxHeaderBytes = 32 << 10;

/** Made once: nobody sees it, and the client would make one for each connection, with its stack. */
const ended = new Error("the exchange is over");

export interface Way {
  readonly dispatcher: Dispatcher;
  /** Drops the connection. */
  end(): void;
}

interface WayOptions {
  readonly timeoutMs: number;
  /** Further certificates to trust; absent: the usual ones. */
  readonly ca: readonly string[] | undefined;
}

export function wayTo(origin: string, addresses: readonly LookupAddress[], { timeoutMs, ca }: WayOptions): Way {
  const tls = ca === undefined ? {} : { ca: [...ca] };
  const connector = buildConnector({
    ...tls,
    timeout: timeoutMs,
    autoSelectFamily: addresses.length > 1,
    lookup: (_host, { all }, answer) => {
      const [first] = addresses;
      if (all === true || first === undefined) answer(null, [...addresses]);
      else answer(null, first.address, first.family);
    },
  });
  const client = new Client(origin, {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: (options, callback) =>
      connector(options, (error, socket) => {
        if (error) return callback(error, null);
        if (addresses.some(({ address }) => sameAddress(address, socket.remoteAddress))) return callback(null, socket);
        socket.destroy();
        callback(refused(`The connection led to ${socket.remoteAddress}, which was not checked.`), null);
      }),
  });
  return { dispatcher: client, end: () => void client.destroy(ended).catch(() => {}) };
}

export function wayThrough(proxy: string, { ca, timeoutMs }: WayOptions): Way {
  const tls = ca === undefined ? {} : { requestTls: { ca: [...ca] }, proxyTls: { ca: [...ca] } };
  const agent = new ProxyAgent({
    uri: proxy,
    // Many proxies open tunnels for https only; an http page is asked of the proxy itself.
    proxyTunnel: false,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    ...tls,
  });
  return { dispatcher: agent, end: () => void agent.destroy(ended).catch(() => {}) };
}

function sameAddress(one: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  if (one === other) return true;
  return ipaddr.isValid(one) && ipaddr.isValid(other) && ipaddr.process(one).toString() === ipaddr.process(other).toString();
}
