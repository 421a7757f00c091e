/** What every search provider says about itself: how one page of results is asked for, and where they stand in the answer. */
import { type Json, type JsonObject, type SearchSettings, ToolFailure } from "../../../contract/index.ts";

type Freshness = "noLimit" | "oneDay" | "oneWeek" | "oneMonth" | "oneYear";

export interface SearchQuery {
  readonly query: string;
  readonly freshness: Freshness;
  readonly site?: string | undefined;
}

/** Which part of the results: `offset` results are there already. */
export interface SearchPage {
  /** From 0. */
  readonly index: number;
  readonly offset: number;
  readonly count: number;
}

export interface ProviderRequest {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Found {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly date?: string | undefined;
}

export interface FoundPage {
  readonly results: readonly Found[];
  /** Engines behind the provider that did not answer. */
  readonly failed?: readonly string[];
}

interface Asking {
  readonly settings: SearchSettings;
  /** Without a slash at its end. */
  readonly base: string;
  readonly key: string;
}

export interface SearchProvider {
  /** Path below the base address, for the plan. */
  readonly path: string;
  readonly method: "GET" | "POST";
  readonly needsKey: boolean;
  /** Results that one request brings at most, and pages there are at most. */
  readonly pageSize: number;
  readonly maxPages: number;
  request(query: SearchQuery, page: SearchPage, asking: Asking): ProviderRequest;
  /** Throws `bad_response` if the answer does not have the documented form. */
  read(answer: JsonObject): FoundPage;
}

/** `site:` is understood where there is no parameter of its own. */
export function withSite({ query, site }: SearchQuery): string {
  return site === undefined ? query : `${query} site:${site}`;
}

export function address(base: string, path: string, parameters: Readonly<Record<string, string | number | undefined>>): string {
  const url = new URL(`${base}${path}`);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

export function badResponse(what: string): ToolFailure {
  return new ToolFailure("tool_error", `The search engine's answer cannot be read: ${what}.`, { details: { reason: "bad_response" } });
}

/** The list below a path of names, such as `web.results`; an absent one is empty, anything else is no answer. */
export function listAt(answer: JsonObject, ...path: readonly string[]): readonly JsonObject[] {
  let value: Json | undefined = answer;
  for (const name of path) {
    if (value === undefined || value === null) return [];
    if (typeof value !== "object" || Array.isArray(value)) throw badResponse(`'${path.join(".")}' is not where it belongs`);
    value = (value as JsonObject)[name];
  }
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw badResponse(`'${path.join(".")}' is no list`);
  return value.filter((item): item is JsonObject => typeof item === "object" && item !== null && !Array.isArray(item));
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function found(title: Json | undefined, url: Json | undefined, snippet: Json | undefined, date?: Json | undefined): Found {
  const told = textOf(date);
  return { title: textOf(title), url: textOf(url), snippet: textOf(snippet), ...(told === "" ? {} : { date: told }) };
}
