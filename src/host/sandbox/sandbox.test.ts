import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createBlobs } from "../files/blobs.ts";
import { createImages } from "../files/images.ts";
import { capturingHere, capturingTiers, makeWorld, treeOf, type World, type WorldOptions } from "./fixtures/world.ts";
import { createSandbox } from "./index.ts";

const register = resolve(import.meta.dirname, "../../../test/support/ts-register.mjs");
const caching = resolve(import.meta.dirname, "../../../test/sandbox-cache.mjs");
const worlds: World[] = [];
const open = (options?: WorldOptions): World => {
  const world = makeWorld(options);
  worlds.push(world);
  return world;
};
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

const here = await capturingHere();
const [best = "E5"] = here;
const holds = here.length > 0;
const why = holds ? "" : " (skipped: no overlay here)";

/** Another process with the same home. */
function elsewhere({ home }: World) {
  const images = createImages(createBlobs(join(home, "blobs"), { fsync: false }), { fsync: false });
  return createSandbox({ home, userHome: join(home, "nobody"), images });
}

const runsOf = ({ home }: World): string[] => readdirSync(join(home, "sandbox")).filter((name) => name.length === 16);

describe(`tiers`, () => {
  it("every tier is reported with what it guarantees or why it does not hold", async () => {
    const report = await open({ seed: "" }).sandbox.tierReport();
    expect(report.map(({ tier }) => tier)).toEqual(["E0", "E1", "E2", "E2u", "E3", "E4", "E5"]);
    expect(report.filter(({ detail }) => detail === "")).toEqual([]);
    expect(capturingTiers.filter((tier) => report.some((found) => found.tier === tier && found.holds))).toEqual(here);
  });

  it("a tier that is switched off does not hold", async () => {
    const { sandbox } = open({ seed: "", only: ["E5"] });
    expect(await sandbox.tier()).toBe("E5");
    expect((await sandbox.tierReport()).filter(({ holds }) => holds).map(({ tier }) => tier)).toEqual(["E5"]);
  });
});

describe.skipIf(!holds)(`change sets${why}`, () => {
  it("a kept rehearsal is committed by id, exactly as shown, and undone", async () => {
    const world = open();
    const before = treeOf(world.workspace);
    const { id, changes, text } = await world.rehearse("echo new > new.txt; rm -rf src; chmod 700 docs; ln -sfn docs link; echo said");
    expect(text).toBe("said\n");
    expect(treeOf(world.workspace)).toEqual(before);
    expect(changes.map(({ path, change }) => `${change} ${path.slice(world.workspace.length + 1)}`)).toEqual([
      "mode docs",
      "link link",
      "created new.txt",
      "deleted src",
      "deleted src/deep",
      "deleted src/deep/er",
      "deleted src/deep/er/file",
      "deleted src/main.py",
    ]);
    const other = elsewhere(world);
    expect(other.kept().map((set) => set.id)).toEqual([id]);
    await world.sandbox.commit(other.load(id), "call");
    expect(existsSync(join(world.workspace, "src"))).toBe(false);
    expect(readFileSync(join(world.workspace, "new.txt"), "utf8")).toBe("new\n");
    expect(runsOf(world)).toEqual([]);
    await world.undo();
    expect(treeOf(world.workspace)).toEqual(before);
  });

  it("a commit refuses where the workspace changed since, changes nothing, and keeps the set", async () => {
    const world = open();
    const { id } = await world.rehearse("echo mine > b.txt; echo new > new.txt; rm -rf docs");
    writeFileSync(join(world.workspace, "docs", "later"), "theirs");
    writeFileSync(join(world.workspace, "new.txt"), "theirs");
    const before = treeOf(world.workspace);
    const refusal = world.sandbox.commit(world.sandbox.load(id), "call");
    await expect(refusal).rejects.toMatchObject({
      code: "tool_conflict",
      details: { reason: "workspace_changed", change_set: id, paths: [join(world.workspace, "docs"), join(world.workspace, "new.txt")] },
    });
    expect(treeOf(world.workspace)).toEqual(before);
    expect(world.sandbox.kept().map((set) => set.id)).toEqual([id]);
  });

  it("a commit that fails on its way takes back what it did and says which path was in the way", async () => {
    const world = open();
    const { id } = await world.rehearse("echo mine > b.txt; rm -rf docs; echo last > zzz");
    rmSync(join(world.home, "sandbox", id, "upper0", "zzz"));
    const before = treeOf(world.workspace, { times: "changed" });
    await expect(world.sandbox.commit(world.sandbox.load(id), "call")).rejects.toMatchObject({
      message: `Nothing was changed: No such file: ${join(world.workspace, "zzz")}.`,
      details: { reason: "file_not_found", change_set: id },
    });
    expect(treeOf(world.workspace, { times: "changed" })).toEqual(before);
    expect(await elsewhere(world).recoverChangeSets()).toMatchObject({ takenBack: [] });
  });

  it("what somebody else changes while the command runs is not overwritten", async () => {
    const world = open();
    const shared = join(world.base, "go");
    mkdirSync(shared);
    const running = world.run(`echo mine > b.txt; touch '${shared}/started'; while [ ! -e '${shared}/done' ]; do :; done`);
    while (!existsSync(join(shared, "started"))) await new Promise((next) => setImmediate(next));
    writeFileSync(join(world.workspace, "b.txt"), "theirs");
    writeFileSync(join(shared, "done"), "");
    await expect(running).rejects.toMatchObject({ code: "tool_conflict" });
    expect(readFileSync(join(world.workspace, "b.txt"), "utf8")).toBe("theirs");
  });

  it("kept sets from before a moment are forgotten, and only counted in a dry run", async () => {
    const world = open();
    const { id } = await world.rehearse("echo x > kept");
    const { createdAt } = world.sandbox.load(id);
    expect([world.sandbox.forget(createdAt, false), world.sandbox.forget(createdAt + 1, true)]).toEqual([0, 1]);
    expect(world.sandbox.kept()).toHaveLength(1);
    expect(world.sandbox.forget(createdAt + 1, false)).toBe(1);
    expect(runsOf(world)).toEqual([]);
  });

  it("a discarded set leaves nothing on disk, and what was dropped cannot be loaded", async () => {
    const world = open();
    const { id } = await world.rehearse("rm -rf src; mkdir -m 000 closed");
    world.sandbox.discard(id);
    expect(runsOf(world)).toEqual([]);
    expect(() => world.sandbox.load(id)).toThrow(/no kept dry run/);
  });

  it("files that act later by themselves come first, git's own last", async () => {
    const world = open();
    const { changes } = await world.rehearse(
      "echo x > aaa; echo x > .git/zzz; echo x > .git/hooks/pre-commit; echo x > .git/hooks/x.sample; echo x > .envrc; echo x > package.json",
    );
    expect(changes.map(({ path }) => path.slice(world.workspace.length + 1))).toEqual([
      ".envrc",
      ".git/hooks/pre-commit",
      "package.json",
      "aaa",
      ".git/hooks/x.sample",
      ".git/zzz",
    ]);
  });

  it("a copy that the overlay made without a change is no change", async () => {
    const world = open();
    const { changes } = await world.rehearse(
      "chmod 600 a.txt; chmod 644 a.txt; cp -p b.txt t; cat t > b.txt; touch -r t b.txt; rm t; exec 7<>private; true",
    );
    expect(changes).toEqual([]);
  });
});

describe.skipIf(!holds)(`names that are not UTF-8${why}`, () => {
  const seed = String.raw`printf one > $'caf\xe9'; mkdir $'d\xff' $'e\xff'; printf two > $'d\xff/\xe9'; printf three > $'e\xff/\xe9'; ln -s $'caf\xe9' $'l\xe9'`;
  const command = String.raw`printf more >> $'caf\xe9'; rm -r $'d\xff'; mkdir $'d\xff'; printf new > $'d\xff/\xea'; mv $'e\xff' $'f\xff'; ln -sfn $'d\xff' $'l\xe9'; tar cf - $'caf\xe9' | tar xf - -C $'f\xff'`;
  const shown = [
    "modified caf\uFFFDe9",
    "deleted d\uFFFDff/\uFFFDe9",
    "created d\uFFFDff/\uFFFDea",
    "deleted e\uFFFDff",
    "deleted e\uFFFDff/\uFFFDe9",
    "created f\uFFFDff",
    "created f\uFFFDff/caf\uFFFDe9",
    "created f\uFFFDff/\uFFFDe9",
    "link l\uFFFDe9",
  ];
  const lines = (world: World, changes: readonly { path: string; change: string }[] = []) =>
    changes.map(({ path, change }) => `${change} ${path.slice(world.workspace.length + 1)}`);

  it("are shown as the file tools spell them, committed by id and undone", async () => {
    const world = open({ seed });
    const before = treeOf(world.workspace, { times: "changed" });
    const { id, changes } = await world.rehearse(command);
    expect(lines(world, changes)).toEqual(shown);
    expect(treeOf(world.workspace, { times: "changed" })).toEqual(before);
    await world.sandbox.commit(elsewhere(world).load(id), "call");
    const listed = spawnSync("sh", ["-c", "find . | LC_ALL=C sort"], { cwd: world.workspace, encoding: "latin1" }).stdout;
    expect(listed.split("\n")).toEqual([
      ".",
      "./caf\xe9",
      "./d\xff",
      "./d\xff/\xea",
      "./f\xff",
      "./f\xff/caf\xe9",
      "./f\xff/\xe9",
      "./l\xe9",
      "",
    ]);
    await world.undo();
    expect(treeOf(world.workspace, { times: "changed" })).toEqual(before);
  });

  it("are undone after a command that ran without an overlay", async () => {
    const world = open({ seed, only: ["E5"] });
    const before = treeOf(world.workspace);
    const { outcome } = await world.run(command);
    expect(outcome).toMatchObject({ exitCode: 0, undo: { kind: "snapshot" } });
    await world.undo();
    expect(treeOf(world.workspace)).toEqual(before);
  });
});

describe.skipIf(!holds)(`the workspace in the sandbox${why}`, () => {
  for (const name of ["with space", "new\nline", "co:lon", "com,ma", "back\\slash", 'quo"te', "apo'strophe", "#hash", "ünï", "$(x)`y`"]) {
    it(`may be called ${JSON.stringify(name)}`, async () => {
      const world = open({ name, seed: "echo one > one; mkdir d; echo two > d/two" });
      const { outcome } = await world.run("rm -r d; mkdir d; echo three > d/three; pwd > where");
      expect(outcome).toMatchObject({ exitCode: 0, tier: best });
      expect(readdirSync(join(world.workspace, "d"))).toEqual(["three"]);
      await world.undo();
      expect(readdirSync(world.workspace).sort()).toEqual(["d", "one"]);
    });
  }

  it("a command starts in a sub-directory and its working directory and variables come back", async () => {
    const world = open();
    const { outcome } = await world.run("cd deep && export WORD='it is' && pwd", { cwd: join(world.workspace, "src") });
    expect(outcome).toMatchObject({ exitCode: 0, cwd: join(world.workspace, "src/deep"), env: { WORD: "it is" } });
  });

  it("a link that leads out of the workspace is no way to write there", async () => {
    const world = open();
    const outside = join(world.base, "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(world.workspace, "out"));
    const { outcome } = await world.rehearse("echo x > out/file && cat out/file");
    expect(existsSync(join(outside, "file"))).toBe(false);
    expect(outcome.exitCode).not.toBe(0);
  });

  it("the time limit holds, and what was done until then is committed and can be undone", async () => {
    const world = open();
    const before = treeOf(world.workspace);
    const outcome = await world.processes.run({
      command: "echo partial > partial; sleep 600",
      cwd: world.workspace,
      env: {},
      timeoutMs: 1_000,
      callId: "call",
      signal: new AbortController().signal,
      onOutput: () => {},
    });
    expect(outcome.timedOut).toBe(true);
    expect(readFileSync(join(world.workspace, "partial"), "utf8")).toBe("partial\n");
    await world.undo();
    expect(treeOf(world.workspace)).toEqual(before);
  });

  it("secrets given to the command reach it, and no file of the run", async () => {
    const world = open({ seed: "" });
    const secret = ["s3cr", "et-value"].join("");
    const { changeSet } = await world.processes.rehearse(
      {
        command: 'test -n "$TOKEN_X" && echo yes > answer',
        cwd: world.workspace,
        env: {},
        secrets: { TOKEN_X: secret },
        timeoutMs: 20_000,
        signal: new AbortController().signal,
        onOutput: () => {},
      },
      "none",
      true,
    );
    expect(changeSet.changes.map(({ change }) => change)).toEqual(["created"]);
    expect(spawnSync("grep", ["-r", secret, world.home]).status).toBe(1);
  });

  it("where no directory can hold layers, nothing is started", async () => {
    const world = open({ seed: "" });
    const begun = world.sandbox.begin({ purpose: "rehearse", network: "none", roots: ["/"], cwd: "/" });
    await expect(begun).rejects.toMatchObject({ code: "tool_disabled", details: { reason: "no_overlay" } });
  });
});

describe.skipIf(!holds)(`a commit that is killed${why}`, () => {
  const child = join(import.meta.dirname, "fixtures/commit.child.mjs");
  const command =
    "rm -rf src docs; mv a.txt moved; echo x > b.txt; mkdir -p n/m; echo y > n/m/y; chmod 600 run.sh; ln -sfn moved link; git add -A; touch f1 f2 f3";
  const cache = mkdtempSync(join(tmpdir(), "karyi-cache-"));
  afterAll(() => rmSync(cache, { recursive: true, force: true }));
  const kill = (world: World, id: string, at: number) =>
    spawnSync(process.execPath, ["--import", register, "--import", caching, child, world.home, id, String(at)], {
      encoding: "utf8",
      env: { ...process.env, KARYI_TS_CACHE: cache },
    });

  it("is taken back at the next start, wherever it was", { timeout: 600_000 }, async () => {
    const counted = open();
    const whole = kill(counted, (await counted.rehearse(command)).id, 0);
    expect(whole.stderr).toBe("");
    // Restored files have other inodes, so that git refreshes a little less: the last few steps may not come again.
    const steps = Math.floor(Number(whole.stdout) * 0.85);
    expect(steps).toBeGreaterThan(20);
    const world = open();
    const before = treeOf(world.workspace);
    const kills = process.env.KARYI_FULL === "1" ? steps : 5;
    for (let round = 0; round < kills; round++) {
      const { id } = await world.rehearse(command);
      expect(kill(world, id, 1 + Math.floor((round * steps) / kills)).signal).toBe("SIGKILL");
      expect((await elsewhere(world).recoverChangeSets()).takenBack).toMatchObject([{ id, kept: [], failed: [] }]);
      expect(treeOf(world.workspace)).toEqual(before);
    }
  });

  it("layers of dead processes are removed at the next start, kept sets are not", async () => {
    const world = open();
    const { id } = await world.rehearse("echo x > x");
    const dead = join(world.home, "sandbox", "0123456789abcdef");
    mkdirSync(join(dead, "work0", "work"), { recursive: true });
    chmodSync(join(dead, "work0", "work"), 0o000);
    expect(await elsewhere(world).recoverChangeSets()).toEqual({ takenBack: [], journaled: [], waiting: [], discarded: 1 });
    expect(runsOf(world)).toEqual([id]);
  });
});
