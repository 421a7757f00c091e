/** ToolSearch: finds tools that are not shown and activates them. Activating shows a tool; it permits nothing. */

import { z } from "zod";
import { defineTool, type ToolCard } from "../../contract/index.ts";
import { toolSearchData } from "../data/other-data.ts";

const usual = 8;
const most = 20;
const maxDescription = 300;

const input = z.object({
  query: z.string().trim().min(1).max(1_000).describe("What it should do, e.g. 'fetch web page'"),
  limit: z.int().min(1).max(most).default(usual).describe("Most tools"),
});
export type ToolSearchGiven = z.input<typeof input>;

export const toolSearch = defineTool({
  name: "ToolSearch",
  aliases: ["tool_search"],
  description:
    "Searches all tools by what they do and activates the best matches. " +
    "Use it when no tool you see fits; a tool's exact name works too.",
  input,
  dataSchema: toolSearchData,
  synonyms: { search: "query", q: "query", text: "query", keywords: "query", max_results: "limit", count: "limit", top_k: "limit" },
  example: { query: "send a message to a channel" },
  traits: { readOnly: true, concurrencySafe: true, searchHint: "tool search find discover deferred" },
  needs: ["catalog"],
  plan: ({ query }) => ({ summary: `Search the tools for '${query}'`, effects: [{ kind: "state", area: "tools" }] }),
  run({ query, limit }, { catalog }) {
    const found = catalog.searchTools(query, limit);
    const names = found.map(({ name }) => name);
    if (found.length === 0) return { output: `No tools found matching '${query}'.\n${advice(catalog.defers)}`, data: { tools: names } };
    const head = `Found ${found.length} tool(s) matching '${query}':`;
    const lines = found.map(line);
    if (!catalog.defers)
      return { output: [head, ...lines, "All tools are already active and available for use."].join("\n"), data: { tools: names } };
    for (const name of names) catalog.activateTool(name);
    const output = [head, ...lines, "These tools have been activated and are now available for use."].join("\n");
    return { output, data: { tools: names } };
  },
});

function line({ name, description }: ToolCard): string {
  const flat = description.replace(/\s+/g, " ").trim();
  return `- ${name}: ${flat.length > maxDescription ? `${flat.slice(0, maxDescription - 1)}…` : flat}`;
}

function advice(defers: boolean): string {
  return defers
    ? "Try other words for what the tool should do, or the name of the service it belongs to."
    : "All tools are already active, so there is nothing more to find.";
}
