/**
 * Judges every command of the set and parses it bare, in a process of its own, and prints what that took. A test runner
 * puts a detour before every function of ours that crosses a file and none before the parser's; a user's process has neither.
 */
import { readFileSync } from "node:fs";
import { parse } from "unbash";
import { defaultTraits, type Effect } from "../src/contract/index.ts";
import { decide, factsFromText } from "../src/policy/index.ts";
import { noRules, worldOf } from "../src/policy/test-world.ts";
import { analyzeCommand, type DraftEffect } from "../src/shell/index.ts";
import { shellCommands } from "./shell-commands.ts";

/** Of the command in the middle. */
interface Judging {
  readonly ratio: number;
  readonly oursMs: number;
  readonly limitMs: number;
}

/** The cases that the policy is tried with, and commands as agents send them all day. */
export interface JudgingOfSets {
  readonly corpus: Judging;
  readonly everyday: Judging;
}

const smoke = process.env.KARYI_BENCH_SMOKE === "1";
/** Until everything has been compiled: ours is more code than the parser. */
const warmUps = smoke ? 1 : 1500;
const pairs = smoke ? 1 : 15;
const repeat = smoke ? 1 : 50;

const world = worldOf();
const textWorld = { cwd: "/repo", platform: "posix" } as const;
const places = new Map<string, string>();

/** Where a program lies is the host's to find out, and no part of judging. */
function which(name: string): string {
  const found = places.get(name) ?? `/usr/bin/${name}`;
  if (!places.has(name)) places.set(name, found);
  return found;
}

const shellWorld = {
  cwd: "/repo",
  userHome: "/home/u",
  workspace: "/repo",
  env: { PATH: "/usr/bin:/bin", HOME: "/home/u" },
  which,
  gitTrusted: true,
};

function effectOf(draft: DraftEffect): Effect {
  if (draft.kind !== "read" && draft.kind !== "write") return draft;
  return { ...draft, path: factsFromText(draft.path, textWorld) };
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

function ofAll(commands: readonly string[]): Judging {
  for (let round = 0; round < warmUps; round += 1) {
    for (const command of commands) {
      parse(command);
      judge(command);
    }
  }
  return middle(commands.map(measure), ({ ratio }) => ratio);
}

const cases = readFileSync(new URL("../src/shell/fixtures/corpus.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const corpus = cases.map((line) => (JSON.parse(line) as { readonly command: string }).command);
const answers: JudgingOfSets = { corpus: ofAll(corpus), everyday: ofAll(shellCommands) };
process.stdout.write(`${JSON.stringify(answers)}\n`);
