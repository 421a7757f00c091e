/** Plugins: added as a copy, run as programs, judged as somebody else's deed. */
import { appendFile, chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { karyi } from "./support/command.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const examples = resolve(import.meta.dirname, "../examples/plugins");
const serverProgram = join(import.meta.dirname, "support/mcp-server.mjs");
const input_schema = { type: "object", properties: {} };

async function plugin(manifest: object, files: Record<string, string> = {}): Promise<string> {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, "plugin.json"), JSON.stringify(manifest));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

/** A plugin `p` with tools that are one-line bash scripts. */
function scripts(tools: Record<string, string>, more: Record<string, unknown> = {}, version = "1"): Promise<string> {
  return plugin(
    {
      name: "p",
      version,
      tools: Object.keys(tools).map((name) => ({ name, description: `does ${name}`, command: [`./${name}`], input_schema, ...more })),
    },
    Object.fromEntries(Object.entries(tools).map(([name, line]) => [name, `#!/bin/bash\n${line}\n`])),
  );
}

async function added(folder: string): Promise<string> {
  const home = await temporaryDirectory();
  const run = await karyi(["plugin", "add", folder, "--home", home, "--json"]);
  expect([run.code, run.stderr]).toEqual([0, expect.any(String)]);
  return home;
}

describe("examples", () => {
  it("in three languages are valid, are added, and run under both names", async () => {
    const home = await temporaryDirectory();
    const names = await readdir(examples);
    expect(names.sort()).toEqual(["disk-facts", "slugs", "word-count"]);
    for (const name of names) {
      const validated = await karyi(["plugin", "validate", join(examples, name), "--json"]);
      expect([validated.code, JSON.parse(validated.stdout)]).toEqual([0, { ok: true, problems: [], warnings: [] }]);
      expect((await karyi(["plugin", "add", join(examples, name), "--home", home])).code).toBe(0);
    }
    const { engine, workspace } = await testEngine({ home });
    await writeFile(join(workspace, "large.txt"), "x".repeat(100));
    await writeFile(join(workspace, "small.txt"), "x");
    const session = await engine.openSession();
    const counted = await session.call("word-count:count", { text: "a b\nc" });
    expect([counted.status, JSON.parse(counted.output)]).toEqual(["ok", { lines: 2, words: 3, characters: 5 }]);
    expect(await session.call("slugs__slug", { title: "Größe der Welt!" })).toMatchObject({ status: "ok", output: "groe-der-welt\n" });
    expect(await session.call("disk-facts__largest", { count: 1 })).toMatchObject({ status: "ok", output: "100 large.txt\n" });
    expect(await session.call("slugs:slug", { title: "!" })).toMatchObject({
      status: "error",
      error: { code: "tool_error", details: { reason: "exit_nonzero", exit_code: 1 } },
      output: expect.stringContaining("nothing is left"),
    });
    expect(await session.call("slugs:slug", {})).toMatchObject({ status: "error", error: { code: "invalid_tool_input" } });
    const { skills } = await engine.agentFiles.skills(engine.workspace);
    expect(skills.map(({ name }) => name)).toEqual(["name-a-post"]);
  });
});

describe("a plugin's tool", () => {
  it("runs in its copy, with the workspace, the usual variables and the named ones, and no others", async () => {
    const folder = await scripts({ env: "pwd; env | cut -d= -f1 | sort; cat" }, { env: ["WANTED", "ABSENT"] });
    const home = await added(folder);
    const env = { ...process.env, WANTED: "1", UNWANTED: "2", LANG: "C", LC_ALL: "C" };
    const { engine } = await testEngine({ home, env });
    const { output } = await (await engine.openSession()).call("p:env", {});
    const [cwd, ...lines] = output.split("\n");
    expect(cwd).toMatch(/\/plugins\/p-[0-9a-f]{16}$/);
    // bash itself adds the last three.
    expect(lines).toEqual(["HOME", "KARYI_WORKSPACE", "LANG", "LC_ALL", "PATH", "PWD", "SHLVL", "WANTED", "_", "{}"]);
  });

  it("is asked about in every mode that asks, denied where nobody is, and allowed by a rule of either name", async () => {
    const home = await added(await scripts({ one: "echo ran", two: "echo ran" }));
    const { engine } = await testEngine({ home, approve: "deny" });
    const asked = await (await engine.openSession()).explain("p__one", {});
    expect([asked.tool, asked.decision.verdict, asked.decision.effects[0]?.effect]).toEqual([
      "p:one",
      "ask",
      { kind: "remote", server: "p", tool: "p:one" },
    ]);
    const auto = await (await engine.openSession({ id: "auto", mode: "auto" })).call("p:one", {});
    expect(auto.status).toBe("denied");
    const ruled = await engine.openSession({ id: "ruled", rules: { allow: ["p__one"], deny: ["p:two"] } });
    expect([(await ruled.call("p:one", {})).output, (await ruled.call("p__two", {})).status]).toEqual(["ran\n", "denied"]);
  });

  it("is ended at its limit with everything it started, and its words are told", async () => {
    const home = await added(await scripts({ slow: "echo begun; sleep 60 & sleep 60" }, { timeout_ms: 500 }));
    const { engine } = await testEngine({ home });
    expect(await (await engine.openSession()).call("p:slow", {})).toMatchObject({
      status: "error",
      error: { code: "timeout" },
      output: expect.stringContaining("begun"),
    });
  });

  it("does not run if its copy is not what was added", async () => {
    const home = await added(await scripts({ one: "echo ran" }));
    const [copy = ""] = await readdir(join(home, "plugins"));
    await writeFile(join(home, "plugins", copy, "one"), "#!/bin/bash\necho other\n");
    const { engine } = await testEngine({ home });
    expect(await (await engine.openSession()).call("p:one", {})).toMatchObject({ status: "error", error: { code: "tool_disabled" } });
    const { plugins } = JSON.parse((await karyi(["plugin", "list", "--home", home, "--json"])).stdout);
    expect(plugins).toEqual([{ name: "p", version: "1", tools: ["p:one"], error: expect.stringContaining("not what was added") }]);
  });

  it("a change of the folder that it came from changes nothing", async () => {
    const folder = await scripts({ one: "echo first" });
    const home = await added(folder);
    await writeFile(join(folder, "one"), "#!/bin/bash\necho second\n");
    const { engine } = await testEngine({ home });
    expect((await (await engine.openSession()).call("p:one", {})).output).toBe("first\n");
  });
});

describe("karyi plugin", () => {
  it("refuses a taken name, shows an update as a difference, and removes", async () => {
    const home = await added(await scripts({ one: "echo first" }));
    const newer = await scripts({ one: "echo second" }, {}, "2");
    const refused = await karyi(["plugin", "add", newer, "--home", home]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("There is a plugin 'p' (1) already.")]);
    const updated = await karyi(["plugin", "add", newer, "--update", "--home", home]);
    expect([updated.code, updated.stderr.includes("-echo first"), updated.stderr.includes("+echo second")]).toEqual([0, true, true]);
    expect(await readdir(join(home, "plugins"))).toHaveLength(1);
    const { engine } = await testEngine({ home });
    expect((await (await engine.openSession()).call("p:one", {})).output).toBe("second\n");
    expect((await karyi(["plugin", "remove", "p", "--home", home])).code).toBe(0);
    expect((await karyi(["plugin", "remove", "p", "--home", home])).code).toBe(1);
    expect(JSON.parse((await karyi(["plugin", "list", "--home", home, "--json"])).stdout)).toEqual({ plugins: [] });
    expect(await readdir(join(home, "plugins"))).toEqual([]);
  });

  it("says everything that is wrong with a folder", async () => {
    const tool = { name: "t", description: "d", command: ["./t"], input_schema };
    const cases: readonly (readonly [object, string])[] = [
      [{ version: "1", tools: [] }, "name"],
      [{ name: "a__b", version: "1", tools: [] }, "without '__'"],
      [{ name: "p", tools: [] }, "version"],
      [{ name: "p", version: "1", tools: [{ ...tool, command: [] }] }, "command"],
      [{ name: "p", version: "1", tools: [tool, tool] }, "two tools"],
      [{ name: "p", version: "1", tools: [{ ...tool, input_schema: { type: "string" } }] }, "object"],
      [
        { name: "p", version: "1", tools: [{ ...tool, input_schema: { type: "object", properties: { a: { type: "strin" } } } }] },
        "input_schema",
      ],
      [{ name: "p", version: "1", tools: [{ ...tool, timeout_ms: 600_001 }] }, "timeout_ms"],
      [{ name: "p", version: "1", tools: [{ ...tool, command: ["./gone"] }] }, "there is no ./gone"],
      [{ name: "p", version: "1", tools: [{ ...tool, command: ["./../t"] }] }, "outside"],
      [{ name: "p", version: "1", tools: [{ ...tool, command: ["./plugin.json"] }] }, "not executable"],
      [{ name: "p", version: "1", tools: [], skills: "./skills" }, "there is no ./skills"],
    ];
    for (const [manifest, words] of cases) {
      const run = await karyi(["plugin", "validate", await plugin(manifest, { t: "#!/bin/sh\n" }), "--json"]);
      const { ok, problems } = JSON.parse(run.stdout);
      expect([run.code, ok, problems.map(({ message }: { message: string }) => message).join("\n")]).toEqual([
        1,
        false,
        expect.stringContaining(words),
      ]);
    }
    const linked = await plugin({ name: "p", version: "1", tools: [] });
    await symlink("/etc/passwd", join(linked, "x"));
    expect(JSON.parse((await karyi(["plugin", "validate", linked, "--json"])).stdout).problems).toEqual([
      { message: expect.stringContaining("leads out") },
    ]);
    const odd = await plugin({ name: "p", version: "1", tools: [{ ...tool, command: ["no-such-program"] }], colour: 1 });
    const { ok, warnings } = JSON.parse((await karyi(["plugin", "validate", odd, "--json"])).stdout);
    expect([ok, warnings.length]).toEqual([true, 2]);
    const nothing = await karyi(["plugin", "add", await temporaryDirectory(), "--home", await temporaryDirectory(), "--json"]);
    expect([nothing.code, JSON.parse(nothing.stdout).error.code]).toEqual([2, "invalid_tool_input"]);
  });

  it("a plugin that cannot be read is told and stops nothing", async () => {
    const home = await added(await scripts({ one: "echo ran" }));
    const [copy = ""] = await readdir(join(home, "plugins"));
    await writeFile(join(home, "plugins", copy, "plugin.json"), "{");
    await mkdir(join(home, "agents"));
    const told: string[] = [];
    const { engine } = await testEngine({ home, log: (message) => told.push(message) });
    expect((await (await engine.openSession()).call("TaskList", {})).status).toBe("ok");
    expect(told).toEqual([expect.stringContaining("The plugin p cannot be used")]);
  });
});

describe("MCP servers of plugins", () => {
  const server = { command: process.execPath, args: ["./server.mjs", "good"] };
  const withServer = async (name: string, key: string) =>
    plugin({ name, version: "1", tools: [], mcpServers: { [key]: server } }, { "server.mjs": await readFile(serverProgram, "utf8") });

  it("are called as mcp__PLUGIN_SERVER__tool, from the copy, and listed as the plugin's", async () => {
    const home = await added(await withServer("notes", "plain"));
    const listed = await karyi(["mcp", "list", "--home", home, "--json"]);
    expect(JSON.parse(listed.stdout)).toEqual({
      servers: [{ name: "notes_plain", transport: "stdio", source: "plugin", trusted: true }],
    });
    const { engine } = await testEngine({ home });
    const session = await engine.openSession();
    const echo = await session.call("mcp__notes_plain__echo", { text: "hi" });
    expect([echo.status, echo.output]).toEqual(["ok", expect.stringContaining("echo: hi")]);
    expect(engine.tools().map(({ name }) => name)).toContain("mcp__notes_plain__env");
    expect((await karyi(["plugin", "remove", "notes", "--home", home])).code).toBe(0);
    const { engine: later } = await testEngine({ home });
    expect(await (await later.openSession()).call("mcp__notes_plain__echo", { text: "hi" })).toMatchObject({
      error: { code: "tool_not_found" },
    });
  });

  it("have names of both parts in full length", async () => {
    const [name, key] = ["p".repeat(32), "s".repeat(32)];
    const { engine } = await testEngine({ home: await added(await withServer(name, key)) });
    expect(await engine.servers?.learn(`${name}_${key}`)).not.toHaveLength(0);
  });

  it("are not started if the copy is no longer what was added", async () => {
    const home = await added(await withServer("notes", "plain"));
    const [copy = ""] = await readdir(join(home, "plugins"));
    await appendFile(join(home, "plugins", copy, "server.mjs"), "\n// more\n");
    const { engine } = await testEngine({ home });
    await expect(engine.servers?.learn("notes_plain")).rejects.toMatchObject({
      code: "tool_disabled",
      details: { reason: "plugin_changed" },
    });
  });
});
