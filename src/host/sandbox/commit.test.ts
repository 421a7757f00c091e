/** A commit and somebody who writes between its last look and its change. */
import { existsSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createBlobs } from "../files/blobs.ts";
import { createImages } from "../files/images.ts";
import { commitChanges } from "./commit.ts";
import { treeOf } from "./fixtures/world.ts";
import { readUpper } from "./read-upper.ts";

async function captured(more = 0, durable = false, linked = false) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "karyi-commit-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, upper, run] = [join(base, "root"), join(base, "upper"), join(base, "run")];
  for (const directory of [root, upper, run]) mkdirSync(directory);
  for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), `old ${name}`);
  for (const name of ["a", "b", "c", "new"]) writeFileSync(join(upper, name), `changed ${name}`);
  for (let index = 0; index < more; index++) writeFileSync(join(upper, `more${index}`), "more");
  if (linked) for (const name of ["a", "new"]) linkSync(join(upper, name), join(upper, `${name}-twin`));
  const images = createImages(createBlobs(join(base, "blobs"), { fsync: false }), { fsync: false });
  const roots = [await readUpper(root, upper, Date.now() + 1000)];
  const locked: string[] = [];
  const commit = (meanwhile: () => void) =>
    commitChanges(run, roots, {
      images,
      durable,
      lock: async (paths) => void locked.push(...paths),
      // The last look was before the journal is written.
      journal: async () => meanwhile(),
    });
  return { base, root, commit, locked };
}

it("a file that somebody replaces after the last look is kept, and what was applied is taken back", async () => {
  const { root, commit } = await captured();
  const before = treeOf(root);
  await expect(commit(() => writeFileSync(join(root, "c"), "theirs"))).rejects.toMatchObject({
    code: "tool_conflict",
    unchanged: true,
    details: { reason: "workspace_changed", paths: [join(root, "c")] },
  });
  expect(readFileSync(join(root, "c"), "utf8")).toBe("theirs");
  writeFileSync(join(root, "c"), "old c");
  expect(treeOf(root)).toEqual(before);
});

it("a file that appears where the commit makes a new one is never covered", async () => {
  const { root, commit } = await captured();
  const made = { done: false };
  await expect(
    commit(() => {
      if (!made.done) writeFileSync(join(root, "new"), "theirs");
      made.done = true;
    }),
  ).rejects.toMatchObject({ code: "tool_conflict", details: { paths: [join(root, "new")] } });
  expect(["a", "b", "c", "new"].map((name) => readFileSync(join(root, name), "utf8"))).toEqual(["old a", "old b", "old c", "theirs"]);
});

it("everything that the change set holds is locked before it is looked at the last time", async () => {
  const { root, commit, locked } = await captured();
  await commit(() => expect(locked).toEqual(expect.arrayContaining(["a", "b", "c", "new"].map((name) => join(root, name)))));
  expect(readFileSync(join(root, "new"), "utf8")).toBe("changed new");
});

it("many written files go to the disk together before the commit counts as done", async () => {
  const { base, commit } = await captured(80, true);
  const said = join(base, "synced");
  mkdirSync(join(base, "bin"));
  writeFileSync(join(base, "bin", "sync"), `#!/bin/sh\necho "$@" >> '${said}'\n`, { mode: 0o755 });
  const path = process.env.PATH;
  onTestFinished(() => {
    process.env.PATH = path;
  });
  process.env.PATH = `${join(base, "bin")}:${path}`;
  const wasSynced: boolean[] = [];
  await commit(() => wasSynced.push(existsSync(said)));
  // The images before, then those after, with which the call is done.
  expect(wasSynced).toEqual([false, true]);
  expect(readFileSync(said, "utf8")).toBe(`-f -- ${join(base, "root")}\n`);
});

it("a commit leaves no name of its layer on the files, which later would look like a change by somebody", async () => {
  const { root, commit } = await captured(300, false, true);
  await commit(() => {});
  const names = ["a", "a-twin", "b", "new", "new-twin", "more0", "more299"];
  expect(names.map((name) => lstatSync(join(root, name)).nlink)).toEqual([2, 2, 1, 2, 2, 1, 1]);
  expect(readFileSync(join(root, "new-twin"), "utf8")).toBe("changed new");
});
