/** SearXNG: a meta search engine that people run themselves; its JSON form must be enabled there. */
import { address, type FoundPage, found, listAt, type SearchProvider, textOf, withSite } from "./provider.ts";

const ranges = { noLimit: undefined, oneDay: "day", oneWeek: "week", oneMonth: "month", oneYear: "year" } as const;

export const searxng: SearchProvider = {
  path: "/search",
  method: "GET",
  needsKey: false,
  pageSize: 50,
  maxPages: 10,
  request: (query, { index }, { base, key }) => ({
    url: address(base, "/search", { q: withSite(query), format: "json", pageno: index + 1, time_range: ranges[query.freshness] }),
    headers: key === "" ? {} : { authorization: `Bearer ${key}` },
  }),
  read(answer): FoundPage {
    const failed = Array.isArray(answer.unresponsive_engines) ? answer.unresponsive_engines : [];
    return {
      results: listAt(answer, "results").map(({ title, url, content, publishedDate }) => found(title, url, content, publishedDate)),
      failed: failed.map((engine) => (Array.isArray(engine) ? engine.map((part) => textOf(part)).join(": ") : textOf(engine))),
    };
  },
};
