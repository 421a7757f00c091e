/** Settings that cannot be ignored: what is not understood is an error at once, with the nearest right form. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine, defineTool } from "../src/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const karyi = join(import.meta.dirname, "../bin/karyi.js");

function command(home: string, workspace: string, ...words: string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [karyi, ...words, "--home", home, "--workspace", workspace], (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, text: out + err }),
    );
  });
}

const bad: readonly [string, string][] = [
  ["read(src/**)", "did you mean Read(src/**)?"],
  ["BASH(git status *)", "did you mean Bash(git status *)?"],
  ["Raed(src/**)", "did you mean Read(src/**)?"],
  ["Bash(git status", 'the ")" at the end is missing'],
  ["mcp_github__list_*", "did you mean mcp__github__list_*?"],
  ["MCP__github", "did you mean mcp__github?"],
  ["git status *", "write Bash(git status *)"],
];

describe("rules", () => {
  for (const [rule, words] of bad) {
    it(`createEngine refuses ${rule} with the nearest right form`, async () => {
      const config = { permissions: { deny: [rule] } };
      await expect(testEngine({ config })).rejects.toThrow(words);
    });
  }

  it("names by form are known: MCP servers and plugins may not be connected", async () => {
    const { engine } = await testEngine({ config: { permissions: { allow: ["mcp__github__*", "tools:lint", "tools__lint"] } } });
    expect(engine.config.effective.rules.allow).toHaveLength(3);
  });

  it("a rule about a tool that only a library adds is an error in the engine that lacks it", async () => {
    const tool = defineTool({ name: "Weather", description: "Tells.", input: z.object({}), run: () => ({ output: "" }) });
    const config = { permissions: { allow: ["Weather"] } };
    await expect(testEngine({ config })).rejects.toThrow("names no tool that exists");
    await expect(testEngine({ config, tools: [tool] })).resolves.toBeDefined();
    await expect(testEngine({ config, unknownTools: "warn" })).resolves.toBeDefined();
  });

  it("config set refuses a rule and a key that are not understood, and writes nothing", async () => {
    const [home, workspace] = [await temporaryDirectory(), await temporaryDirectory()];
    const rule = await command(home, workspace, "config", "set", "permissions.deny", '["raed(x)"]');
    const key = await command(home, workspace, "config", "set", "permisions.deny", "[]");
    expect([rule.code !== 0, rule.text.includes("Read(x)")]).toEqual([true, true]);
    expect([key.code !== 0, key.text.includes("did you mean 'permissions'")]).toEqual([true, true]);
    expect((await command(home, workspace, "config", "get", "permissions.deny")).text.trim()).toBe("[]");
  });

  it("doctor and start name the rule", async () => {
    const [home, workspace] = [await temporaryDirectory(), await temporaryDirectory()];
    writeFileSync(join(home, "config.json"), JSON.stringify({ permissions: { deny: ["Reda(x)"] } }));
    const doctor = await command(home, workspace, "doctor");
    const call = await command(home, workspace, "call", "List", '{"path":"."}');
    expect([doctor.text.includes("Read(x)"), call.code !== 0, call.text.includes("Read(x)")]).toEqual([true, true, true]);
  });
});

describe("keys", () => {
  it("an unknown key of the config option is an error with the nearest right form", async () => {
    const config = { permissions: { dney: [] } } as object;
    await expect(createEngine({ workspace: await temporaryDirectory(), home: await temporaryDirectory(), config })).rejects.toThrow(
      "did you mean 'permissions.deny'?",
    );
  });

  it("a mode or a durability of the environment that does not exist is an error, not ignored", async () => {
    const places = { workspace: await temporaryDirectory(), home: await temporaryDirectory() };
    await expect(createEngine({ ...places, env: { KARYI_MODE: "pln" } })).rejects.toThrow("KARYI_MODE");
    await expect(createEngine({ ...places, env: { KARYI_MODE: "plan", KARYI_DURABILITY: "much" } })).rejects.toThrow("durability");
  });

  it("a project's file with an unknown key or a bad rule cannot be trusted", async () => {
    const [home, workspace] = [await temporaryDirectory(), await temporaryDirectory()];
    mkdirSync(join(workspace, ".karyi"));
    for (const [project, words] of [
      [{ nonsense: 1 }, "unknown key 'nonsense'"],
      [{ permissions: { deny: ["Raed(x)"] } }, "did you mean Read(x)?"],
    ] as const) {
      writeFileSync(join(workspace, ".karyi/config.json"), JSON.stringify(project));
      const { code, text } = await command(home, workspace, "config", "trust");
      expect([code !== 0, text.includes(words)]).toEqual([true, true]);
      expect((await command(home, workspace, "call", "List", '{"path":"."}')).code).toBe(0);
    }
  });

  it("of an untrusted project's file with an unknown key the deny and ask rules hold, the rest does not, with a warning", async () => {
    const workspace = await temporaryDirectory();
    mkdirSync(join(workspace, ".karyi"));
    const project = { mode: "plan", nonsense: 1, permissions: { deny: ["Read(private/**)"], allow: ["Bash(*)"] } };
    writeFileSync(join(workspace, ".karyi/config.json"), JSON.stringify(project));
    const warnings: string[] = [];
    const { engine } = await testEngine({ workspace, log: (message) => warnings.push(message) });
    expect(engine.config.effective).toMatchObject({ mode: "default", rules: { allow: [], deny: ["Read(private/**)"] } });
    expect(warnings.join(" ")).toContain("unknown key 'nonsense'");
  });
});
