/** Google Custom Search JSON API; `cx` names the search engine. */
import { address, found, listAt, type SearchProvider, withSite } from "./provider.ts";

const ranges = { noLimit: undefined, oneDay: "d1", oneWeek: "w1", oneMonth: "m1", oneYear: "y1" } as const;

export const google: SearchProvider = {
  path: "/customsearch/v1",
  method: "GET",
  needsKey: true,
  pageSize: 10,
  maxPages: 10,
  request: (query, { offset, count }, { base, key, settings }) => ({
    url: address(base, "/customsearch/v1", {
      key,
      cx: settings.cx,
      q: withSite(query),
      num: Math.min(count, 10),
      start: offset + 1,
      dateRestrict: ranges[query.freshness],
    }),
  }),
  read: (answer) => ({ results: listAt(answer, "items").map(({ title, link, snippet }) => found(title, link, snippet)) }),
};
