/** A server whose config says `confined`: what it reaches, and that it ends with the engine. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { outsideDirectory, testEngine } from "./support/engine.ts";

const program = join(import.meta.dirname, "support/mcp-server.mjs");
const hasNetwork = Object.keys(networkInterfaces()).some((name) => name !== "lo");

async function reached(settings: object) {
  const home = await outsideDirectory();
  const workspace = await outsideDirectory();
  const outside = await outsideDirectory();
  const servers = { plain: { command: process.execPath, args: [program, "good"], env: { MINE: "yes" }, ...settings } };
  await writeFile(join(home, "config.json"), JSON.stringify({ mcpServers: servers }));
  await mkdir(join(workspace, "sub"));
  await writeFile(join(workspace, "seen.txt"), "seen");
  await writeFile(join(workspace, ".env"), "TOKEN=hidden");
  const { engine } = await testEngine({ home, workspace });
  const session = await engine.openSession();
  const input = {
    read: ["seen.txt", ".env", "config.json"].map((name, index) => join(index === 2 ? home : workspace, name)),
    write: [join(workspace, "sub/made.txt"), join(outside, "made.txt"), join(home, "made.txt")],
  };
  const { status, output, error } = await session.call("mcp__plain__reach", input);
  const told = status === "ok" ? JSON.parse(output.split("\n")[1] ?? "") : undefined;
  const env = JSON.parse((await session.call("mcp__plain__env", {})).output.split("\n")[1] ?? "{}").env;
  await engine.close();
  return {
    told,
    error,
    env,
    workspace,
    made: [join(workspace, "sub/made.txt"), join(outside, "made.txt")].map((path) => existsSync(path)),
  };
}

it("without `confined` a server reaches what the person reaches", async () => {
  const { told, made } = await reached({});
  expect(told.read.slice(0, 2)).toEqual(["seen", "TOKEN=hidden"]);
  expect(made).toEqual([true, true]);
});

it("a confined server writes the workspace alone, reads no secret and nothing of Karyi's, and does not start where that cannot be had", async () => {
  const { told, error, env, workspace, made } = await reached({ confined: true, network: "none" });
  if (told === undefined) {
    expect(error).toMatchObject({ code: "tool_error", details: { reason: "server_start" } });
    return;
  }
  expect(told.read[0]).toBe("seen");
  expect(told.read[1]).not.toBe("TOKEN=hidden");
  expect(told.read[2]).not.toContain("mcpServers");
  expect(told.write[0]).toBe("done");
  expect(made).toEqual([true, false]);
  expect(told).toMatchObject({ cwd: workspace, network: false });
  expect(env).toMatchObject({ MINE: "yes", PATH: process.env.PATH });
  expect(Object.keys(env)).not.toContain("KARYI_HOME");
});

it.skipIf(!hasNetwork)("a confined server keeps the network unless its config takes it (skipped where the machine has none)", async () => {
  const { told } = await reached({ confined: true });
  if (told !== undefined) expect(told.network).toBe(true);
});
