/** Brave Search API. */
import { address, found, listAt, type SearchProvider, withSite } from "./provider.ts";

const ranges = { noLimit: undefined, oneDay: "pd", oneWeek: "pw", oneMonth: "pm", oneYear: "py" } as const;
const most = 20;

export const brave: SearchProvider = {
  path: "/res/v1/web/search",
  method: "GET",
  needsKey: true,
  pageSize: most,
  maxPages: 10,
  request: (query, { index, offset, count }, { base, key }) => ({
    url: address(base, "/res/v1/web/search", {
      q: withSite(query),
      // Its offset counts pages of this size, so every page asks for the same number.
      count: Math.min(offset + count, most),
      offset: index === 0 ? undefined : index,
      freshness: ranges[query.freshness],
    }),
    headers: { "x-subscription-token": key },
  }),
  read: (answer) => ({
    results: listAt(answer, "web", "results").map(({ title, url, description, page_age }) => found(title, url, description, page_age)),
  }),
};
