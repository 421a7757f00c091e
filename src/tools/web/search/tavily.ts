/** Tavily search: one request, 20 results at most. */
import { found, listAt, type SearchProvider } from "./provider.ts";

const ranges = { noLimit: undefined, oneDay: "day", oneWeek: "week", oneMonth: "month", oneYear: "year" } as const;

export const tavily: SearchProvider = {
  path: "/search",
  method: "POST",
  needsKey: true,
  pageSize: 20,
  maxPages: 1,
  request: ({ query, freshness, site }, { count }, { base, key }) => ({
    url: `${base}/search`,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      query,
      max_results: Math.min(count, 20),
      time_range: ranges[freshness],
      ...(site === undefined ? {} : { include_domains: [site] }),
    }),
  }),
  read: (answer) => ({
    results: listAt(answer, "results").map(({ title, url, content, published_date }) => found(title, url, content, published_date)),
  }),
};
