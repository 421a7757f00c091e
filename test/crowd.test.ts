/** Many processes with a session each, on the same files, with captured commands among the edits: every acknowledged change is there once. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { temporaryDirectory } from "./support/engine.ts";

const full = process.env.KARYI_FULL === "1";
const [processes, ms, files] = full ? [20, 300_000, 6] : [6, 3_000, 3];
const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";
const run = promisify(execFile);

interface Said {
  readonly acknowledged: readonly { readonly mark: string; readonly files: string }[];
  readonly refusals: Readonly<Record<string, number>>;
}

it.skipIf(!holds)(`${processes} processes lose no acknowledged change of each other${why}`, { timeout: ms * 4 + 120_000 }, async () => {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  const names = Array.from({ length: files }, (_, index) => `f${index}.txt`);
  for (const name of names) writeFileSync(join(workspace, name), "end\n");
  const words = [join(import.meta.dirname, "crowd.child.mjs"), workspace, home];
  const said = await Promise.all(
    Array.from({ length: processes }, async (_, index): Promise<Said> => {
      const { stdout } = await run(process.execPath, [...words, `p${index}`, String(ms), String(files)], { maxBuffer: 1 << 28 });
      return JSON.parse(stdout) as Said;
    }),
  );
  const acknowledged = said.flatMap((one) => one.acknowledged);
  const wanted = names.map((name) => acknowledged.filter((one) => one.files === "all" || one.files === name).map(({ mark }) => mark));
  const found = names.map((name) => readFileSync(join(workspace, name), "utf8").split("\n").slice(0, -2));
  expect(found.map((lines) => [...lines].sort())).toEqual(wanted.map((marks) => [...marks].sort()));
  expect(readdirSync(workspace).sort()).toEqual([...names].sort());
  // A crowd in which nobody got through would prove nothing.
  expect(acknowledged.some((one) => one.files === "all") && acknowledged.some((one) => one.files !== "all")).toBe(true);
  // Whoever was refused was told that somebody was faster.
  const reasons = new Set(said.flatMap(({ refusals }) => Object.keys(refusals)));
  for (const reason of reasons) expect(["stale_file", "workspace_changed", "path_changed"]).toContain(reason);
});
