/** The server side of MCP. */
export { EngineSurface } from "./engine-surface.ts";
export { HttpFront } from "./http-front.ts";
export { serveOnStreams } from "./stdio.ts";
export type { Exchange, PromptSurface, ResourceSurface, Surface } from "./surface.ts";
