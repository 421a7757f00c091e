/** Children of a process that is killed, and what a child's requests begin with. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { karyi } from "./support/command.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const bin = resolve(import.meta.dirname, "../bin/karyi.js");

it("after kill -9 the call that waited has an unknown outcome, and every start has its end", async () => {
  const [workspace, home, scripts] = [await temporaryDirectory(), await temporaryDirectory(), await temporaryDirectory()];
  const flags = ["--workspace", workspace, "--home", home, "--session", "k", "--events"];
  const child = join(scripts, "child.json");
  const parent = join(scripts, "parent.json");
  await writeFile(child, JSON.stringify([{ text: "never", delay_ms: 600_000 }]));
  await writeFile(
    parent,
    JSON.stringify([{ calls: [{ name: "Agent", input: { prompt: "x", model: `scripted/${child}` } }] }, { text: "after" }]),
  );
  const killed = spawn(process.execPath, [bin, "run", "go", "--model", `scripted/${parent}`, ...flags], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let told = "";
  for await (const chunk of killed.stdout) {
    told += chunk;
    if (told.includes('"type":"subagent_event"')) break;
  }
  killed.kill("SIGKILL");
  if (killed.exitCode === null && killed.signalCode === null) await once(killed, "exit");
  const resumed = await karyi(["run", "--resume", ...flags]);
  expect(resumed.code).toBe(0);
  const events = resumed.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "done", text: "after", rounds: 2 });
  expect(events.filter(({ type }) => type === "subagent_end")).toMatchObject([{ subagent_id: "agent_1", status: "cancelled" }]);
});

it("with its parent's model a child has its parent's tools, byte for byte, whatever its agent", async () => {
  const { engine } = await testEngine();
  const scripts = await temporaryDirectory();
  const script = join(scripts, "both.json");
  await writeFile(script, JSON.stringify([{ calls: [{ name: "Agent", input: { prompt: "x", agent: "crawl" } }] }, { text: "done" }]));
  const session = await engine.openSession();
  for await (const _ of session.run({ prompt: "go", model: `scripted/${script}` }));
  const [child] = await session.agents.list();
  const toolsOf = async (id: string) => {
    const begin = (await engine.store.runs.steps(id)).find(({ name }) => name === "begin");
    return JSON.stringify(((begin?.output ?? {}) as { readonly tools?: unknown }).tools ?? []);
  };
  const own = await toolsOf(session.id);
  expect(own.length).toBeGreaterThan(1000);
  expect(await toolsOf(child?.sessionId ?? "")).toBe(own);
});
