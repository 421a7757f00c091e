import { describe, expect, it } from "vitest";
import { defineTool, type Tool } from "../contract/index.ts";
import { createCatalog, ToolRegistry } from "./index.ts";

function tool(name: string, description = "", aliases: readonly string[] = [], searchHint = ""): Tool {
  return defineTool({ name, description, aliases, input: { type: "object" }, traits: { searchHint }, run: () => ({ output: "" }) });
}

const core = [
  tool("Bash", "Runs a command in a shell.", [], "shell command execute terminal"),
  tool("Read", "Reads a file.", ["FileRead", "read_file"]),
  tool("Edit", "Replaces text in a file.", ["FileEdit"], "replace string modify"),
  tool("Write", "Writes a file.", ["FileWrite"], "create overwrite"),
  tool("Glob", "Finds files by pattern."),
  tool("Grep", "Searches the contents of files."),
  tool("ToolSearch", "Finds tools."),
];

/** As a catalogue asks for them. */
function tools(count: number): () => ToolRegistry {
  const registry = registryOf(count);
  return () => registry;
}

function registryOf(count: number): ToolRegistry {
  return new ToolRegistry([
    ...core,
    ...Array.from({ length: count - core.length }, (_, at) => tool(`extra_${at}`, `Does thing number ${at}.`)),
  ]);
}

describe("the registry", () => {
  it("finds by name, by alias, and by the only one that differs in case", () => {
    const registry = new ToolRegistry([...core, tool("Same"), tool("SAME")]);
    expect(registry.get("Read")?.name).toBe("Read");
    expect(registry.get("read_file")?.name).toBe("Read");
    expect(registry.get("READ")?.name).toBe("Read");
    expect(registry.get("fileread")?.name).toBe("Read");
    expect(registry.get("SAME")?.name).toBe("SAME");
    expect(registry.get("same")).toBeUndefined();
    expect(registry.get("constructor")).toBeUndefined();
    expect(registry.get("")).toBeUndefined();
  });

  it("refuses a duplicate name or alias with an error that names both tools, and stays as it was", () => {
    const registry = new ToolRegistry([tool("Read", "", ["read_file"])]);
    expect(() => registry.register(tool("Read"))).toThrow(
      "Tool 'Read' cannot be registered: the name 'Read' already belongs to the tool 'Read'.",
    );
    expect(() => registry.register(tool("Other", "", ["x", "read_file"]))).toThrow(
      "Tool 'Other' cannot be registered: the name 'read_file' already belongs to the tool 'Read'.",
    );
    expect(() => registry.register(tool("Twice", "", ["Twice"]))).toThrow("it has the same name twice");
    expect(registry.names()).toEqual(["Read"]);
    expect(registry.get("x")).toBeUndefined();
  });

  it("checks the syntax of names", () => {
    const registry = new ToolRegistry();
    for (const name of ["", "a b", "a(b)", "a,b", "<a>", "1a", "a".repeat(129), 'a"', "ä"])
      expect(() => registry.register(tool(name))).toThrow("is not valid");
    for (const name of ["a", "mcp__git-hub__create_issue", "plugin:tool", "a.b/c"]) registry.register(tool(name));
    expect(registry.size).toBe(4);
  });

  it("filters to a subset and ignores unknown names", () => {
    const registry = new ToolRegistry(core);
    const subset = registry.filter(["read_file", "Nothing", "Bash", "Read"]);
    expect(subset.list()).toEqual([
      { name: "Bash", description: "Runs a command in a shell." },
      { name: "Read", description: "Reads a file." },
    ]);
    expect(subset.get("Edit")).toBeUndefined();
    expect(subset.search("replace text in a file", 5).map(({ name }) => name)).not.toContain("Edit");
  });

  it("hands out a view that is frozen for a turn", () => {
    const registry = new ToolRegistry(core);
    const view = registry.view();
    expect(registry.view()).toBe(view);
    registry.register(tool("weather_forecast", "Tells the weather."));
    expect(view.get("weather_forecast")).toBeUndefined();
    expect(view.search("weather forecast", 5)).toEqual([]);
    expect(registry.search("weather forecast", 5).map(({ name }) => name)).toEqual(["weather_forecast"]);
    expect(registry.view()).not.toBe(view);
    expect(() => view.register(tool("Late"))).toThrow("frozen");
  });

  it("names the closest tools for a name that does not exist", () => {
    const registry = new ToolRegistry(core);
    expect(registry.closest("Raed", 1)).toEqual(["Read"]);
    expect(registry.closest("run_terminal_cmd", 1)).toEqual(["Bash"]);
    expect(registry.closest("str_replace_editor", 1)).toEqual(["Edit"]);
    expect(registry.closest("file_search", 3)).toContain("Grep");
    expect(registry.closest("write_to_file", 1)).toEqual(["Write"]);
    expect(registry.closest("execute_command", 1)).toEqual(["Bash"]);
    expect(registry.closest("view_file", 1)).toEqual(["Read"]);
    expect(registry.closest("", 3)).toEqual([]);
    expect(registry.closest("x".repeat(100_000), 3)).toEqual([]);
  });
});

describe("the catalogue", () => {
  it("shows everything up to the threshold", () => {
    const catalog = createCatalog(tools(15));
    expect([catalog.defers, catalog.activeTools().length, catalog.isDeferred("extra_1")]).toEqual([false, 15, false]);
  });

  it("shows only the core above it, and what was activated after the core in that order", () => {
    const told: (readonly string[])[] = [];
    const catalog = createCatalog(tools(16), { onActivate: (names) => told.push(names) });
    const names = () => catalog.activeTools().map(({ name }) => name);
    expect([catalog.defers, names()]).toEqual([true, core.map(({ name }) => name)]);
    expect([catalog.isDeferred("extra_3"), catalog.isDeferred("Read"), catalog.isDeferred("nothing")]).toEqual([true, false, false]);
    expect([
      catalog.activateTool("extra_3"),
      catalog.activateTool("extra_0"),
      catalog.activateTool("extra_3"),
      catalog.activateTool("Read"),
    ]).toEqual([true, true, true, true]);
    expect(catalog.activateTool("nothing")).toBe(false);
    expect(names()).toEqual([...core.map(({ name }) => name), "extra_3", "extra_0"]);
    expect(told).toEqual([["extra_3"], ["extra_3", "extra_0"]]);
    catalog.resetActivations();
    expect([names().length, told.at(-1), catalog.isDeferred("extra_3")]).toEqual([core.length, [], true]);
  });

  it("goes on from what a session activated before, and takes its own threshold and core", () => {
    const catalog = createCatalog(tools(10), { threshold: 9, core: ["Read"], activated: () => ["extra_1", "gone"] });
    expect(catalog.activeTools().map(({ name }) => name)).toEqual(["Read", "extra_1"]);
  });

  it("searches everything and activates nothing", () => {
    const catalog = createCatalog(tools(30));
    expect(catalog.searchTools("run a shell command")[0]).toEqual({ name: "Bash", description: "Runs a command in a shell." });
    expect(catalog.searchTools("thing number", 3)).toHaveLength(3);
    expect(catalog.searchTools("extra_7")[0]?.name).toBe("extra_7");
    expect(catalog.searchTools("select:extra_9,extra_2").map(({ name }) => name)).toEqual(["extra_9", "extra_2"]);
    expect([catalog.searchTools(""), catalog.searchTools("the of and"), catalog.searchTools("…!?")]).toEqual([[], [], []]);
    expect(catalog.isDeferred("extra_7")).toBe(true);
  });

  it("grows with its registry", () => {
    const registry = registryOf(15);
    const catalog = createCatalog(() => registry);
    registry.register(tool("late_tool", "Came later."));
    expect([catalog.defers, catalog.isDeferred("late_tool")]).toEqual([true, true]);
  });
});
