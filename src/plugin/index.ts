/** Tools that somebody else wrote as programs: plugins, and proposals of new tools. */

export { createEvolvedTool } from "./evolved-tool.ts";
export { PluginShelf } from "./plugin-shelf.ts";
export { Proposals } from "./proposals.ts";
export { createProposeTool } from "./propose-tool.ts";
