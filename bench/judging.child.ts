/**
 * Judges every command of the set and parses it bare, in a process of its own, and prints what that took. A test runner
 * puts a detour before every function of ours that crosses a file and none before the parser's; a user's process has neither.
 */
import { parse } from "unbash";
import { defaultTraits, type Effect } from "../src/contract/index.ts";
import { decide, factsFromText } from "../src/policy/index.ts";
import { noRules, worldOf } from "../src/policy/test-world.ts";
import { analyzeCommand, type DraftEffect } from "../src/shell/index.ts";
import { shellCommands } from "./shell-commands.ts";

/** Of the command in the middle. */
export interface Judging {
  readonly ratio: number;
  readonly oursMs: number;
  readonly limitMs: number;
}

const smoke = process.env.KARYI_BENCH_SMOKE === "1";
const warmUps = smoke ? 1 : 300;
const pairs = smoke ? 1 : 15;
const repeat = smoke ? 1 : 50;

const world = worldOf();
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
  decide({ tool: "Bash", traits: defaultTraits, effects: effects.map(effectOf), mode: "default", rules: noRules }, world);
}

function timed(work: (command: string) => void, command: string): number {
  const started = performance.now();
  for (let index = 0; index < repeat; index += 1) work(command);
  return (performance.now() - started) / repeat;
}

function middle<T>(values: readonly T[], of: (value: T) => number): T {
  const found = [...values].sort((a, b) => of(a) - of(b))[Math.floor(values.length / 2)];
  if (found === undefined) throw new Error("nothing was measured");
  return found;
}

function measure(command: string): Judging {
  const limits: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < pairs; round += 1) {
    // The order alternates, so that neither side always runs in the other's wake.
    if (round % 2 === 0) limits.push(timed(parse, command));
    ours.push(timed(judge, command));
    if (round % 2 === 1) limits.push(timed(parse, command));
  }
  const limitMs = middle(limits, (value) => value);
  const oursMs = middle(ours, (value) => value);
  return { ratio: oursMs / limitMs, oursMs, limitMs };
}

for (let round = 0; round < warmUps; round += 1) {
  for (const command of shellCommands) {
    parse(command);
    judge(command);
  }
}
const answer = middle(shellCommands.map(measure), ({ ratio }) => ratio);
process.stdout.write(`${JSON.stringify(answer)}\n`);
