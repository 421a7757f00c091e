/** What the config demands of the sandbox and a run will not have, a tier or a closed network: refused, with what to do, before anything starts. */
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ShellRequest } from "../../contract/index.ts";
import { capturingHere, makeWorld, type World } from "../sandbox/fixtures/world.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { ProcessRoom, type ProcessRoomOptions } from "./create-processes.ts";

const [best] = await capturingHere();
const why = best === undefined ? " (skipped: no overlay here)" : "";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function opened(options: ProcessRoomOptions) {
  const world: World = makeWorld({ seed: "" });
  const room = new ProcessRoom({ PATH: process.env.PATH }, { sandbox: world.sandbox, ...options });
  const tasks = new BackgroundTasks(1, () => {});
  ends.push(
    () => world.close(),
    () => room.close(),
  );
  const request: ShellRequest = {
    command: "echo x > made",
    cwd: world.workspace,
    env: {},
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onOutput: () => {},
  };
  return { tasks, request, processes: room.processes(tasks, undefined, [world.workspace]), made: join(world.workspace, "made") };
}

const refusal = (required: string, tier: string) => ({
  code: "tool_disabled",
  hint: expect.stringContaining("sandbox.require"),
  details: { reason: "tier_missing", required, tier },
});

describe.skipIf(best === undefined)(`a demanded tier${why}`, () => {
  it.each(["E1", "E2", "E2u", "E3"] as const)("%s is not had by a command while capture is off", async (require) => {
    const { processes, request, made } = opened({ require, capture: "off" });
    // What the machine itself lacks is said first.
    const refused = processes.run({ ...request, callId: "call" });
    await expect(refused).rejects.toMatchObject({ code: "tool_disabled", details: { reason: "tier_missing", required: require } });
    expect(existsSync(made)).toBe(false);
  });

  it("says what is in the way where the machine would have it", async () => {
    const { processes, request } = opened({ require: "E3", capture: "off" });
    await expect(processes.run({ ...request, callId: "call" })).rejects.toMatchObject({
      ...refusal("E3", "E5"),
      hint: "Set sandbox.capture to auto, or lower sandbox.require in the config.",
    });
  });

  it("is had by a command that only reads, too", async () => {
    const { processes, request } = opened({ require: "E3" });
    expect(await processes.run({ ...request, command: "true" })).toMatchObject({ exitCode: 0, tier: best });
  });

  it("that captures is not had by a background command, which is only confined", async () => {
    const { processes, request, made, tasks } = opened({ require: "E2u" });
    await expect(processes.background(request, "made")).rejects.toMatchObject(refusal("E2u", "E3"));
    expect([existsSync(made), tasks.list()]).toEqual([false, []]);
  });

  it("E3 is had by a background command", async () => {
    const { processes, request, made, tasks } = opened({ require: "E3" });
    const { id } = await processes.background(request, "made");
    await tasks.output(id, 0, 20_000, new AbortController().signal);
    expect([tasks.get(id)?.status, existsSync(made)]).toEqual(["done", true]);
  });
});

describe.skipIf(best === undefined)(`a demanded tier and a dry run${why}`, () => {
  it("a dry run has it too, or does not run", async () => {
    const { processes, request } = opened({ require: "E1" });
    const dry = processes.rehearse(request, "none");
    if (best === "E0" || best === "E1") expect(await dry).toMatchObject({ exitCode: 0 });
    else await expect(dry).rejects.toMatchObject(refusal("E1", best ?? ""));
  });
});

describe.skipIf(best === undefined)(`a network that the config closes${why}`, () => {
  const closed = { network: "none", demandNetwork: true } as const;

  it("is closed to captured commands and to those in the background", async () => {
    const { processes, request, tasks } = opened(closed);
    const server = createServer((connection) => connection.destroy());
    ends.push(() => void server.close());
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const { port } = server.address() as AddressInfo;
    const command = `(echo > /dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo open || echo closed`;
    const said: string[] = [];
    const onOutput = (_: string, chunk: Uint8Array) => void said.push(Buffer.from(chunk).toString());
    await processes.run({ ...request, command, callId: "call", onOutput });
    expect(said.join("")).toBe("closed\n");
    const { id } = await processes.background({ ...request, command }, "made");
    await tasks.output(id, 0, 20_000, new AbortController().signal);
    expect(await tasks.output(id, 0, 0, new AbortController().signal)).toMatchObject({ text: "closed\n" });
  });

  it("is not left open where capture is off: nothing runs", async () => {
    const { processes, request, made } = opened({ ...closed, capture: "off" });
    await expect(processes.run({ ...request, callId: "call" })).rejects.toMatchObject({
      code: "tool_disabled",
      hint: "Set sandbox.capture to auto, or set sandbox.network to on in the config.",
      details: { reason: "network_open", network: "none" },
    });
    expect(existsSync(made)).toBe(false);
  });
});
