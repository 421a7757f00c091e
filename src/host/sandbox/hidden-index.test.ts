import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { HiddenIndex, type Hides } from "./hidden-index.ts";

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

function tree(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-index-")));
  made.push(root);
  return root;
}

/** Counts how often it was asked. */
function hidesEnv(key?: string): Hides & { readonly asked: () => number } {
  let asked = 0;
  const hides = (path: string) => {
    asked += 1;
    return path.endsWith("/.env");
  };
  return Object.assign(hides, { asked: () => asked, ...(key === undefined ? {} : { key }) });
}

const longAgo = new Date(1_600_000_000_000);

it("every name is found however large the tree is", () => {
  const root = tree();
  for (let directory = 0; directory < 25; directory++) {
    const path = join(root, `d${directory}`);
    mkdirSync(path);
    for (let file = 0; file < 1_000; file++) writeFileSync(join(path, `f${file}`), "");
  }
  mkdirSync(join(root, "zz/conf"), { recursive: true });
  writeFileSync(join(root, "zz/conf/.env"), "");
  expect(new HiddenIndex().within([root], hidesEnv()).hidden).toEqual([join(root, "zz/conf/.env")]);
});

it("what did not change is not looked through again, what changed is", async () => {
  const root = tree();
  mkdirSync(join(root, "a"));
  writeFileSync(join(root, "a/.env"), "");
  writeFileSync(join(root, "a/plain"), "");
  const index = new HiddenIndex();
  const hides = hidesEnv("key");
  // A directory that changed just now is not remembered yet.
  const settled = async () => {
    const before = hides.asked();
    index.within([root], hides);
    if (hides.asked() === before) return;
    await new Promise((resolve) => setImmediate(resolve));
    await settled();
  };
  await settled();
  const asked = hides.asked();
  expect(index.within([root], hides).hidden).toEqual([join(root, "a/.env")]);
  expect(hides.asked()).toBe(asked);
  writeFileSync(join(root, "a/new"), "");
  renameSync(join(root, "a/new"), join(root, "a/sub.env"));
  mkdirSync(join(root, "b"));
  writeFileSync(join(root, "b/.env"), "");
  expect(index.within([root], hides).hidden).toEqual([join(root, "a/.env"), join(root, "b/.env")]);
});

it("a change that left the time as it was is seen all the same", async () => {
  const root = tree();
  utimesSync(root, longAgo, longAgo);
  const index = new HiddenIndex();
  const hides = hidesEnv("key");
  expect(index.within([root], hides).hidden).toEqual([]);
  writeFileSync(join(root, ".env"), "");
  utimesSync(root, longAgo, longAgo);
  expect(index.within([root], hides).hidden).toEqual([join(root, ".env")]);
});

it("other rules are asked anew, and a link is hidden where it leads", () => {
  const root = tree();
  writeFileSync(join(root, "real"), "");
  symlinkSync("real", join(root, ".env"));
  const index = new HiddenIndex();
  expect(index.within([root], hidesEnv("one")).hidden).toEqual([join(root, "real")]);
  expect(
    index.within(
      [root],
      Object.assign(() => false, { key: "other" }),
    ).hidden,
  ).toEqual([]);
});
