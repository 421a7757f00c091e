/** HTTP, SSE and WebSocket in front of an engine. */
export type { KeptBrowserSession } from "./auth/browser-sessions.ts";
export { type Scope, scopes, type TokenEntry } from "./auth/scopes.ts";
export { hashOfToken, makeToken, makeTokenEntry, ownTokenName, type TokenFiles, tokenNamePattern } from "./auth/token-book.ts";
export { createGateway } from "./create-gateway.ts";
export type { GatewayDesk, GatewayLog, RequestSpan, RuleDesk, RuleEntry, SessionFacts } from "./ports.ts";
export { ValueDesk } from "./values.ts";
export type { Webhook } from "./webhooks.ts";
