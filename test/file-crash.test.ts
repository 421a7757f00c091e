/**
 * Processes that change files through the engine are killed with SIGKILL at random moments, half of them while a temporary
 * file is being written. Afterwards each file is old or new, and the next engine says what is known about the call in flight.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { watch } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { createEngine, type KaryiEngine } from "../src/index.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";

const kills = process.env.KARYI_FULL === "1" ? 200 : 12;
const files = ["a.txt", "b.txt", "c.txt"] as const;
const filling = "the quick brown fox jumps over the lazy dog\n".repeat(3000);
const whole = (mark: string): string => `<${mark}>\n${filling}`;

interface Said {
  readonly begins?: string;
  readonly kind?: "Write" | "Edit" | "MultiEdit";
  readonly mark?: string;
  readonly acknowledged?: string;
  readonly failed?: string;
  readonly output?: string;
}

interface Killed {
  readonly acknowledged: readonly string[];
  readonly inFlight: Required<Pick<Said, "begins" | "kind" | "mark">> | undefined;
}

/** The marks of the files as far as acknowledged calls made them. */
type Marks = Record<(typeof files)[number], string>;

const touches = (kind: Said["kind"]): readonly (typeof files)[number][] => (kind === "MultiEdit" ? files : ["a.txt"]);

async function runAndKill(workspace: string, home: string, round: number, marks: Marks): Promise<Killed> {
  const script = join(import.meta.dirname, "support/child-file-writer.mjs");
  const child = spawn(process.execPath, [script, workspace, home, `r${round}`, String(round)], { stdio: ["ignore", "pipe", "inherit"] });
  const after = 1 + Math.floor(Math.random() * 6);
  const begun: Said[] = [];
  const acknowledged: string[] = [];
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as Said;
    if (said.failed !== undefined) throw new Error(`${said.failed} failed: ${said.output}`);
    if (said.begins !== undefined) begun.push(said);
    if (said.begins !== undefined && begun.length === after) killAtSomeMoment(child, workspace, round);
    if (said.acknowledged !== undefined) {
      acknowledged.push(said.acknowledged);
      const { kind, mark = "" } = begun.find(({ begins }) => begins === said.acknowledged) ?? {};
      for (const file of touches(kind)) marks[file] = mark;
    }
  }
  await closed;
  const last = begun.at(-1);
  const open = last?.begins !== acknowledged.at(-1) ? last : undefined;
  return { acknowledged, inFlight: open as Killed["inFlight"] };
}

function killAtSomeMoment(child: ChildProcess, workspace: string, round: number): void {
  const kill = () => child.kill("SIGKILL");
  if (round % 2 === 0) {
    setTimeout(kill, Math.random() * 120);
    return;
  }
  // While the new content is on its way to the disk.
  const watcher = watch(workspace, (_event, name) => {
    if (name?.startsWith(".karyi-")) kill();
  });
  child.on("close", () => watcher.close());
}

async function contentOf(workspace: string): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(join(workspace, file), "utf8")] as const)));
}

/** What the next engine knows of the call in flight; afterwards the files are as acknowledged, or the call was finished. */
async function settle(
  engine: KaryiEngine,
  workspace: string,
  { inFlight }: Killed,
  marks: Marks,
): Promise<"none" | "not started" | "finished" | "unknown"> {
  if (inFlight === undefined) return "none";
  const { begins, kind, mark } = inFlight;
  const record = await engine.call(begins);
  const now = await contentOf(workspace);
  for (const file of files) {
    const allowed = touches(kind).includes(file) ? [whole(marks[file]), whole(mark)] : [whole(marks[file])];
    expect(allowed.includes(now[file] ?? ""), `${file} is old or new after ${begins}`).toBe(true);
  }
  const old = Object.fromEntries(files.map((file) => [file, whole(marks[file])]));
  if (record === undefined) {
    expect(now).toEqual(old);
    return "not started";
  }
  if (record.status === "success") {
    for (const file of touches(kind)) marks[file] = mark;
    expect(now).toEqual(Object.fromEntries(files.map((file) => [file, whole(marks[file])])));
    return "finished";
  }
  expect(record).toMatchObject({ phase: "settled", status: "failed", result: { status: "error" } });
  expect(["outcome_unknown", "taken_back_after_crash"]).toContain(record.result?.error?.details?.reason);
  const made = Object.fromEntries(files.map((file) => [file, whole(touches(kind).includes(file) ? mark : marks[file])]));
  expect([old, made], "all or nothing").toContainEqual(now);
  const session = await engine.openSession({ id: "crash" });
  if (record.result?.undoable === true) expect(await session.undo(begins)).toMatchObject({ status: "ok" });
  expect(await contentOf(workspace)).toEqual(old);
  return "unknown";
}

it(`after each of ${kills} kills every file is old or new, nothing acknowledged is lost, and undo still works`, {
  timeout: 600_000,
}, async () => {
  const workspace = await temporaryDirectory();
  const home = await temporaryDirectory();
  const marks: Marks = { "a.txt": "start", "b.txt": "start", "c.txt": "start" };
  for (const file of files) await writeFile(join(workspace, file), whole("start"));
  const outcomes: string[] = [];
  for (let round = 0; round < kills; round += 1) {
    const killed = await runAndKill(workspace, home, round, marks);
    const engine = await createEngine({ workspace, home, mode: "accept-edits" });
    try {
      for (const id of killed.acknowledged)
        expect(await engine.call(id)).toMatchObject({ status: "success", result: { status: "ok", undoable: true } });
      outcomes.push(await settle(engine, workspace, killed, marks));
    } finally {
      await engine.close();
    }
  }
  expect(outcomes).toContain("unknown");

  const engine = await createEngine({ workspace, home, mode: "accept-edits" });
  try {
    const session = await engine.openSession({ id: "crash" });
    expect(await session.undo({ last: 1_000_000 })).toMatchObject({ status: "ok" });
    expect(await contentOf(workspace)).toEqual(Object.fromEntries(files.map((file) => [file, whole("start")])));
    // What dead writers left is swept by the first write of the next process.
    const written = await karyi([
      "call",
      "Write",
      '{"file_path":"next.txt","content":""}',
      "--mode",
      "accept-edits",
      "--workspace",
      workspace,
      "--home",
      home,
    ]);
    expect(written.code).toBe(0);
    expect((await readdir(workspace)).sort()).toEqual([...files, "next.txt"]);
    expect((await engine.verifyAudit()).brokenAt).toBeUndefined();
  } finally {
    await engine.close();
  }
});
