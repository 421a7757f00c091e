/** Bocha web search; it takes the names of our time ranges as they are. */
import { found, listAt, type SearchProvider } from "./provider.ts";

export const bocha: SearchProvider = {
  path: "/v1/web-search",
  method: "POST",
  needsKey: true,
  pageSize: 50,
  maxPages: 1,
  request: ({ query, freshness, site }, { count }, { base, key }) => ({
    url: `${base}/v1/web-search`,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query, freshness, summary: true, count: Math.min(count, 50), ...(site === undefined ? {} : { include: site }) }),
  }),
  read: (answer) => ({
    results: listAt(answer, "data", "webPages", "value").map(({ name, url, summary, snippet, datePublished, dateLastCrawled }) =>
      found(name, url, typeof summary === "string" && summary !== "" ? summary : snippet, datePublished ?? dateLastCrawled),
    ),
  }),
};
