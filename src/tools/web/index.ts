/** The web tools. */
import type { Tool } from "../../contract/index.ts";
import { webFetch } from "./web-fetch.ts";
import { webSearch } from "./web-search.ts";

export const webTools: readonly Tool[] = [webFetch, webSearch];

export { defaultBaseUrls } from "./search/default-base-urls.ts";
