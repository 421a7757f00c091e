/**
 * WebSearch (W2): asks the search engine that the person configured and gives one shape of results, whichever it is.
 * Needs no question, because the person chose the engine; its words stand between marks like those of a page.
 */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  defineTool,
  type JsonObject,
  markUntrusted,
  parsedUrl,
  type SearchSettings,
  ToolFailure,
  type ToolOutput,
  type WebSearchPort,
} from "../../contract/index.ts";
import { webSearchData } from "../data/other-data.ts";
import type { parsePage } from "./html/dom.ts";
import { filledTemplate, readDescribed } from "./search/any-json.ts";
import { askProvider } from "./search/ask-provider.ts";
import { bing } from "./search/bing.ts";
import { bocha } from "./search/bocha.ts";
import { brave } from "./search/brave.ts";
import { defaultBaseUrls } from "./search/default-base-urls.ts";
import { google } from "./search/google.ts";
import { badResponse, type Found, type FoundPage, type SearchPage, type SearchProvider, type SearchQuery } from "./search/provider.ts";
import { searxng } from "./search/searxng.ts";
import { checkSettings, keyMissing, notConfigured } from "./search/setup.ts";
import { tavily } from "./search/tavily.ts";

const providers: Readonly<Record<Exclude<SearchSettings["provider"], "json">, SearchProvider>> = {
  searxng,
  brave,
  google,
  tavily,
  bocha,
  bing,
};

const input = z.object({
  query: z.string().min(1).describe("What to search for"),
  max_results: z.int().min(1).max(50).default(10).describe("How many results"),
  freshness: z.enum(["noLimit", "oneDay", "oneWeek", "oneMonth", "oneYear"]).default("noLimit").describe("How recent"),
  site: z.string().min(1).optional().describe("Only this domain"),
});

type Input = z.infer<typeof input>;

/** What a caller gives WebSearch. */
export type WebSearchGiven = z.input<typeof input>;

export const webSearch = defineTool<Input, "http" | "webSearch", undefined>({
  name: "WebSearch",
  aliases: ["web_search"],
  description: "Searches the web and lists titles, addresses and snippets. Read a page with WebFetch.",
  input,
  dataSchema: webSearchData,
  synonyms: { count: "max_results" },
  example: { query: "sqlite wal mode", max_results: 5 },
  traits: { readOnly: true, concurrencySafe: true, searchHint: "search web internet google find news" },
  needs: ["http", "webSearch"],
  timeoutMs: 180_000,
  plan(asked, context) {
    const settings = configured(context.webSearch);
    const { url, method } = target(settings, asked);
    return {
      summary: `Search the web (${settings.provider}): ${asked.query}`,
      effects: [{ kind: "connect", url, method, service: "search" }],
    };
  },
  async run(asked, { http, webSearch: port, signal }) {
    const settings = configured(port);
    const { url } = target(settings, asked);
    const hosts = [new URL(url).hostname];
    const key = (await port.apiKey(hosts)) ?? "";
    const call = { http, signal, provider: settings.provider, secrets: [key] };
    const ask =
      settings.provider === "json"
        ? async () => askDescribed(settings, asked, port, hosts, call)
        : async (page: SearchPage) => {
            const provider = providers[settings.provider as keyof typeof providers];
            if (provider.needsKey && key === "") throw keyMissing(settings.provider);
            const base = baseOf(settings);
            const answer = await askProvider(provider.request(queryOf(asked), page, { settings, base, key }), call);
            if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw badResponse("it is no object");
            return provider.read(answer as JsonObject);
          };
    const collected = await collect(ask, asked, settings);
    signal.throwIfAborted();
    const dom = await import("./html/dom.ts");
    return answerOf(asked, settings.provider, new URL(url).origin, collected, dom.parsePage);
  },
});

function configured(port: Pick<WebSearchPort, "settings">): SearchSettings {
  const settings = port.settings();
  if (settings === undefined) throw notConfigured();
  checkSettings(settings);
  return settings;
}

function queryOf({ query, freshness, site }: Input): SearchQuery {
  return { query, freshness, site };
}

function baseOf({ provider, baseUrl }: SearchSettings): string {
  return (baseUrl ?? defaultBaseUrls[provider] ?? "").replace(/\/+$/, "");
}

function target(settings: SearchSettings, { query, max_results }: Input): { readonly url: string; readonly method: string } {
  if (settings.provider === "json") {
    const { url = "", method } = settings.request ?? {};
    return { url: filledTemplate(url, query, max_results, "url"), method: method ?? "GET" };
  }
  const { path, method } = providers[settings.provider];
  return { url: `${baseOf(settings)}${path}`, method };
}

async function askDescribed(
  { request, map }: SearchSettings,
  asked: Input,
  port: WebSearchPort,
  hosts: readonly string[],
  call: Parameters<typeof askProvider>[1],
): Promise<FoundPage> {
  if (request === undefined || map === undefined) throw notConfigured();
  const query = asked.site === undefined ? asked.query : `${asked.query} site:${asked.site}`;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = await port.fill(value, hosts);
  const body =
    request.body === undefined ? undefined : filledTemplate(await port.fill(request.body, hosts), query, asked.max_results, "json");
  const url = filledTemplate(await port.fill(request.url, hosts), query, asked.max_results, "url");
  const secrets = [...call.secrets, ...Object.values(headers).map((value) => value.replace(/^Bearer /, ""))];
  const answer = await askProvider(
    { url, headers, ...(request.method === undefined ? {} : { method: request.method }), ...(body === undefined ? {} : { body }) },
    { ...call, secrets },
  );
  return readDescribed(answer, map);
}

interface Collected {
  readonly results: readonly Found[];
  /** Engines behind the provider that did not answer. */
  readonly failed: readonly string[];
  /** Why there are no further pages, if that is not because there are no more results. */
  readonly broke?: string;
}

/** Page by page, until there are enough or the engine has no more. What was found stays if a later page fails. */
async function collect(
  ask: (page: SearchPage) => Promise<FoundPage>,
  { max_results }: Input,
  { provider }: SearchSettings,
): Promise<Collected> {
  const { maxPages } = provider === "json" ? { maxPages: 1 } : providers[provider];
  const byUrl = new Map<string, Found>();
  const failed = new Set<string>();
  let offset = 0;
  let broke: string | undefined;
  for (let index = 0; index < maxPages && byUrl.size < max_results; index++) {
    let page: FoundPage;
    try {
      page = await ask({ index, offset, count: max_results - byUrl.size });
    } catch (error) {
      if (byUrl.size === 0 || !(error instanceof ToolFailure)) throw error;
      broke = error.message;
      break;
    }
    for (const engine of page.failed ?? []) failed.add(engine);
    const before = byUrl.size;
    for (const result of page.results) if (/^https?:\/\//i.test(result.url) && !byUrl.has(result.url)) byUrl.set(result.url, result);
    offset += page.results.length;
    // The same results again mean that there are no others.
    if (page.results.length === 0 || byUrl.size === before) break;
  }
  const results = [...byUrl.values()].slice(0, max_results);
  return { results, failed: [...failed].filter((engine) => engine !== ""), ...(broke === undefined ? {} : { broke }) };
}

function answerOf(
  asked: Input,
  provider: string,
  origin: string,
  { results: found, failed, broke }: Collected,
  parse: typeof parsePage,
): ToolOutput {
  const plain = (text: string): string => plainText(text, parse);
  const results = found.map(({ title, url, snippet, date }) => ({
    title: plain(title),
    url,
    snippet: plain(snippet),
    site: parsedUrl(url)?.hostname ?? "",
    ...(date === undefined ? {} : { date: plain(date) }),
  }));
  const data: JsonObject = { provider, results };
  const missing = failed.length === 0 ? "" : ` Engines that failed: ${failed.join(", ")}.`;
  if (results.length === 0) return { output: `No results for '${asked.query}'.${missing}`, data };
  const lines = results.map(
    ({ title, url, snippet, date }, index) =>
      `${index + 1}. ${title === "" ? url : title}\n   ${url}${date === undefined ? "" : ` (${date})`}${snippet === "" ? "" : `\n   ${snippet}`}`,
  );
  const frame = markUntrusted(randomBytes(8).toString("hex"), origin, lines.join("\n"));
  const notes = [missing.trim(), broke === undefined ? "" : `There may be more results, but the next page failed: ${broke}`];
  return { output: [frame, ...notes.filter((note) => note !== "").map((note) => `[${note}]`)].join("\n"), data };
}

/** Tags by their names, because words such as `List<String>` are none. */
const inlineTag =
  /<\/?(?:a|abbr|b|cite|code|del|em|font|hit|hl|highlight|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u|wbr)(?:\s[^<>]*)?\/?>/gi;
const blockTag =
  /<\/?(?:article|blockquote|br|button|dd|div|dl|dt|figure|footer|h[1-6]|header|hr|iframe|img|input|li|nav|ol|p|path|pre|section|svg|table|tbody|td|th|thead|tr|ul)(?:\s[^<>]*)?\/?>/gi;
const machineryTag = /<(script|style)(?:\s[^<>]*)?>.*?<\/\1\s*>/gis;

/** More is no title and no snippet. */
const longestText = 20_000;

/** Engines mark what matched and encode the rest. */
function plainText(text: string, parse: typeof parsePage): string {
  const bare = text.slice(0, longestText).replace(machineryTag, " ").replace(blockTag, " ").replace(inlineTag, "");
  const decoded = /&[#\w]+;/.test(bare) ? (parse(bare.replaceAll("<", "&lt;")).body.textContent ?? bare) : bare;
  return decoded
    .replace(/[\s\u00a0]+/g, " ")
    .replace(/[\u{e0000}-\u{e007f}]/gu, "")
    .trim();
}
