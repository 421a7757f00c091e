/** The web as tools see it (W1, W2): one request in, one bounded answer out. Addresses are judged by whoever opens sockets. */

export interface HttpRequest {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Over all redirects, the body included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Bytes of the body after decompression that are read, by media type and the first bytes; the rest is cut. */
  maxBytes(mediaType: string, head: Uint8Array): number;
  /** `page` obeys the rules for public addresses; `search` is the provider that the person configured, wherever it is. */
  readonly purpose: "page" | "search";
}

export interface HttpAnswer {
  /** Where the body came from, after all redirects. */
  readonly url: string;
  readonly redirects: readonly string[];
  readonly status: number;
  /** Names in lower case; repeated ones joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The body is longer than what was read. */
  readonly truncated: boolean;
  /** Answered from what an earlier request brought. */
  readonly cached: boolean;
  /** The proxy that chose the address, if one was used: then nobody here could check it. */
  readonly proxy?: string;
}

export interface Http {
  /** Any status is an answer. A refused address, no answer in time and a broken transfer are ToolFailures. */
  send(request: HttpRequest): Promise<HttpAnswer>;
}

/** Where results stand in the JSON answer of a provider that is not built in; dots and indices, such as `data.items`. */
export interface SearchMap {
  readonly results: string;
  readonly title: string;
  readonly url: string;
  readonly snippet?: string | undefined;
  readonly date?: string | undefined;
}

export const searchProviders = ["searxng", "brave", "google", "tavily", "bocha", "bing", "json"] as const;
export type SearchProviderName = (typeof searchProviders)[number];

/** The search engine of the person's choice, as configured. */
export interface SearchSettings {
  readonly provider: SearchProviderName;
  readonly baseUrl?: string | undefined;
  /** Google's search engine id. */
  readonly cx?: string | undefined;
  /** Of `json`: how to ask. `{query}` and `{count}` are filled in. */
  readonly request?:
    | {
        readonly url: string;
        readonly method?: "GET" | "POST" | undefined;
        readonly headers?: Readonly<Record<string, string>> | undefined;
        readonly body?: string | undefined;
      }
    | undefined;
  readonly map?: SearchMap | undefined;
}

export interface WebSearchPort {
  /** `undefined` if the person configured none. */
  settings(): SearchSettings | undefined;
  /** Fills `$KARYI{…}` in text of the settings in; a missing or forbidden one is a ToolFailure. */
  fill(text: string, hosts: readonly string[]): Promise<string>;
  /** The configured key, filled in. */
  apiKey(hosts: readonly string[]): Promise<string | undefined>;
}
