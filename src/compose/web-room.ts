/**
 * The web for every session: one cache and one line of requests for all, the policy of each session at every redirect,
 * and the configured search engine with its key from the vault.
 */
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import {
  defaultTraits,
  type Http,
  type Masker,
  type PolicyInForce,
  parsedUrl,
  type SearchSettings,
  type SessionRecord,
  type Values,
  type WebSearchPort,
} from "../contract/index.ts";
import { createHttp, createSlots, type HttpGuard, type Lookup, PageCache } from "../host/index.ts";
import { decide, isListedPrivate, judgeUrl } from "../policy/index.ts";
import { defaultBaseUrls } from "../tools/web/index.ts";
import type { WebConfig } from "./config-web.ts";

export interface WebRoomOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly masker: Masker;
  readonly lookup?: Lookup;
  config(session: SessionRecord): WebConfig;
  policy(session: SessionRecord): PolicyInForce;
}

const userAgent = `Karyi/${packageJson.version} (tool engine for AI agents; +https://www.npmjs.com/package/karyi)`;

export class WebRoom {
  readonly #options: WebRoomOptions;
  readonly #cache: PageCache;
  readonly #slots = createSlots();

  constructor(options: WebRoomOptions) {
    this.#options = options;
    this.#cache = new PageCache(join(options.home, "web-cache"), Date.now);
  }

  of(session: SessionRecord, values: Values): { readonly http: Http; readonly webSearch: WebSearchPort } {
    const { env, lookup } = this.#options;
    const http = createHttp(this.#guard(session), {
      env,
      userAgent,
      cache: this.#cache,
      slots: this.#slots,
      ...(lookup === undefined ? {} : { lookup }),
    });
    return { http, webSearch: searchPort(this.#options.config(session), values) };
  }

  #guard(session: SessionRecord): HttpGuard {
    const { masker } = this.#options;
    const policy = (one: SessionRecord): PolicyInForce => this.#options.policy(one);
    return {
      refuseAddresses(url, addresses) {
        const { verdict, reason } = judgeUrl(url, policy(session).world, { addresses, mode: "default" });
        return verdict === "deny" ? reason : undefined;
      },
      judgeRedirect(from, to) {
        const { mode, rules, world } = policy(session);
        const effect = { kind: "connect" as const, url: to, method: "GET" };
        const traits = { ...defaultTraits, readOnly: true };
        const { verdict, reason } = decide({ tool: "WebFetch", traits, effects: [effect], mode, rules }, world);
        if (verdict === "allow") return { verdict: "follow", reason };
        const refusal = judgeUrl(to, world, { mode: "default" });
        if (refusal.verdict === "deny") return { verdict: "refuse", reason: refusal.reason };
        if (isForbiddenByRule(verdict, mode)) return { verdict: "refuse", reason };
        return { verdict: isSameHost(from, to, world.allowedPrivate ?? []) ? "follow" : "question", reason };
      },
      isLocal: (url) => isListedPrivate(new URL(url), policy(session).world.allowedPrivate ?? []),
      holdsSecret: (url) => masker.mask(url) !== url,
    };
  }
}

/** In `auto` a question is told as a denial, which a rule's denial cannot be told from: the same host is still the same host. */
function isForbiddenByRule(verdict: string, mode: PolicyInForce["mode"]): boolean {
  return verdict === "deny" && mode !== "auto";
}

/** The same name, at a port that the web uses or that the person opened. */
function isSameHost(from: string, to: string, opened: readonly string[]): boolean {
  const one = new URL(from);
  const other = new URL(to);
  if (one.hostname !== other.hostname) return false;
  return other.port === "" || other.port === one.port || isListedPrivate(other, opened);
}

function searchPort({ search }: WebConfig, values: Values): WebSearchPort {
  const fill = async (text: string, hosts: readonly string[]): Promise<string> => {
    if (values.placeholders(text).length === 0) return text;
    const filled = (await values.substitute({ text }, { tool: "WebSearch", hosts }, [])) as { readonly text: string };
    return filled.text;
  };
  return {
    settings: () => settingsOf(search),
    fill,
    apiKey: async (hosts) => (search?.apiKey === undefined || search.apiKey === "" ? undefined : fill(search.apiKey, hosts)),
  };
}

function settingsOf(search: WebConfig["search"]): SearchSettings | undefined {
  if (search?.provider === undefined) return undefined;
  const { provider, baseUrl, cx, request, map } = search;
  return { provider, baseUrl, cx, request, map };
}

/** Where the configured search engine stands, for the policy's world. */
export function optionalOrigin(search: WebConfig["search"]): { readonly searchOrigin?: string } {
  const settings = settingsOf(search);
  const url = settings === undefined ? undefined : (settings.request?.url ?? settings.baseUrl ?? defaultBaseUrls[settings.provider]);
  const plain = url?.replaceAll(/\{\w+\}/g, "x");
  const origin = plain === undefined ? undefined : parsedUrl(plain)?.origin;
  return origin === undefined ? {} : { searchOrigin: origin };
}
