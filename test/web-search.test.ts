import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../src/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";
import { type Route, routes, serve } from "./support/web.ts";

type Search = NonNullable<NonNullable<NonNullable<EngineOptions["config"]>["web"]>["search"]>;

const key = ["sk", "test", "0123456789abcdef"].join("-");

async function searching(search: Search | undefined, options: EngineOptions = {}) {
  const { engine } = await testEngine({
    env: {},
    approve: async () => "deny",
    ...options,
    config: search === undefined ? {} : { web: { search } },
  });
  return engine.openSession();
}

const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Route =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

const query = (request: IncomingMessage | undefined) => Object.fromEntries(new URL(request?.url ?? "/", "http://x").searchParams);

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

const expected = [
  { title: "Tom & Jerry’s <page>", url: "https://a.example/1", snippet: "the best words", site: "a.example", date: "2026-01-02" },
  { title: "Second", url: "https://www.b.example/2", snippet: "", site: "www.b.example" },
];

describe("WebSearch speaks the documented form of", () => {
  it("searxng", async () => {
    const results = [
      {
        title: "Tom &amp; Jerry&rsquo;s &lt;page&gt;",
        url: "https://a.example/1",
        content: "the <b>best</b> words",
        publishedDate: "2026-01-02",
      },
      { title: "Second", url: "https://www.b.example/2" },
    ];
    const server = await serve((request, response) => {
      json(query(request).pageno === "1" ? { results, unresponsive_engines: [["duckduckgo", "CAPTCHA"]] } : { results: [] })(
        response,
        request,
      );
    });
    const session = await searching({ provider: "searxng", baseUrl: `${server.origin}/` });
    const result = await session.call("web_search", { query: "cats", count: 5, freshness: "oneWeek", site: "a.example" });
    expect(result.data).toEqual({ provider: "searxng", results: expected });
    expect(query(server.requests[0])).toEqual({ q: "cats site:a.example", format: "json", pageno: "1", time_range: "week" });
    expect(result.output).toMatch(/^<untrusted-[0-9a-f]{8,} url="http/);
    expect(result.output).toContain("duckduckgo: CAPTCHA");
  });

  it("brave, page by page", async () => {
    const many = Array.from({ length: 45 }, (_, n) => ({ title: `T${n}`, url: `https://x.example/${n}`, description: "d" }));
    const server = await serve((request, response) => {
      const { count, offset = "0" } = query(request);
      const start = Number(offset) * Number(count);
      json({ web: { results: many.slice(start, start + Number(count)) } })(response, request);
    });
    const session = await searching({ provider: "brave", baseUrl: server.origin, apiKey: key });
    const result = await session.call("WebSearch", { query: "cats", max_results: 50, freshness: "oneDay" });
    expect((result.data as { results: { url: string }[] }).results.map(({ url }) => url)).toEqual(many.map(({ url }) => url));
    expect(server.requests[0]?.headers["x-subscription-token"]).toBe(key);
    expect(query(server.requests[0])).toEqual({ q: "cats", count: "20", freshness: "pd" });
  });

  it("google, ten at a time", async () => {
    const server = await serve((request, response) => {
      const { start, num } = query(request);
      const items = Array.from({ length: Number(num) }, (_, n) => ({
        title: "t",
        link: `https://g.example/${Number(start) + n}`,
        snippet: "s",
      }));
      json({ items })(response, request);
    });
    const session = await searching({ provider: "google", baseUrl: server.origin, apiKey: key, cx: "engine" });
    const result = await session.call("WebSearch", { query: "cats", max_results: 23 });
    expect((result.data as { results: unknown[] }).results).toHaveLength(23);
    expect(server.requests.map((request) => query(request))).toEqual([
      { key, cx: "engine", q: "cats", num: "10", start: "1" },
      { key, cx: "engine", q: "cats", num: "10", start: "11" },
      { key, cx: "engine", q: "cats", num: "3", start: "21" },
    ]);
  });

  it("tavily", async () => {
    const bodies: unknown[] = [];
    const server = await serve(async (request, response) => {
      bodies.push(await bodyOf(request));
      json({ results: [{ title: "A", url: "https://t.example/", content: "words", published_date: "2026-02-03" }] })(response, request);
    });
    const session = await searching({ provider: "tavily", baseUrl: server.origin, apiKey: key });
    const result = await session.call("WebSearch", { query: "cats", site: "t.example", freshness: "oneMonth" });
    expect(result.data).toEqual({
      provider: "tavily",
      results: [{ title: "A", url: "https://t.example/", snippet: "words", site: "t.example", date: "2026-02-03" }],
    });
    expect(server.requests[0]).toMatchObject({ url: "/search", method: "POST", headers: { authorization: `Bearer ${key}` } });
    expect(bodies).toEqual([{ query: "cats", max_results: 10, time_range: "month", include_domains: ["t.example"] }]);
  });

  it("bocha", async () => {
    const bodies: unknown[] = [];
    const value = [{ name: "天气", url: "https://c.example/", snippet: "s", summary: "很好", datePublished: "2026-03-04" }];
    const server = await serve(async (request, response) => {
      bodies.push(await bodyOf(request));
      json({ code: 200, data: { webPages: { value } } })(response, request);
    });
    const session = await searching({ provider: "bocha", baseUrl: server.origin, apiKey: key });
    const result = await session.call("WebSearch", { query: "天气", freshness: "oneYear", max_results: 30 });
    expect(result.data).toEqual({
      provider: "bocha",
      results: [{ title: "天气", url: "https://c.example/", snippet: "很好", site: "c.example", date: "2026-03-04" }],
    });
    expect(server.requests[0]).toMatchObject({ url: "/v1/web-search", headers: { authorization: `Bearer ${key}` } });
    expect(bodies).toEqual([{ query: "天气", freshness: "oneYear", summary: true, count: 30 }]);
  });

  it("bing", async () => {
    const server = await serve(
      routes({ "/v7.0/search": json({ webPages: { value: [{ name: "B", url: "https://b.example/", snippet: "s" }] } }) }),
    );
    const session = await searching({ provider: "bing", baseUrl: server.origin, apiKey: key });
    const result = await session.call("WebSearch", { query: "cats", max_results: 1, freshness: "oneDay" });
    expect(result.data).toEqual({
      provider: "bing",
      results: [{ title: "B", url: "https://b.example/", snippet: "s", site: "b.example" }],
    });
    expect(server.requests[0]?.headers["ocp-apim-subscription-key"]).toBe(key);
  });

  it.each([
    [
      "Exa",
      { body: '{"query": "{query}", "numResults": {count}}', method: "POST" as const },
      { results: [{ title: "E", url: "https://e.example/", text: "t" }] },
      { results: "results", title: "title", url: "url", snippet: "text" },
    ],
    [
      "Serper",
      { body: '{"q": "{query}"}', method: "POST" as const },
      { organic: [{ title: "E", link: "https://e.example/", snippet: "t" }] },
      { results: "organic", title: "title", url: "link", snippet: "snippet" },
    ],
    [
      "Jina",
      {},
      { data: [{ title: "E", url: "https://e.example/", description: "t" }] },
      { results: "data", title: "title", url: "url", snippet: "description" },
    ],
  ])("%s, described in the config", async (_name, request, answer, map) => {
    const server = await serve((asked, response) => json(answer)(response, asked));
    const session = await searching({
      provider: "json",
      request: { url: `${server.origin}/find?q={query}`, headers: { "x-api-key": key }, ...request },
      map,
    });
    const result = await session.call("WebSearch", { query: 'two "words" & more' });
    expect(result.data).toEqual({
      provider: "json",
      results: [{ title: "E", url: "https://e.example/", snippet: "t", site: "e.example" }],
    });
    expect(query(server.requests[0])).toEqual({ q: 'two "words" & more' });
    expect(server.requests[0]?.headers["x-api-key"]).toBe(key);
  });
});

describe("WebSearch gathers", () => {
  it("as many as there are where addresses repeat, asking for what is still missing", async () => {
    const server = await serve((request, response) => {
      const { start } = query(request);
      const link = (n: number) => `https://g.example/${start === "1" ? Math.floor(n / 2) : 100 + n}`;
      json({ items: Array.from({ length: Number(query(request).num) }, (_, n) => ({ title: "t", link: link(n), snippet: "s" })) })(
        response,
        request,
      );
    });
    const session = await searching({ provider: "google", baseUrl: server.origin, apiKey: key, cx: "engine" });
    const result = await session.call("WebSearch", { query: "cats", max_results: 10 });
    expect((result.data as { results: unknown[] }).results).toHaveLength(10);
    expect(server.requests.map((request) => query(request).num)).toEqual(["10", "5"]);
  });

  it("what the first page gave if a later one fails, and says so", async () => {
    const server = await serve((request, response) => {
      const results = Array.from({ length: 20 }, (_, n) => ({ title: `T${n}`, url: `https://x.example/${n}` }));
      json(query(request).offset === undefined ? { web: { results } } : { error: "rate limit" }, query(request).offset ? 429 : 200)(
        response,
        request,
      );
    });
    const session = await searching({ provider: "brave", baseUrl: server.origin, apiKey: key });
    const result = await session.call("WebSearch", { query: "cats", max_results: 50 });
    expect((result.data as { results: unknown[] }).results).toHaveLength(20);
    expect(result.output).toContain("the next page failed: brave answered 429");
  });

  it("words without markup, line breaks as blanks", async () => {
    const content = "a<br>b <script>x()</script><li class='z'>c</li><img src=x> List<String> &lt;b&gt; 1 < 2";
    const server = await serve((request, response) =>
      json({ results: [{ title: "<h2>T</h2>", url: "https://x.example/", content }] })(response, request),
    );
    const session = await searching({ provider: "searxng", baseUrl: server.origin });
    const result = await session.call("WebSearch", { query: "cats", max_results: 1 });
    expect(result.data).toMatchObject({ results: [{ title: "T", snippet: "a b c List<String> <b> 1 < 2" }] });
  });

  it.each([
    ["$.data['web.pages'][0].items[*]", { data: { "web.pages": [{ items: [{ t: "E", u: "https://e.example/", d: 2026 }] }] } }],
    ["$", [{ t: "E", u: "https://e.example/", d: 2026 }]],
    ["", [{ t: "E", u: "https://e.example/", d: 2026 }]],
  ])("a list at the path '%s'", async (results, answer) => {
    const server = await serve((request, response) => json(answer)(response, request));
    const session = await searching({
      provider: "json",
      request: { url: `${server.origin}/?q={query}` },
      map: { results, title: "$.t", url: "u", date: "['d']" },
    });
    const result = await session.call("WebSearch", { query: "cats" });
    expect(result.data).toMatchObject({ results: [{ title: "E", url: "https://e.example/", snippet: "", date: "2026" }] });
  });
});

describe("WebSearch tells failures apart", () => {
  it.each([
    ["auth", json({ error: "bad key" }, 401)],
    ["auth", json({ error: { message: "API key not valid" } }, 400)],
    ["auth", json({ error: { code: "SUBSCRIPTION_TOKEN_INVALID", detail: "The provided subscription token is invalid." } }, 422)],
    ["quota", json({ error: "slow down" }, 429)],
    ["quota", json({ code: "403", message: "You do not have enough money" }, 403)],
    ["provider_error", json({ error: "oops" }, 500)],
    ["bad_response", (response) => void response.end("<html>hello</html>")],
    ["bad_response", json({ web: { results: "none" } })],
    ["network", (response) => void response.destroy()],
  ] satisfies [string, Route][])("%s", async (reason, route) => {
    const server = await serve((request, response) => route(response, request));
    const session = await searching({ provider: "brave", baseUrl: server.origin, apiKey: key });
    const result = await session.call("WebSearch", { query: "cats" });
    expect(result).toMatchObject({ status: "error", error: { code: "tool_error", details: { reason } } });
  });

  it("a 429 with a short Retry-After is waited for, once", async () => {
    let count = 0;
    const server = await serve((request, response) => {
      count += 1;
      if (count === 1) json({}, 429, { "retry-after": "0" })(response, request);
      else json({ web: { results: [{ title: "x", url: "https://x.example/" }] } })(response, request);
    });
    const session = await searching({ provider: "brave", baseUrl: server.origin, apiKey: key });
    expect((await session.call("WebSearch", { query: "cats", max_results: 1 })).status).toBe("ok");
    expect(count).toBe(2);
  });

  it("SearXNG's 403 says to enable the json format", async () => {
    const server = await serve((_, response) => void response.writeHead(403).end("Forbidden"));
    const session = await searching({ provider: "searxng", baseUrl: server.origin });
    expect((await session.call("WebSearch", { query: "cats" })).output).toContain("search.formats");
  });

  it("a key comes from a secure variable and stands in no error", async () => {
    const home = await temporaryDirectory();
    const server = await serve((request, response) =>
      json({ error: `no such key ${request.headers["x-subscription-token"]}` }, 401)(response, request),
    );
    const { engine } = await testEngine({
      env: {},
      home,
      config: { web: { search: { provider: "brave", baseUrl: server.origin, apiKey: "$KARYI{SEARCH_KEY}" } } },
    });
    const session = await engine.openSession();
    await engine.vault.set({ name: "SEARCH_KEY", value: key, scope: "global" }, { workspace: session.workspace, sessionId: session.id });
    const result = await session.call("WebSearch", { query: "cats" });
    expect(server.requests[0]?.headers["x-subscription-token"]).toBe(key);
    expect(JSON.stringify(result)).not.toContain(key);
  });

  it("nothing found is said, with the engines that failed", async () => {
    const server = await serve((request, response) =>
      json({ results: [], unresponsive_engines: [["google", "timeout"]] })(response, request),
    );
    const session = await searching({ provider: "searxng", baseUrl: server.origin });
    const result = await session.call("WebSearch", { query: "cats" });
    expect(result).toMatchObject({ status: "ok", data: { provider: "searxng", results: [] } });
    expect(result.output).toBe("No results for 'cats'. Engines that failed: google: timeout.");
  });

  it("unconfigured, it says exactly what to type", async () => {
    const session = await searching(undefined);
    const result = await session.call("WebSearch", { query: "cats" });
    expect(result).toMatchObject({ status: "error", error: { code: "tool_disabled" } });
    expect(result.output).toContain("karyi config set web.search.provider searxng");
    expect(result.output).toContain("karyi config set web.search.apiKey '$KARYI{SEARCH_KEY}'");
  });

  it.each(["plan", "default", "accept-edits", "auto"] as const)("nobody is asked about the configured engine in %s", async (mode) => {
    const server = await serve((request, response) => json({ results: [{ title: "x", url: "https://x.example/" }] })(response, request));
    const session = await searching({ provider: "tavily", baseUrl: server.origin, apiKey: key }, { mode });
    expect((await session.call("WebSearch", { query: "cats" })).status).toBe("ok");
  });
});
