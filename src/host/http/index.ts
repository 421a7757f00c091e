/** The web: requests whose addresses are judged on every hop. */
export { createHttp, createSlots, type HttpGuard } from "./create-http.ts";
export { PageCache } from "./page-cache.ts";
export type { Lookup } from "./resolve-host.ts";
