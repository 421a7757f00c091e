/**
 * The only place that opens connections to the web. Redirect by redirect: judged, resolved once, judged by address,
 * connected to exactly that address. Bounded in time, size, redirects and requests at once. Sends no cookies.
 */
import { type Http, type HttpAnswer, type HttpRequest, parsedUrl, ToolFailure } from "../../contract/index.ts";
import { companyCertificates } from "./certificates.ts";
import type { Way } from "./connect.ts";
import { asNetworkFailure, refused, tooSlow } from "./failures.ts";
import type { Kept, PageCache } from "./page-cache.ts";
import { proxyFor } from "./proxy-choice.ts";
import { readBody } from "./read-body.ts";
import { type Lookup, resolveHost, systemLookup } from "./resolve-host.ts";
import { Slots } from "./slots.ts";

/** The policy's word on addresses, for what only shows itself on the way. */
export interface HttpGuard {
  /** Why these addresses of the host must not be contacted. */
  refuseAddresses(url: string, addresses: readonly string[]): string | undefined;
  /** Whether a redirect may be followed: `question` if a person would have to be asked about it. */
  judgeRedirect(from: string, to: string): { readonly verdict: "follow" | "question" | "refuse"; readonly reason: string };
  /** Whether the person opened this local address: then no proxy stands between. */
  isLocal(url: string): boolean;
  /** An address that holds a secret is kept nowhere. */
  holdsSecret(url: string): boolean;
}

export interface HttpOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly cache: PageCache;
  readonly slots: Slots;
  readonly lookup?: Lookup;
}

const maxRedirects = 10;
const redirectCodes = new Set([301, 302, 303, 307, 308]);

export function createSlots(): Slots {
  return new Slots(100);
}

export function createHttp(guard: HttpGuard, options: HttpOptions): Http {
  // Most sessions never send a request, and what a company adds may be long.
  let certificates: { readonly found: readonly string[] | undefined } | undefined;
  return {
    async send(request) {
      const key = withoutFragment(request.url);
      const keeps = request.purpose === "page" && !guard.holdsSecret(key);
      const kept = keeps ? await options.cache.get(key) : undefined;
      if (kept !== undefined && isStillAllowed(key, kept, guard)) return { ...withoutAddresses(kept), cached: true };
      const release = await options.slots.take(request.signal);
      try {
        certificates ??= { found: companyCertificates(options.env) };
        const exchange = new Exchange(guard, options, certificates.found, request);
        const answer = await exchange.run();
        const fresh = answer.status >= 200 && answer.status < 300 && !/\bno-store\b/i.test(answer.headers["cache-control"] ?? "");
        if (keeps && fresh && !guard.holdsSecret(answer.url)) await options.cache.put(key, keptOf(answer, exchange.addresses));
        return answer;
      } finally {
        release();
      }
    },
  };
}

/** What was followed and contacted then may be forbidden now, or for this session. */
function isStillAllowed(asked: string, { redirects, addresses }: Kept, guard: HttpGuard): boolean {
  const hops = [asked, ...redirects];
  return hops.every((url, index) => {
    const from = hops[index - 1];
    const at = addresses[index];
    if (from !== undefined && guard.judgeRedirect(from, url).verdict !== "follow") return false;
    return at !== undefined && guard.refuseAddresses(url, at) === undefined;
  });
}

function keptOf({ cached: _, ...answer }: HttpAnswer, addresses: Kept["addresses"]): Kept {
  return { ...answer, addresses };
}

function withoutAddresses({ addresses: _, ...answer }: Kept): Omit<HttpAnswer, "cached"> {
  return answer;
}

/** One request with its redirects. */
class Exchange {
  readonly #guard: HttpGuard;
  readonly #options: HttpOptions;
  readonly #certificates: readonly string[] | undefined;
  readonly #request: HttpRequest;
  readonly #signal: AbortSignal;
  readonly #deadline = new AbortController();
  /** What each host on the way resolved to. */
  readonly addresses: (readonly string[])[] = [];
  #proxy: string | undefined;

  constructor(guard: HttpGuard, options: HttpOptions, certificates: readonly string[] | undefined, request: HttpRequest) {
    this.#guard = guard;
    this.#options = options;
    this.#certificates = certificates;
    this.#request = request;
    this.#signal = AbortSignal.any([request.signal, this.#deadline.signal]);
  }

  /** Bounded in time as a whole. */
  async run(): Promise<HttpAnswer> {
    const timer = setTimeout(() => this.#deadline.abort(), this.#request.timeoutMs);
    try {
      return await this.#hops();
    } finally {
      clearTimeout(timer);
    }
  }

  async #hops(): Promise<HttpAnswer> {
    const redirects: string[] = [];
    let url = withoutFragment(this.#request.url);
    const seen = new Set([url]);
    for (;;) {
      const hop = await this.#hop(url);
      if (!("location" in hop)) return { ...hop, redirects, ...(this.#proxy === undefined ? {} : { proxy: this.#proxy }) };
      const next = this.#follow(url, hop.location);
      if (seen.has(next) || redirects.length >= maxRedirects) throw circling(this.#request.url, redirects.length);
      seen.add(next);
      redirects.push(next);
      url = next;
    }
  }

  #follow(from: string, location: string): string {
    const target = parsedUrl(location, from);
    if (target === undefined) throw refused(`${from} redirects to ${location.slice(0, 200)}, which is no address.`);
    const next = withoutFragment(target.href);
    if (this.#request.purpose === "search") {
      if (new URL(next).origin === new URL(from).origin) return next;
      throw refused(`The search engine redirects to ${next.slice(0, 200)}, which is another server.`, { location: next });
    }
    const { verdict, reason } = this.#guard.judgeRedirect(from, next);
    if (verdict === "follow") return next;
    if (verdict === "refuse") throw refused(`${from} redirects to ${next}, which is refused: ${reason}.`, { location: next });
    throw new ToolFailure("permission_denied", `${from} redirects to another host: ${next}.`, {
      hint: "A redirect to another host is a new question. Fetch that address with a call of its own if it is the right one.",
      details: { reason: "redirect_other_host", location: next },
    });
  }

  async #hop(url: string): Promise<Omit<HttpAnswer, "redirects"> | { readonly location: string }> {
    let way: Way | undefined;
    const { timeoutMs } = this.#request;
    try {
      way = await this.#wayTo(new URL(url));
      return await this.#exchange(url, way);
    } catch (error) {
      if (this.#deadline.signal.aborted && !this.#request.signal.aborted) throw tooSlow(url, timeoutMs);
      this.#request.signal.throwIfAborted();
      throw asNetworkFailure(error, url, timeoutMs);
    } finally {
      // A connection serves one request, because it leads to the address that was checked for that one.
      way?.end();
    }
  }

  async #wayTo(url: URL): Promise<Way> {
    const { timeoutMs, purpose } = this.#request;
    const options = { timeoutMs, ca: this.#certificates };
    const { wayThrough, wayTo } = await loadClient();
    const proxy = this.#guard.isLocal(url.href) ? undefined : proxyFor(url, this.#options.env);
    if (proxy !== undefined) {
      const refusal = purpose === "page" ? this.#guard.refuseAddresses(url.href, []) : undefined;
      if (refusal !== undefined) throw refused(`${url.host} is refused: ${refusal}.`);
      this.#proxy = new URL(proxy).host;
      this.addresses.push([]);
      return wayThrough(proxy, options);
    }
    const addresses = await resolveHost(url.hostname, this.#options.lookup ?? systemLookup, this.#signal);
    const plain = addresses.map(({ address }) => address);
    const refusal = purpose === "page" ? this.#guard.refuseAddresses(url.href, plain) : undefined;
    if (refusal !== undefined) throw refused(`${url.host} is refused: ${refusal}.`);
    this.addresses.push(plain);
    return wayTo(url.origin, addresses, options);
  }

  async #exchange(url: string, { dispatcher }: Way): Promise<Omit<HttpAnswer, "redirects"> | { readonly location: string }> {
    const { method = "GET", headers = {}, body, maxBytes } = this.#request;
    const { origin, pathname, search } = new URL(url);
    const response = await dispatcher.request({
      origin,
      path: `${pathname}${search}`,
      method,
      headers: { "user-agent": this.#options.userAgent, "accept-encoding": "gzip, br, deflate", ...headers },
      ...(body === undefined ? {} : { body }),
      signal: this.#signal,
    });
    response.body.on("error", () => {});
    const told = flat(response.headers);
    // Bytes of a header arrive one character each; an address that is not ASCII is meant as UTF-8.
    const location = told.location === undefined ? undefined : Buffer.from(told.location, "latin1").toString("utf8");
    if (redirectCodes.has(response.statusCode) && location !== undefined) {
      response.body.destroy();
      return { location };
    }
    const mediaType = (told["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
    const limit = (head: Uint8Array): number => maxBytes(mediaType, head);
    const { bytes, truncated } = await readBody(url, response.body, told, limit);
    return { url, status: response.statusCode, headers: told, body: bytes, truncated, cached: false };
  }
}

type Client = typeof import("./connect.ts");
let client: Client | undefined;

/** The client is loaded with the first request: most engines never make one. */
async function loadClient(): Promise<Client> {
  client ??= await import("./connect.ts");
  return client;
}

function circling(url: string, count: number): ToolFailure {
  return new ToolFailure("tool_error", `${url} redirects in circles (${count} redirects followed).`, {
    details: { reason: "redirect_loop" },
  });
}

function withoutFragment(url: string): string {
  const parsed = parsedUrl(url);
  if (parsed === undefined) return url;
  parsed.hash = "";
  return parsed.href;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")] as const],
    ),
  );
}
