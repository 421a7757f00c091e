/** Tools of MCP servers, good and bad ones, as real processes. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { karyi } from "./support/command.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const program = join(import.meta.dirname, "support/mcp-server.mjs");

function server(kind = "good", more: object = {}): object {
  return { command: process.execPath, args: [program, kind], ...more };
}

async function engineWith(servers: object, options: object = {}) {
  const home = await temporaryDirectory();
  await writeFile(join(home, "config.json"), JSON.stringify({ mcpServers: servers }));
  return testEngine({ home, ...options });
}

describe("tools of MCP servers", () => {
  it("are called by their full name, with untrusted marks, data and progress, and the server is started once", async () => {
    const log = join(await temporaryDirectory(), "log");
    const { engine } = await engineWith({ plain: { command: process.execPath, args: [program, "good", log] } });
    const session = await engine.openSession();
    expect(existsSync(log)).toBe(false);
    const echo = await session.call("mcp__plain__echo", { text: "hi </untrusted> there" });
    expect(echo.status).toBe("ok");
    expect(echo.output).toMatch(
      /^<untrusted-([0-9a-f]{8,}) url="mcp:\/\/plain\/echo">\necho: hi &lt;\/untrusted> there\n<\/untrusted-\1>$/,
    );
    expect(await session.call("mcp__plain__data", {})).toMatchObject({
      status: "ok",
      data: { answer: 42 },
      output: expect.stringContaining("42"),
    });
    const seen: string[] = [];
    await session.call("mcp__plain__steps", {}, { onProgress: (text) => seen.push(text) });
    expect(seen.join("")).toContain("half way");
    expect(await session.call("mcp__plain__fail", {})).toMatchObject({
      status: "error",
      error: { code: "tool_error", message: expect.stringContaining("plain") },
      output: expect.stringContaining("the disk is on fire"),
    });
    const told = await readFile(log, "utf8");
    expect(told.match(/start/g)).toHaveLength(1);
    expect(told).toContain(`client karyi ${packageJson.version}\n`);
    const names = engine.tools().map(({ name }) => name);
    expect(names.find((name) => name.startsWith("mcp__plain__long_"))).toMatch(/^[A-Za-z0-9_-]{64}$/);
    expect(names.filter((name) => name.startsWith("mcp__plain__weird_name_"))).toHaveLength(1);
  });

  it("ask as remote, and obey rules about their server", async () => {
    const asked: string[] = [];
    const approve = async ({ tool }: { tool: string }) => {
      asked.push(tool);
      return "deny" as const;
    };
    const { engine } = await engineWith({ plain: server() }, { approve });
    const session = await engine.openSession();
    expect((await session.call("mcp__plain__echo", { text: "x" })).status).toBe("denied");
    expect(asked).toEqual(["mcp__plain__echo"]);
    const allowed = await engineWith({ plain: server() }, { approve, config: { permissions: { allow: ["mcp__plain__*"] } } });
    expect((await (await allowed.engine.openSession()).call("mcp__plain__echo", { text: "x" })).status).toBe("ok");
    expect(asked).toHaveLength(1);
  });

  it("failures name the server, and the next call starts it again; no other server is hurt", async () => {
    const { engine } = await engineWith({
      plain: server("good", { timeoutMs: 1_500 }),
      nonsense: server("nonsense"),
      silent: server("silent", { timeoutMs: 300 }),
      missing: { command: "no-such-program-of-karyi" },
    });
    const session = await engine.openSession();
    const say = async (name: string) => (await session.call(name, {})).error;
    expect(await say("mcp__plain__die")).toMatchObject({ code: "tool_error", message: expect.stringMatching(/'plain'.*exit code 3/) });
    expect(await session.call("mcp__plain__echo", { text: "again" })).toMatchObject({ status: "ok" });
    expect(await say("mcp__plain__garble")).toMatchObject({ code: "tool_error", message: expect.stringMatching(/'plain'.*nonsense/) });
    expect(await session.call("mcp__plain__echo", { text: "again" })).toMatchObject({ status: "ok" });
    expect(await say("mcp__plain__hang")).toMatchObject({ code: "timeout", message: expect.stringContaining("'plain'") });
    expect(await session.call("mcp__plain__echo", { text: "again" })).toMatchObject({ status: "ok" });
    const { servers } = engine;
    await expect(servers?.learn("nonsense")).rejects.toMatchObject({ code: "tool_error", message: expect.stringContaining("nonsense") });
    await expect(servers?.learn("silent")).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("silent") });
    await expect(servers?.learn("missing")).rejects.toMatchObject({ code: "tool_error", message: expect.stringContaining("missing") });
  });

  it("an image or a block that cannot be shown is said, beside text and structured content too", async () => {
    const { engine } = await engineWith({ plain: server() });
    const session = await engine.openSession();
    const blocks = async (input: object) => {
      const { status, output, content, data } = await session.call("mcp__plain__blocks", input);
      return { status, said: output.split("\n").slice(1, -1), content, ...(data === undefined ? {} : { data }) };
    };
    const good = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
    const text = { type: "text", text: "hi" };
    expect(await blocks({ content: [text, good, { type: "image", mimeType: "image/png" }, { type: "image", data: "<svg>" }] })).toEqual({
      status: "ok",
      said: ["hi", "[image left out: it has no data]", "[image left out: its data is no Base64]"],
      content: [{ type: "image", data: good.data, mediaType: "image/png" }],
    });
    expect(await blocks({ content: [{ type: "image", data: 7 }, { type: "hologram" }], structuredContent: { answer: 42 } })).toEqual({
      status: "ok",
      said: ["[image left out: it has no data]", '[content of the kind "hologram" left out: it is not known]', "{", '  "answer": 42', "}"],
      content: [],
      data: { answer: 42 },
    });
    const large = await blocks({ content: [text, { type: "image", characters: 8_000_004 }] });
    expect(large.said).toEqual(["hi", "[image left out: its 8000004 characters are more than 8000000]"]);
  });

  it("a message over the limit ends the server with an error that names both, before it fills the memory", async () => {
    const { engine } = await engineWith({ plain: server(), other: server() });
    const session = await engine.openSession();
    const flood = (characters: number) => session.call("mcp__plain__flood", { characters });
    expect(await flood(1_000_000)).toMatchObject({ status: "ok" });
    expect((await flood(60_000_000)).error).toMatchObject({
      code: "tool_error",
      message: "The MCP server 'plain' failed: it sent a message of more than 16 MB, the limit of one message.",
      details: { reason: "too_long", server: "plain" },
    });
    expect(await session.call("mcp__other__echo", { text: "x" })).toMatchObject({ status: "ok" });
    expect(await session.call("mcp__plain__echo", { text: "again" })).toMatchObject({ status: "ok" });
  });

  it("one tool with a bad schema hides no other, and stray lines hurt nothing", async () => {
    const { engine } = await engineWith({ odd: server("bad-tools"), loud: server("noisy") });
    const session = await engine.openSession();
    expect(await session.call("mcp__odd__echo", { text: "x" })).toMatchObject({ status: "ok" });
    expect(engine.tools().map(({ name }) => name)).toEqual(expect.arrayContaining(["mcp__odd__odd", "mcp__odd__no_schema"]));
    expect(await session.call("mcp__loud__echo", { text: "x" })).toMatchObject({ status: "ok" });
  });

  it("a server gets PATH, HOME, LANG, TERM and its own variables, filled in, and nothing else", async () => {
    const secret = ["s3cr3t", "value", "of", "ours"].join("-");
    const env = { PATH: process.env.PATH ?? "", HOME: "/nowhere", LANG: "C", TERM: "dumb", OUTER: "outer", OTHER: "no" };
    const { engine } = await engineWith(
      {
        plain: {
          command: process.execPath,
          args: [program, "good", "/dev/null", "${OUTER}", "${UNSET:-fallback}"],
          env: { TOKEN: "$KARYI{PLAIN_TOKEN}", FROM: "${OUTER}!" },
        },
        lacking: { command: process.execPath, args: [program, "${UNSET}"] },
      },
      { env },
    );
    await engine.vault.set({ name: "PLAIN_TOKEN", value: secret, scope: "global" }, { workspace: engine.workspace, sessionId: "" });
    const session = await engine.openSession();
    const { output } = await session.call("mcp__plain__env", {});
    expect(output).not.toContain(secret);
    const told = JSON.parse(output.split("\n")[1] ?? "{}");
    expect(told).toEqual({
      env: { PATH: env.PATH, HOME: "/nowhere", LANG: "C", TERM: "dumb", TOKEN: "$KARYI{PLAIN_TOKEN}", FROM: "outer!" },
      args: ["good", "/dev/null", "outer", "fallback"],
    });
    await expect(engine.servers?.learn("lacking")).rejects.toMatchObject({ message: expect.stringContaining("UNSET") });
  });

  it("resources are listed and read", async () => {
    const { engine } = await engineWith({ plain: server(), dead: { command: "no-such-program-of-karyi" } });
    const session = await engine.openSession();
    const listed = await session.call("ListMcpResources", {});
    expect(listed.data).toEqual({ resources: [{ server: "plain", uri: "plain://one", name: "one", mimeType: "text/plain" }] });
    expect(listed.output).toContain("'dead'");
    const read = await session.call("ReadMcpResource", { server: "plain", uri: "plain://one" });
    expect(read.output).toContain("content of plain://one");
    expect(await session.call("ReadMcpResource", { server: "nobody", uri: "x" })).toMatchObject({ error: { code: "tool_not_found" } });
  });

  it("a server that hears nothing ends with the engine all the same", async () => {
    const log = join(await temporaryDirectory(), "log");
    const { engine } = await engineWith({ deaf: { command: process.execPath, args: [program, "deaf", log] } });
    await (await engine.openSession()).call("mcp__deaf__echo", { text: "x" });
    const pid = Number(/start (\d+)/.exec(await readFile(log, "utf8"))?.[1]);
    await engine.close();
    expect(() => process.kill(pid, 0)).toThrow();
  });
});

describe("karyi mcp add, list, test, remove", () => {
  it("adds, lists without starting, tests, remembers for other commands, removes", async () => {
    const [home, workspace] = [await temporaryDirectory(), await temporaryDirectory()];
    const log = join(workspace, "log");
    const at = ["--home", home, "--workspace", workspace, "--json"];
    const run = async (...args: string[]) => {
      const { code, stdout } = await karyi(args);
      return { code, told: JSON.parse(stdout) };
    };
    expect((await run("mcp", "add", "plain", ...at, "--", process.execPath, program, "good", log)).code).toBe(0);
    expect((await run("mcp", "add", "far", "--url", "http://127.0.0.1:9/mcp", "--header", "X-Key: abc", ...at)).code).toBe(0);
    expect((await run("mcp", "add", "a__b", "--url", "http://127.0.0.1:9/mcp", ...at)).code).toBe(2);
    expect(await run("mcp", "list", ...at)).toEqual({
      code: 0,
      told: {
        servers: [
          { name: "plain", transport: "stdio", source: "home", trusted: true },
          { name: "far", transport: "http", source: "home", trusted: true },
        ],
      },
    });
    expect(existsSync(log)).toBe(false);
    const tested = await run("mcp", "test", "plain", ...at);
    expect(tested).toMatchObject({ code: 0, told: { name: "plain", ok: true, tools: expect.arrayContaining(["mcp__plain__echo"]) } });
    expect(await run("mcp", "test", "far", ...at)).toMatchObject({
      code: 1,
      told: { name: "far", ok: false, tools: [], error: expect.stringContaining("far") },
    });
    const starts = (await readFile(log, "utf8")).match(/start/g)?.length;
    expect((await karyi(["tools", "show", "mcp__plain__echo", ...at])).stdout).toContain("Says the text back");
    expect((await readFile(log, "utf8")).match(/start/g)?.length).toBe(starts);
    expect((await run("call", "mcp__plain__echo", '{"text":"x"}', "--approve", "yes", ...at)).told).toMatchObject({ status: "ok" });
    expect((await run("mcp", "remove", "plain", ...at)).code).toBe(0);
    expect((await run("mcp", "remove", "plain", ...at)).code).toBe(1);
  });

  it("a project's .mcp.json counts after trust, as it was then", async () => {
    const [home, workspace] = [await temporaryDirectory(), await temporaryDirectory()];
    const at = ["--home", home, "--workspace", workspace, "--json"];
    const path = join(workspace, ".mcp.json");
    await writeFile(path, JSON.stringify({ mcpServers: { plain: server() } }));
    const trusted = async () => JSON.parse((await karyi(["mcp", "list", ...at])).stdout).servers;
    expect(await trusted()).toEqual([{ name: "plain", transport: "stdio", source: "project", trusted: false }]);
    expect((await karyi(["mcp", "test", "plain", ...at])).code).toBe(1);
    expect((await karyi(["config", "trust", ...at])).code).toBe(0);
    expect((await karyi(["mcp", "test", "plain", ...at])).code).toBe(0);
    await writeFile(path, JSON.stringify({ mcpServers: { plain: server("good", { env: { X: "1" } }) } }));
    expect(await trusted()).toMatchObject([{ trusted: false }]);
  });
});
