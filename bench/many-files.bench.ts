/** Commands that change many files, and their undo, against the bare command on a copy of the same tree. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { record } from "./measure.ts";
import { benchPlace, smoke, succeeded, temporaryDirectory } from "./place.ts";

const mostMegabytes = 300;
const count = smoke ? 20 : 10_000;
const { session, workspace } = await benchPlace({ env: process.env, approve: async () => "once" });
const copies = temporaryDirectory();

const isCaptured = succeeded(await session.call("Bash", { command: "echo x > probe; rm probe; true" })).undoable !== undefined;
for (let index = 0; index < count; index++) {
  const directory = join(workspace, `d${index % 100}`);
  if (index < 100) mkdirSync(directory);
  writeFileSync(join(directory, `f${index}`), `old ${index}\n${"x".repeat(3000)}`);
}

/** A file whose blocks are on disk costs more to remove than one that only the kernel has; both trees begin on disk. */
function toDisk(): void {
  execFileSync("sync", ["-f", workspace]);
}

/** Of the same tree, by hand. */
function bare(command: string): number {
  execFileSync("cp", ["-a", workspace, join(copies, "tree")]);
  toDisk();
  const begin = performance.now();
  execFileSync("bash", ["-c", command], { cwd: join(copies, "tree") });
  const took = performance.now() - begin;
  execFileSync("rm", ["-rf", join(copies, "tree")]);
  return took;
}

interface Asked {
  readonly name: string;
  readonly command: string;
  readonly bound: number;
}

const asked: readonly Asked[] = [
  { name: "changed files", command: "find . -type f -print0 | xargs -0 sed -i s/old/new/", bound: 3 },
  { name: "removed files", command: "rm -rf d*", bound: 6 },
  { name: "new files", command: `mkdir new; for i in $(seq ${count}); do echo $i > new/f$i; done`, bound: 3 },
];

/** The same command in an overlay that does nothing else, and then by hand; `undefined` where none can be mounted. */
function inBareOverlay(command: string): number | undefined {
  const place = join(copies, "overlay");
  for (const name of ["upper", "work", "merged"]) mkdirSync(join(place, name), { recursive: true });
  const options = `lowerdir=${workspace},upperdir=${join(place, "upper")},workdir=${join(place, "work")}`;
  const script = 'mount -t overlay overlay -o "$1" "$2" && cd "$2" && eval "$3"';
  const begin = performance.now();
  const { status } = spawnSync("unshare", ["-rm", "sh", "-c", script, "sh", options, join(place, "merged"), command]);
  const took = performance.now() - begin;
  execFileSync("rm", ["-rf", place]);
  return status === 0 ? took + bare(command) : undefined;
}

describe.skipIf(!isCaptured)("commands that change many files", () => {
  for (const { name, command, bound } of asked) {
    it(`${count} ${name}: at most ${bound} times the bare command, and undo at most twice that`, { timeout: 600_000 }, async () => {
      const limitMs = bare(command);
      toDisk();
      const begin = performance.now();
      succeeded(await session.call("Bash", { command, timeout: 600_000 }));
      const oursMs = performance.now() - begin;
      const back = performance.now();
      succeeded(await session.undo({ last: 1 }));
      const undoMs = performance.now() - back;
      record({ name: `many files: ${name} over the bare command`, limitMs, oursMs, ratio: oursMs / limitMs, bound });
      record({ name: `many files: undo of ${name} over the run`, limitMs: oursMs, oursMs: undoMs, ratio: undoMs / oursMs, bound: 2 });
      if (smoke) return;
      expect([oursMs / limitMs <= bound, undoMs / oursMs <= 2]).toEqual([true, true]);
    });
  }

  it(`${count} changed modes: at most 1.5 times the same in a bare overlay and by hand`, { timeout: 600_000 }, async ({ skip }) => {
    const command = "chmod -R g-r .";
    const limitMs = inBareOverlay(command);
    if (limitMs === undefined) return skip("no overlay can be mounted by hand here");
    toDisk();
    const begin = performance.now();
    succeeded(await session.call("Bash", { command, timeout: 600_000 }));
    const oursMs = performance.now() - begin;
    const back = performance.now();
    succeeded(await session.undo({ last: 1 }));
    const undoMs = performance.now() - back;
    record({ name: "many files: changed modes over a bare overlay and chmod", limitMs, oursMs, ratio: oursMs / limitMs, bound: 1.5 });
    record({ name: "many files: undo of changed modes over the run", limitMs: oursMs, oursMs: undoMs, ratio: undoMs / oursMs, bound: 2 });
    if (!smoke) expect([oursMs / limitMs <= 1.5, undoMs / oursMs <= 2]).toEqual([true, true]);
  });

  const many = smoke ? 100 : 100_000;
  it(`${many} changes and their undo: at most 300 MB`, { timeout: 1_200_000 }, ({ skip }) => {
    const program = join(import.meta.dirname, "many-files.child.mjs");
    const { status, stdout } = spawnSync(process.execPath, [program, temporaryDirectory(), String(many)], { encoding: "utf8" });
    if (status !== 0) return skip("the child could not measure itself here");
    const { run, undo } = JSON.parse(stdout) as { readonly run: number; readonly undo: number };
    for (const [name, megabytes] of Object.entries({ run, undo }))
      record({
        name: `many files: highest memory of ${name === "run" ? "a command with" : "the undo of"} 100,000 changes against 300 MB`,
        limitMs: mostMegabytes,
        oursMs: megabytes,
        ratio: megabytes / mostMegabytes,
        bound: 1,
        target: "figures in MB",
      });
    if (!smoke) expect([run <= mostMegabytes, undo <= mostMegabytes]).toEqual([true, true]);
  });
});
