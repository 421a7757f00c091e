import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeWorld, treeOf, type World, type WorldOptions } from "./fixtures/world.ts";
import { watchesIn } from "./shadow.ts";

it("records of a dead process that another one removes meanwhile are none, not a failure", () => {
  expect(watchesIn(resolve(import.meta.dirname, "removed-by-another-process"))).toEqual([]);
});

const worlds: World[] = [];
const open = (options: WorldOptions = {}): World => {
  const world = makeWorld({ only: ["E5"], ...options });
  worlds.push(world);
  return world;
};
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

const records = ({ home }: World): string[] =>
  readdirSync(join(home, "sandbox"), { recursive: true, encoding: "utf8" }).filter((name) => /watch-|copy-/.test(name));

describe("a command where there is no overlay", () => {
  for (const command of [
    "rm -rf src docs .git",
    "git reset -q --hard; git clean -fdxq",
    "mv src source; echo more >> a.txt; chmod 700 docs; chmod 755 b.txt; ln -sfn docs link; rm dangling",
    "rm -rf src && echo file > src; rm a.txt && mkdir a.txt && echo in > a.txt/in",
    "mkdir -p x/y/z; touch x/y/z/new 'odd name'; rm node_modules/dep/index.js",
    "echo partial > partial; kill -9 $$",
  ]) {
    it(`is undone from a snapshot: ${command}`, async () => {
      const world = open();
      const before = treeOf(world.workspace, { times: "changed" });
      const { outcome } = await world.run(command);
      expect(outcome).toMatchObject({ tier: "E5", undo: { kind: "snapshot" } });
      expect(outcome.changes?.length).toBeGreaterThan(0);
      expect(treeOf(world.workspace)).not.toEqual(before);
      await world.undo();
      expect(treeOf(world.workspace, { times: "changed" })).toEqual(before);
      expect(records(world)).toEqual([]);
    });
  }

  it("says what it changed, and a touch is no change", async () => {
    const world = open();
    const { outcome } = await world.run("echo x > new; rm b.txt; chmod 700 docs; touch a.txt; echo again > private; ln -sfn docs link");
    expect(outcome.changes?.map(({ path, change }) => `${change} ${path.slice(world.workspace.length + 1)}`)).toEqual([
      "deleted b.txt",
      "mode docs",
      "link link",
      "created new",
      "modified private",
    ]);
  });

  it("copies a file once, also for the next process", async () => {
    const world = open();
    // Older than anything that could change again in the same moment.
    while (Date.now() - lstatSync(join(world.workspace, "untracked.txt")).ctimeMs < 100) await new Promise((next) => setImmediate(next));
    await world.run("true");
    const index = join(world.home, "sandbox/shadow/index-2.json");
    const before = lstatSync(index);
    const again = makeWorld({ only: ["E5"], home: world.home, workspace: world.workspace });
    await again.run("rm -r src");
    again.close();
    expect(lstatSync(index).ino).toBe(before.ino);
    expect(again.journal.length).toBeGreaterThan(0);
  });

  it("a file with a secret is kept encrypted, and given back", async () => {
    const secret = ["s3cr", "et-value"].join("");
    const world = open({ secret, seed: `echo token=${secret} > .env; echo plain > plain` });
    const before = treeOf(world.workspace);
    await world.run("rm .env plain");
    expect(spawnSync("grep", ["-r", secret, world.home]).status).toBe(1);
    await world.undo();
    expect(treeOf(world.workspace)).toEqual(before);
  });

  it("kept bytes that are gone are named, and the rest is given back", async () => {
    const world = open({ seed: "echo one > one; echo two > two" });
    await world.run("true");
    const hash = createHash("sha256").update("one\n").digest("hex");
    const { outcome } = await world.run(`rm '${join(world.home, "sandbox/shadow/blobs", hash)}'; rm one two`);
    expect(outcome.undo).toEqual({ kind: "partial", uncovered: [join(world.workspace, "one")] });
    await world.undo();
    expect(readdirSync(world.workspace)).toEqual(["two"]);
  });

  it("what is too large or too much is named, and the rest is given back", async () => {
    const world = open({
      shadowLimits: { files: 6, bytes: 1 << 20, fileBytes: 100 },
      seed: "mkdir d node_modules; echo a > a; echo b > d/b; echo n > node_modules/n; head -c 200 /dev/zero > large; echo z > z",
    });
    const { outcome } = await world.run("echo changed | tee a d/b large node_modules/n z >/dev/null");
    const uncovered = outcome.undo?.kind === "partial" ? outcome.undo.uncovered : [];
    expect(uncovered.map((path) => path.slice(world.workspace.length + 1))).toEqual(["large", "node_modules/n"]);
    await world.undo();
    expect(readFileSync(join(world.workspace, "a"), "utf8")).toBe("a\n");
    expect(readFileSync(join(world.workspace, "z"), "utf8")).toBe("z\n");
  });

  it("a dry run is refused and nothing runs", async () => {
    const world = open({ seed: "" });
    await expect(world.rehearse("echo x > x")).rejects.toMatchObject({ code: "tool_disabled", details: { reason: "no_overlay" } });
    expect(readdirSync(world.workspace)).toEqual([]);
  });

  it("a process that is killed while its command runs leaves enough to undo it", async () => {
    const world = open();
    const before = treeOf(world.workspace);
    const child = spawn(
      process.execPath,
      [
        ...["--import", resolve(import.meta.dirname, "../../../test/support/ts-register.mjs")],
        ...[
          join(import.meta.dirname, "fixtures/watch.child.mjs"),
          world.home,
          world.workspace,
          "rm -rf src; echo x > b.txt; touch began; while [ -e began ]; do sleep 0.1; done",
        ],
      ],
      { stdio: "ignore" },
    );
    const ended = new Promise((done) => child.once("exit", done));
    while (!existsSync(join(world.workspace, "began"))) await new Promise((next) => setImmediate(next));
    child.kill("SIGKILL");
    await ended;
    expect((await world.sandbox.recoverChangeSets()).journaled).toEqual(["call"]);
    expect(world.journal.length).toBeGreaterThan(0);
    await world.undo();
    expect(treeOf(world.workspace)).toEqual(before);
    expect(records(world)).toEqual([]);
  });
});
