import { describe, expect, it } from "vitest";
import { type Catalog, type OutputPage, type RunContext, ToolFailure, type ToolOutput } from "../../contract/index.ts";
import { readOutput } from "./read-output.ts";
import { toolSearch } from "./tool-search.ts";

function catalogOf(cards: readonly { name: string; description: string }[], defers: boolean): Catalog & { readonly activated: string[] } {
  const activated: string[] = [];
  return {
    activated,
    defers,
    activeTools: () => [],
    searchTools: (_, limit = 8) => cards.slice(0, limit),
    activateTool: (name) => activated.push(name) > 0,
    isDeferred: () => defers,
    resetActivations: () => {},
    activatedNames: () => [],
  };
}

async function search(catalog: Catalog, input: object): Promise<ToolOutput> {
  return toolSearch.run({ limit: 8, ...input }, { catalog } as unknown as RunContext);
}

const cards = [
  { name: "WebFetch", description: "Fetches content from a URL\n\nas text." },
  { name: "WebSearch", description: "Searches the web." },
];

describe("ToolSearch", () => {
  it("answers what it found and activates it", async () => {
    const catalog = catalogOf(cards, true);
    expect(await search(catalog, { query: "web" })).toEqual({
      output:
        "Found 2 tool(s) matching 'web':\n- WebFetch: Fetches content from a URL as text.\n- WebSearch: Searches the web.\n" +
        "These tools have been activated and are now available for use.",
      data: { tools: ["WebFetch", "WebSearch"] },
    });
    expect(catalog.activated).toEqual(["WebFetch", "WebSearch"]);
  });

  it("says that all tools are active where nothing is deferred, and activates nothing", async () => {
    const catalog = catalogOf(cards, false);
    const { output } = await search(catalog, { query: "web", limit: 1 });
    expect(output).toBe(
      "Found 1 tool(s) matching 'web':\n- WebFetch: Fetches content from a URL as text.\nAll tools are already active and available for use.",
    );
    expect(catalog.activated).toEqual([]);
  });

  it("says when there is nothing, with advice", async () => {
    expect((await search(catalogOf([], true), { query: "x" })).output).toMatch(/^No tools found matching 'x'\.\nTry other words/);
    expect((await search(catalogOf([], false), { query: "x" })).output).toContain("All tools are already active");
  });

  it("keeps each tool on one line of bounded length", async () => {
    const { output } = await search(catalogOf([{ name: "Long", description: "word\n".repeat(1_000) }], true), { query: "x" });
    expect(output.split("\n")).toHaveLength(3);
    expect(output.length).toBeLessThan(500);
  });
});

describe("ReadOutput", () => {
  const read = (page: OutputPage | undefined) =>
    readOutput.run({ ref: "r1", offset: 0, limit: 5 }, { outputs: { read: async () => page } } as unknown as RunContext);

  it("answers a page and where the next begins", async () => {
    expect(await read({ ref: "r1", text: "hello", offset: 0, next: 5, total: 12 })).toEqual({
      output: "hello\n[7 more bytes; continue with offset 5]",
      data: { ref: "r1", offset: 0, next: 5, total: 12, eof: false },
    });
  });

  it("ends without a next page, and says so behind the end", async () => {
    expect(await read({ ref: "r1", text: "lo", offset: 10, total: 12 })).toEqual({
      output: "lo",
      data: { ref: "r1", offset: 10, next: null, total: 12, eof: true },
    });
    expect((await read({ ref: "r1", text: "", offset: 12, total: 12 })).output).toBe("[end of output, 12 bytes]");
  });

  it("fails for a reference it does not know", async () => {
    const failure = await Promise.resolve(read(undefined)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolFailure);
    expect((failure as ToolFailure).toError()).toMatchObject({
      code: "tool_not_found",
      details: { reason: "output_not_found", ref: "r1" },
    });
  });
});
