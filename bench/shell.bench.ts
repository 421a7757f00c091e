/** What the Bash tool adds to a command: to one that does nothing, to one that prints much, and to judging it. */
import { spawn } from "node:child_process";
import { parse } from "unbash";
import { expect, it } from "vitest";
import { defaultTraits, type Effect, type PolicyWorld, type RunContext, type ShellRequest, type Tool } from "../src/contract/index.ts";
import { ProcessRoom } from "../src/host/index.ts";
import { decide, factsFromText } from "../src/policy/index.ts";
import { analyzeCommand, type DraftEffect } from "../src/shell/index.ts";
import { bash } from "../src/tools/shell/index.ts";
import { bareWrite } from "./bare-write.ts";
import { type Answer, measure, question, record } from "./measure.ts";
import { benchPlace, smoke, succeeded } from "./place.ts";
import { shellCommands } from "./shell-commands.ts";

const room = new ProcessRoom(process.env, { plain: true });

/** The tool as it is, on a plain process group: what a namespace costs is the machine's, not the tool's. */
const plainBash: Tool = {
  ...bash,
  name: "PlainBash",
  aliases: [],
  run(input: unknown, context: RunContext) {
    return bash.run(input, { ...context, processes: { ...context.processes, run: (request: ShellRequest) => room.run(request) } });
  },
};

const { session, workspace } = await benchPlace({ tools: [plainBash], env: process.env, approve: async () => "once" });
const bare = bareWrite();
const call = (command: string) => async () => void succeeded(await session.call("PlainBash", { command }));

question({
  name: "shell: `Bash true` in a process group over a spawn and two commits",
  limit: () => bare.around('{"command":"true"}', () => drained("true")),
  ours: call("true"),
  bound: 1.15,
  pairs: 51,
});

question({
  name: "shell: `seq 1 200000` over draining the same pipe",
  limit: () => drained("seq 1 200000"),
  ours: call("seq 1 200000"),
  bound: 1.3,
  pairs: 31,
});

const world: PolicyWorld = {
  workspace: "/repo",
  roots: ["/repo"],
  temporary: [],
  userHome: "/home/u",
  karyiHome: "/home/u/.karyi",
  readableSystemPaths: [],
  allowedDomains: [],
  platform: "posix",
  caseInsensitive: false,
  sandboxed: false,
};
const shellWorld = {
  cwd: "/repo",
  userHome: "/home/u",
  workspace: "/repo",
  env: { PATH: "/usr/bin:/bin", HOME: "/home/u" },
  which: (name: string) => `/usr/bin/${name}`,
  gitTrusted: true,
};

function effectOf(draft: DraftEffect): Effect {
  if (draft.kind !== "read" && draft.kind !== "write") return draft;
  return { ...draft, path: factsFromText(draft.path, { cwd: "/repo", platform: "posix" }) };
}

function judge(command: string): void {
  const { effects } = analyzeCommand(command, shellWorld);
  decide(
    { tool: "Bash", traits: defaultTraits, effects: effects.map(effectOf), mode: "default", rules: { allow: [], ask: [], deny: [] } },
    world,
  );
}

it("judging a command takes at most three times its bare parse, at the median", async () => {
  const answers: Answer[] = [];
  for (const command of shellCommands)
    answers.push(await measure({ name: command, limit: () => void parse(command), ours: () => judge(command), pairs: 15, repeat: 50 }));
  answers.sort((a, b) => a.ratio - b.ratio);
  const middle = answers[Math.floor(answers.length / 2)];
  if (middle === undefined) throw new Error("no commands");
  record({ ...middle, name: "shell: judging a command over its bare parse (median)", bound: 3, target: "300 µs" });
  if (!smoke) expect(middle.ratio).toBeLessThanOrEqual(3);
});

function drained(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", command], { cwd: workspace, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}
