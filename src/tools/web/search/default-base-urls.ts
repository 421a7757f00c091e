/** Where each provider answers if the person names no other place. */
import type { SearchProviderName } from "../../../contract/index.ts";

export const defaultBaseUrls: Readonly<Partial<Record<SearchProviderName, string>>> = {
  brave: "https://api.search.brave.com",
  google: "https://www.googleapis.com",
  tavily: "https://api.tavily.com",
  bocha: "https://api.bochaai.com",
  bing: "https://api.bing.microsoft.com",
};
