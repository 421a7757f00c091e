import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { FindRequest } from "../../contract/index.ts";
import { toBytePath, toDisplay } from "./byte-path.ts";
import { growTree, randomFrom } from "./fixtures/generated-tree.ts";
import { findRepository } from "./ignore/git-repository.ts";
import { leftOutGlobs } from "./ignore/left-out.ts";
import { findRipgrep } from "./ripgrep/ripgrep-binary.ts";
import { createSearch } from "./search.ts";

const base = mkdtempSync(join(tmpdir(), "karyi-find-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const search = createSearch();

function request(directory: string, change: Partial<FindRequest> = {}): FindRequest {
  return {
    directory,
    pattern: "**",
    includeIgnored: false,
    limit: 10_000,
    signal: new AbortController().signal,
    deadlineMs: 20_000,
    ...change,
  };
}

function tree(name: string, files: Readonly<Record<string, string>>): string {
  const root = join(base, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

async function paths(directory: string, change: Partial<FindRequest> = {}): Promise<readonly string[]> {
  const { hits } = await search.find(request(directory, change));
  return hits.map(({ path }) => path).sort();
}

const ripgrep = await findRipgrep();
// 126 is the tree whose ignore file holds a `!` alone.
const seeds = process.env.KARYI_FULL === "1" ? Array.from({ length: 150 }, (_, i) => i + 100) : [100, 101, 102, 103, 104, 105, 106, 126];
test.skipIf(ripgrep === undefined)(
  `the walk lists the files that ripgrep lists${ripgrep === undefined ? " (skipped: no ripgrep)" : ""}`,
  { timeout: 900_000 },
  async () => {
    for (const seed of seeds) {
      const root = join(base, `tree-${seed}`);
      growTree(root, randomFrom(seed), { files: 120, repository: seed % 2 === 0 });
      for (const includeIgnored of [false, true]) {
        for (const sub of ["", "src"]) {
          const directory = join(root, sub);
          mkdirSync(directory, { recursive: true });
          const listed = spawnSync(
            ripgrep as string,
            [
              "--no-config",
              "--files",
              "--null",
              "--hidden",
              "--no-ignore-global",
              includeIgnored ? "--no-ignore" : findRepository(toBytePath(root)) === undefined ? "--no-require-git" : "--require-git",
              ...leftOutGlobs(includeIgnored).map((glob) => `--glob=${glob}`),
              "./",
            ],
            { cwd: directory, maxBuffer: 1e8, stdio: ["ignore", "pipe", "ignore"] },
          ).stdout.toString("latin1");
          const expected = listed
            .split("\0")
            .filter((path) => path !== "")
            .map((path) => toDisplay(path.slice(2)));
          const found = await search.find(request(directory, { includeIgnored }));
          const names = found.hits.map(({ path }) => path).filter((path) => !/(?:^|\/)(?:link|link\.ts|link\.pem|loop)$/.test(path));
          expect({ seed, sub, includeIgnored, names: names.sort() }).toEqual({ seed, sub, includeIgnored, names: expected.sort() });
        }
      }
      rmSync(root, { recursive: true });
    }
  },
);

test("globs know **, *, ?, classes, braces and brackets that mean themselves", async () => {
  const root = tree("globs", {
    "a.ts": "",
    "b.tsx": "",
    ".hidden.ts": "",
    "src/a.ts": "",
    "src/deep/er/b.ts": "",
    "src/deep/c.js": "",
    "app/[id]/page.tsx": "",
    "app/i/page.tsx": "",
    "🙂.md": "",
  });
  const cases: Readonly<Record<string, readonly string[]>> = {
    "*.ts": [".hidden.ts", "a.ts"],
    "**/*.ts": [".hidden.ts", "a.ts", "src/a.ts", "src/deep/er/b.ts"],
    "**/*.{ts,tsx}": [".hidden.ts", "a.ts", "app/[id]/page.tsx", "app/i/page.tsx", "b.tsx", "src/a.ts", "src/deep/er/b.ts"],
    "src/**": ["src/a.ts", "src/deep/c.js", "src/deep/er/b.ts"],
    "src/": ["src/a.ts", "src/deep/c.js", "src/deep/er/b.ts"],
    "./src/*/c.js": ["src/deep/c.js"],
    "src/**/b.ts": ["src/deep/er/b.ts"],
    "?.ts": ["a.ts"],
    "?.md": ["🙂.md"],
    "[ab].ts*": ["a.ts", "b.tsx"],
    "[!a].tsx": ["b.tsx"],
    "app/[id]/*": ["app/[id]/page.tsx", "app/i/page.tsx"],
    "{a,b}.{ts,tsx}": ["a.ts", "b.tsx"],
    "nothing/**": [],
  };
  const found: Record<string, readonly string[]> = {};
  for (const pattern of Object.keys(cases)) found[pattern] = await paths(root, { pattern });
  expect(found).toEqual(cases);
});

test("an explicit pattern never overrides an ignore file or the list of bulky directories", async () => {
  const root = tree("explicit", {
    ".gitignore": "secret/\n*.log\n",
    "secret/a.txt": "",
    "x.log": "",
    "node_modules/m/index.js": "",
    "src/x.js": "",
  });
  expect(await paths(root, { pattern: "secret/**" })).toEqual([]);
  expect(await paths(root, { pattern: "**/*.log" })).toEqual([]);
  expect(await paths(root, { pattern: "node_modules/**/*.js" })).toEqual([]);
  expect(await paths(root, { pattern: "**/*.js", includeIgnored: true })).toEqual(["node_modules/m/index.js", "src/x.js"]);
});

test("ignore files above the searched directory count up to the root of the repository", async () => {
  const root = tree("nested", {
    ".gitignore": "*\n",
    "repo/.git/HEAD": "",
    "repo/.gitignore": "*.tmp\n/src/gen\n",
    "repo/src/a.ts": "",
    "repo/src/a.tmp": "",
    "repo/src/gen/b.ts": "",
  });
  expect(await paths(join(root, "repo/src"))).toEqual(["a.ts"]);
  expect(await paths(join(root, "repo"))).toEqual([".gitignore", "src/a.ts"]);
});

test("links to files are listed, links to directories are not followed, dangling links and loops are left out", async () => {
  const root = tree("links", { "real.txt": "content", "dir/inner.txt": "" });
  symlinkSync("real.txt", join(root, "link.txt"));
  symlinkSync("dir", join(root, "dirlink"));
  symlinkSync("..", join(root, "dir", "up"));
  symlinkSync("nowhere", join(root, "dangling"));
  symlinkSync("loop", join(root, "loop"));
  expect(await paths(root)).toEqual(["dir/inner.txt", "link.txt", "real.txt"]);
});

test("newest first, then by name, with sizes; past the limit it is cut and the total is exact", async () => {
  const root = tree("newest", { "a.txt": "1", "b.txt": "22", "c.txt": "333", "d.txt": "4444" });
  const at = (seconds: number, ...names: string[]): void => {
    for (const name of names) utimesSync(join(root, name), seconds, seconds);
  };
  at(1_000, "a.txt", "d.txt");
  at(3_000, "c.txt");
  at(2_000, "b.txt");
  const { hits, total } = await search.find(request(root, { limit: 3 }));
  expect({ hits, total }).toEqual({
    hits: [
      { path: "c.txt", size: 3, mtimeMs: 3_000_000 },
      { path: "b.txt", size: 2, mtimeMs: 2_000_000 },
      { path: "a.txt", size: 1, mtimeMs: 1_000_000 },
    ],
    total: 4,
  });
});

test("many files: the second thread and the first agree with the disk", async () => {
  const root = join(base, "many");
  const count = 3_600;
  for (let i = 0; i < count; i++) {
    const directory = join(root, `d${i % 40}`);
    if (i < 40) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${i}.txt`), "x".repeat(i % 7));
  }
  const { hits, total, partial } = await search.find(request(root, { pattern: "**/*.txt" }));
  expect({ total, partial, distinct: new Set(hits.map(({ path }) => path)).size }).toEqual({
    total: count,
    partial: false,
    distinct: count,
  });
  expect(hits.filter(({ path, size }) => size !== Number(/(\d+)\.txt$/.exec(path)?.[1]) % 7)).toEqual([]);
  expect(hits.every((hit, i) => i === 0 || hit.mtimeMs <= (hits[i - 1]?.mtimeMs ?? 0))).toBe(true);
});

test("the deadline gives what was found and says so; a cancelled search throws", async () => {
  const root = join(base, "many");
  const late = await search.find(request(root, { deadlineMs: 0 }));
  expect({ partial: late.partial, total: late.total }).toEqual({ partial: true, total: 0 });
  const controller = new AbortController();
  const running = search.find(request(root, { signal: controller.signal }));
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: "cancelled" });
});

test("a wrong directory is a clear error", async () => {
  const root = tree("wrong", { "file.txt": "" });
  await expect(search.find(request(join(root, "absent")))).rejects.toMatchObject({
    code: "tool_not_found",
    details: { reason: "file_not_found" },
  });
  await expect(search.find(request(join(root, "file.txt")))).rejects.toMatchObject({
    code: "invalid_tool_input",
    details: { reason: "not_a_directory" },
  });
  await expect(search.find(request(root, { pattern: "{a,b" }))).rejects.toMatchObject({
    code: "invalid_tool_input",
    details: { reason: "invalid_glob" },
  });
});

const isRoot = process.getuid?.() === 0;
test.skipIf(isRoot)(`an unreadable directory is reported, not fatal${isRoot ? " (skipped: root reads everything)" : ""}`, async () => {
  const root = tree("locked", { "open.txt": "", "locked/secret.txt": "" });
  chmodSync(join(root, "locked"), 0o000);
  const answer = await search.find(request(root));
  chmodSync(join(root, "locked"), 0o700);
  expect({ paths: answer.hits.map(({ path }) => path), skipped: answer.skipped }).toEqual({
    paths: ["open.txt"],
    skipped: { paths: [{ path: "locked", reason: "no_permission" }], total: 1 },
  });
});
