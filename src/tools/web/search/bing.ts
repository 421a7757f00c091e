/** The form of Bing's web search API, which others speak too. */
import { address, found, listAt, type SearchProvider, withSite } from "./provider.ts";

const ranges = { noLimit: undefined, oneDay: "Day", oneWeek: "Week", oneMonth: "Month" } as const;

export const bing: SearchProvider = {
  path: "/v7.0/search",
  method: "GET",
  needsKey: true,
  pageSize: 50,
  maxPages: 10,
  request: (query, { offset, count }, { base, key }) => ({
    url: address(base, "/v7.0/search", {
      q: withSite(query),
      count: Math.min(count, 50),
      offset: offset === 0 ? undefined : offset,
      freshness: query.freshness === "oneYear" ? lastYear() : ranges[query.freshness],
      responseFilter: "Webpages",
    }),
    headers: { "ocp-apim-subscription-key": key },
  }),
  read: (answer) => ({
    results: listAt(answer, "webPages", "value").map(({ name, url, snippet, datePublished, dateLastCrawled }) =>
      found(name, url, snippet, datePublished ?? dateLastCrawled),
    ),
  }),
};

/** A year has no name there, but two dates. */
function lastYear(): string {
  const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
  return `${day(Date.now() - 365 * 86_400_000)}..${day(Date.now())}`;
}
