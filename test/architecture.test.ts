/** Keeps the room table of docs/architecture.md true, and files small. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** What each room may import besides itself; the same table stands in docs/architecture.md. */
const rooms: Record<string, readonly string[]> = {
  contract: [],
  host: ["contract"],
  shell: ["contract"],
  policy: ["contract"],
  registry: ["contract"],
  vault: ["contract"],
  store: ["contract"],
  engine: ["contract", "policy", "registry"],
  tools: ["contract", "shell"],
  dialect: ["contract"],
  durable: ["contract"],
  agent: ["contract", "dialect"],
  gateway: ["contract", "dialect"],
  mcp: ["contract"],
  adapters: ["contract"],
  plugin: ["contract"],
  compose: [
    "contract",
    "host",
    "shell",
    "policy",
    "registry",
    "vault",
    "store",
    "engine",
    "tools",
    "dialect",
    "durable",
    "agent",
    "gateway",
    "mcp",
    "adapters",
    "plugin",
  ],
  cli: ["compose", "contract", "dialect"],
};

/** Built-in modules that touch the machine, and the rooms that may use them. */
const machineModules = /^node:(fs|fs\/promises|child_process|net|http|https|http2|tls|dgram|worker_threads|cluster)$/;
const roomsOnTheMachine = new Set(["host"]);
/** The store opens its own database and the texts beside it, and nothing else. */
const storeModules = /^node:fs(\/promises)?$/;

/** The one file that starts child processes, and the text of another process, which cannot import it. */
const startsProcesses = new Set(["src/host/spawn.ts", "src/host/processes/launcher-program.ts"]);

/** Files outside the table: the public entry. */
const entries = new Set(["src/index.ts", "src/serve.ts", "src/mcp.ts"]);

function filesBelow(directory: string, ending: RegExp): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)|(?:^|\n)import\s+"([^"]+)"/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
}

const sources = filesBelow(join(root, "src"), /\.ts$/).filter(
  (path) => !/\.(test|fixture|child)\.ts$/.test(path) && !path.includes("/fixtures/"),
);

describe("architecture", () => {
  it("a room imports only what the table allows, and other rooms through their index", () => {
    const wrong: string[] = [];
    for (const file of sources) {
      const name = relative(root, file);
      if (entries.has(name)) continue;
      const room = name.split("/")[1] ?? "";
      const allowed = rooms[room];
      if (!allowed) {
        wrong.push(`${name}: no such room`);
        continue;
      }
      for (const specifier of importsOf(readFileSync(file, "utf8"))) {
        const own = roomsOnTheMachine.has(room) || (room === "store" && storeModules.test(specifier));
        if (machineModules.test(specifier) && !own) wrong.push(`${name} touches the machine: ${specifier}`);
        if (!specifier.startsWith(".")) continue;
        const target = relative(root, resolve(dirname(file), specifier));
        const [top, targetRoom = "", ...rest] = target.split("/");
        if (top !== "src" || targetRoom === room) continue;
        if (!allowed.includes(targetRoom)) wrong.push(`${name} imports ${target}`);
        else if (rest.at(-1) !== "index.ts") wrong.push(`${name} imports ${target} instead of its index`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("only host/spawn.ts starts child processes, and only it hands descriptors on", () => {
    const named = sources
      .filter((file) => /child_process|\bwithoutMasters\b/.test(readFileSync(file, "utf8")))
      .map((file) => relative(root, file));
    // The last one only writes such a line into a file that runs in the process of another agent.
    const expected = [...startsProcesses, "src/host/open-terminals.ts", "src/adapters/hooks/plugin-file.ts"];
    expect(named.toSorted()).toEqual(expected.toSorted());
  });

  it("only contract/parsed-url.ts names URL.canParse, which Node 20 answers wrongly once it is compiled", () => {
    const named = sources.filter((file) => readFileSync(file, "utf8").includes("URL.canParse")).map((file) => relative(root, file));
    expect(named).toEqual(["src/contract/parsed-url.ts"]);
  });

  it("every export is named: no `export *`", () => {
    expect(sources.filter((file) => /^export \*/m.test(readFileSync(file, "utf8"))).map((file) => relative(root, file))).toEqual([]);
  });

  it("the table in docs/architecture.md is the table of this test", () => {
    const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
    const rows = [...page.matchAll(/^\|\s*`src\/(\w+)\/`\s*\|[^|]*\|([^|]*)\|\s*$/gm)].map(
      ([, room = "", may = ""]) =>
        [
          room,
          may
            .split(",")
            .map((part) => part.trim())
            .filter((part) => part !== "" && part !== "—"),
        ] as const,
    );
    expect(Object.fromEntries(rows)).toEqual(rooms);
  });

  it("no file has over 600 lines", () => {
    const all = [
      ...filesBelow(join(root, "src"), /\.(ts|tsx)$/),
      ...filesBelow(join(root, "test"), /\.(ts|mjs)$/),
      ...filesBelow(join(root, "bench"), /\.ts$/),
    ];
    expect(all.filter((file) => readFileSync(file, "utf8").split("\n").length > 600).map((file) => relative(root, file))).toEqual([]);
  });
});
