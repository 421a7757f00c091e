/** Whatever kills Karyi or works beside it: nobody's acknowledged work is lost, and no change is left half done. */
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { createEngine } from "../src/index.ts";
import { temporaryDirectory, testEngine, treeOf } from "./support/engine.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";

interface Place {
  readonly workspace: string;
  readonly home: string;
}

const name = (index: number): string => `f${String(index).padStart(2, "0")}.txt`;

async function place(files: number): Promise<Place> {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  for (let index = 0; index < files; index++) writeFileSync(join(workspace, name(index)), `old ${index}\n`);
  return { workspace, home };
}

/** Ends at the n-th change to the workspace, or with what it says when it comes to its end. */
function child({ workspace, home }: Place, tool: string, input: unknown, at: number | string) {
  const program = join(import.meta.dirname, "nothing-lost.child.mjs");
  const words = [program, workspace, home, tool, JSON.stringify(input), String(at)];
  const { signal, stderr, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  return { signal, stderr, stdout };
}

async function killed(at: Place, tool: string, input: unknown, change: number | string): Promise<void> {
  expect(child(at, tool, input, change)).toEqual({ signal: "SIGKILL", stderr: "", stdout: "" });
}

async function reopened(place: Place) {
  const engine = await createEngine({ ...place, mode: "accept-edits", approve: async () => "once" });
  return { engine, session: await engine.openSession({ id: "killed" }) };
}

describe.skipIf(!holds)(`a commit that is killed${why}`, () => {
  const command = `sed -i s/old/new/ f*.txt; rm ${name(9)}; echo made > made; echo also > also`;

  it("what somebody wrote since stays, the rest is taken back, and history and the next call say so", async () => {
    const at = await place(20);
    const before = await treeOf(at.workspace);
    await killed(at, "Bash", { command }, 12);
    const half = await treeOf(at.workspace);
    const isNew = (file: string) =>
      Buffer.from(half[file]?.split(" ")[2] ?? "", "base64")
        .toString()
        .startsWith("new");
    const files = Array.from({ length: 20 }, (_, index) => name(index)).filter((file) => file !== name(9));
    const [applied, waiting] = [files.find(isNew), files.findLast((file) => !isNew(file))] as [string, string];
    for (const file of [applied, waiting, "made"]) writeFileSync(join(at.workspace, file), `theirs in ${file}\n`);
    const { engine, session } = await reopened(at);
    try {
      const kept = [applied, waiting, "made"].map((file) => join(at.workspace, file));
      const [call] = engine.recovered.calls;
      expect({ ...call, kept: [...(call?.kept ?? [])].sort() }).toMatchObject({
        callId: "killed",
        outcome: "taken_back",
        kept: kept.sort(),
        failed: [],
      });
      for (const file of [applied, waiting, "made"]) expect(readFileSync(join(at.workspace, file), "utf8")).toBe(`theirs in ${file}\n`);
      const now = await treeOf(at.workspace);
      for (const file of [applied, waiting, "made"]) delete now[file];
      expect(now).toEqual(Object.fromEntries(Object.entries(before).filter(([file]) => file !== applied && file !== waiting)));
      const [record] = await session.history(1);
      expect(record?.result).toMatchObject({
        undoable: false,
        error: { details: { reason: "taken_back_after_crash", outcome: "taken_back" } },
      });
      const next = await session.call("Read", { file_path: name(1) });
      expect(next.output).toContain("Note on an earlier call (killed,");
      expect(next.output).toContain(join(at.workspace, applied));
      expect((await session.call("Read", { file_path: name(1) })).output).not.toContain("Note on");
      // Nothing of the call is left to undo, so nobody's work can be undone with it.
      expect(await session.undo("killed")).toMatchObject({ status: "error", error: { code: "tool_conflict" } });
    } finally {
      await engine.close();
    }
  });

  it("a start touches only the workspace that it opens, and names the one that waits", async () => {
    const at = await place(12);
    const before = await treeOf(at.workspace);
    await killed(at, "Bash", { command: "sed -i s/old/new/ f*.txt" }, 6);
    const half = await treeOf(at.workspace);
    expect(half).not.toEqual(before);
    const elsewhere = await temporaryDirectory();
    const other = await createEngine({ workspace: elsewhere, home: at.home });
    expect(other.recovered).toEqual({ calls: [], waiting: [at.workspace] });
    expect(await treeOf(at.workspace)).toEqual(half);
    await other.close();
    const third = await createEngine({ workspace: elsewhere, home: at.home });
    expect((await third.recover({ everywhere: true })).calls).toMatchObject([{ callId: "killed", outcome: "taken_back", kept: [] }]);
    await third.close();
    expect(await treeOf(at.workspace)).toEqual(before);
  });
});

describe.skipIf(!holds)(`a commit beside other writers${why}`, () => {
  it("an edit that another session got acknowledged is there afterwards", async () => {
    const { engine, workspace } = await testEngine({ mode: "accept-edits" });
    const files = Array.from({ length: 120 }, (_, index) => `n${String(index).padStart(3, "0")}.txt`);
    for (const file of files) writeFileSync(join(workspace, file), `old\nmark\n${"x".repeat(2000)}`);
    const [commander, editor] = [await engine.openSession({ id: "a" }), await engine.openSession({ id: "b" })];
    let done = false;
    const command = commander.call("Bash", { command: "sed -i s/old/new/ n*.txt" }).finally(() => {
      done = true;
    });
    const marked: string[] = [];
    for (const file of files.toReversed()) {
      while (!done && !readFileSync(join(workspace, "n000.txt"), "utf8").startsWith("new")) await new Promise(setImmediate);
      const edit = await editor.call("Edit", { file_path: file, old_string: "mark", new_string: "MINE" });
      if (edit.status === "ok") marked.push(file);
    }
    expect(await command).toMatchObject({ status: "ok" });
    const lost = marked.filter((file) => !readFileSync(join(workspace, file), "utf8").startsWith("new\nMINE\n"));
    expect([marked.length, lost]).toEqual([files.length, []]);
  });
});

describe("a change of several files that is killed", () => {
  const edit = (index: number) => ({ file_path: name(index), edits: [{ old_string: "old", new_string: "new" }] });

  it("MultiEdit is all or nothing across a kill", async () => {
    const at = await place(3);
    const before = await treeOf(at.workspace);
    await killed(at, "MultiEdit", { files: [edit(0), edit(1), edit(2)] }, 3);
    expect(readFileSync(join(at.workspace, name(0)), "utf8")).toBe("new 0\n");
    const { engine } = await reopened(at);
    expect(engine.recovered.calls).toMatchObject([{ callId: "killed", outcome: "taken_back", kept: [], failed: [] }]);
    await engine.close();
    // The file that the dead process was writing is swept by the next write there.
    rmSync(join(at.workspace, Object.keys(await treeOf(at.workspace)).find((file) => file.endsWith(".tmp")) ?? "-"), { force: true });
    expect(await treeOf(at.workspace)).toEqual(before);
  });

  it("what somebody wrote into one of its files since stays", async () => {
    const at = await place(3);
    await killed(at, "MultiEdit", { files: [edit(0), edit(1), edit(2)] }, 3);
    writeFileSync(join(at.workspace, name(0)), "theirs\n");
    const { engine } = await reopened(at);
    expect(engine.recovered.calls).toMatchObject([{ outcome: "taken_back", kept: [join(at.workspace, name(0))] }]);
    await engine.close();
    const now = [0, 1, 2].map((index) => readFileSync(join(at.workspace, name(index)), "utf8"));
    expect(now).toEqual(["theirs\n", "old 1\n", "old 2\n"]);
  });

  it("ApplyPatch is all or nothing across a kill, with files that come and go", async () => {
    const at = await place(2);
    const before = await treeOf(at.workspace);
    const patch = [
      "*** Begin Patch",
      "*** Add File: deep/new.txt",
      "+hello",
      `*** Update File: ${name(0)}`,
      "@@",
      "-old 0",
      "+new 0",
      `*** Delete File: ${name(1)}`,
      "*** End Patch",
    ].join("\n");
    await killed(at, "ApplyPatch", { patch }, 4);
    expect(await treeOf(at.workspace)).not.toEqual(before);
    const { engine } = await reopened(at);
    expect(engine.recovered.calls).toMatchObject([{ callId: "killed", kept: [], failed: [] }]);
    await engine.close();
    expect(await treeOf(at.workspace)).toEqual(before);
  });
});

describe.skipIf(!holds)(`kills at any moment${why}`, () => {
  const kills = process.env.KARYI_FULL === "1" ? 500 : 6;
  const files = Array.from({ length: 8 }, (_, index) => name(index));
  /** Different every time, the same when it is run again. */
  let state = 7;
  const random = (below: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };

  it(`nothing is lost, torn or half done in ${kills} kills with a person's edits in between`, { timeout: 3_600_000 }, async () => {
    const at = await place(8);
    const texts = async () => {
      const tree = await treeOf(at.workspace);
      const shown = Object.entries(tree).filter(([file]) => !file.endsWith(".tmp"));
      return Object.fromEntries(shown.map(([file, text]) => [file, Buffer.from(text.split(" ")[2] ?? "", "base64").toString()]));
    };
    for (let round = 0; round < kills; round++) {
      const text = `round ${round}\n`;
      const made = Object.fromEntries(files.map((file) => [file, text]));
      let [one, other] = [await texts(), {} as Record<string, string>];
      const callId = `call-${round}`;
      const kind = round % 3;
      if (kind === 0) {
        other = { ...one, ...made, [`made-${round}`]: text };
        child(
          at,
          "Bash",
          { callId, command: `for f in f*.txt; do echo round ${round} > $f; done; echo round ${round} > made-${round}` },
          1 + random(20),
        );
      } else if (kind === 1) {
        const edited = files.slice(0, 4).map((file) => ({ file_path: file, edits: [{ old_string: one[file], new_string: text }] }));
        other = { ...one, ...Object.fromEntries(Object.entries(made).slice(0, 4)) };
        child(at, "MultiEdit", { callId, files: edited }, 1 + random(5));
      } else {
        expect(child(at, "Bash", { callId, command: `for f in f*.txt; do echo round ${round} > $f; done` }, 0).stdout).toBe("ok");
        other = one;
        one = await texts();
        child(at, "undo", { callId }, 1 + random(12));
      }
      const theirs: Record<string, string> = {};
      if (random(2) === 0) {
        const file = files[random(files.length)] ?? "";
        theirs[file] = `a person in round ${round}\n`;
        writeFileSync(join(at.workspace, file), theirs[file]);
      }
      // The recovery may be killed as well.
      if (random(2) === 0) child(at, "recover", {}, 1 + random(8));
      const { engine } = await reopened(at);
      await engine.close();
      expect(
        [
          { ...one, ...theirs },
          { ...other, ...theirs },
        ],
        `round ${round}`,
      ).toContainEqual(await texts());
    }
  });
});

describe("a session after a crash", () => {
  it("it knows the file that it wrote itself, and still notices what somebody else wrote", async () => {
    for (const theirs of [false, true]) {
      const at = await place(1);
      const file = { file_path: name(0) };
      expect(child(at, "Read", { callId: "read", ...file }, 0).stdout).toBe("ok");
      await killed(at, "Edit", { ...file, old_string: "old", new_string: "new" }, "1+");
      expect(readFileSync(join(at.workspace, name(0)), "utf8")).toBe("new 0\n");
      if (theirs) writeFileSync(join(at.workspace, name(0)), "a person, new\n");
      const { engine, session } = await reopened(at);
      const outcome = theirs ? "taken_back" : "finished";
      const { status, error } = await session.call("Edit", { ...file, old_string: "new", new_string: "newer" });
      expect([engine.recovered.calls[0]?.outcome, status, error?.code]).toEqual([
        outcome,
        ...(theirs ? ["error", "tool_conflict"] : ["ok", undefined]),
      ]);
      await engine.close();
    }
  });
});

describe.skipIf(!holds)(`files with several names${why}`, () => {
  it("a removed group of hard links is one file again after undo", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    mkdirSync(join(workspace, "d"));
    writeFileSync(join(workspace, "d", "one"), "tied");
    linkSync(join(workspace, "d", "one"), join(workspace, "d", "two"));
    const before = await treeOf(workspace);
    expect(await session.call("Bash", { command: "rm -rf d" }, { callId: "gone" })).toMatchObject({ status: "ok" });
    expect(await session.undo("gone")).toMatchObject({ status: "ok" });
    expect(await treeOf(workspace)).toEqual(before);
    expect(statSync(join(workspace, "d", "one")).ino).toBe(statSync(join(workspace, "d", "two")).ino);
  });
});

describe.skipIf(!holds)(`many files and few descriptors${why}`, () => {
  it("what a command made is undone though more files than that were made", async () => {
    const at = await place(0);
    const program = join(import.meta.dirname, "nothing-lost.child.mjs");
    const limited = (tool: string, input: unknown) =>
      spawnSync(
        "bash",
        ["-c", 'ulimit -n 256; exec "$@"', "bash", process.execPath, program, at.workspace, at.home, tool, JSON.stringify(input), "0"],
        {
          encoding: "utf8",
        },
      ).stdout;
    expect(limited("Bash", { callId: "many", command: "for i in $(seq 600); do echo $i > n$i; done" })).toBe("ok");
    expect(Object.keys(await treeOf(at.workspace))).toHaveLength(600);
    expect(limited("undo", { callId: "many" })).toBe("ok");
    expect(await treeOf(at.workspace)).toEqual({});
  });
});

describe("an undo whose images are damaged", () => {
  it("names the damaged one and restores nothing at all", async () => {
    const { engine, workspace, home } = await testEngine({ mode: "accept-edits" });
    const session = await engine.openSession();
    const long = "long\n".repeat(20_000);
    writeFileSync(join(workspace, "short"), "short");
    writeFileSync(join(workspace, "long"), long);
    const patch = ["*** Begin Patch", "*** Delete File: short", "*** Delete File: long", "*** End Patch"].join("\n");
    expect(await session.call("ApplyPatch", { patch }, { callId: "gone" })).toMatchObject({ status: "ok" });
    const [blob = ""] = readdirSync(join(home, "blobs")).filter((file) => file.length === 64);
    truncateSync(join(home, "blobs", blob), 100);
    expect(await session.undo("gone")).toMatchObject({
      status: "error",
      error: { details: { reason: "image_damaged", paths: [join(workspace, "long")] } },
    });
    expect(await treeOf(workspace)).toEqual({});
    writeFileSync(join(home, "blobs", blob), long);
    expect(await session.undo("gone")).toMatchObject({ status: "ok" });
    expect(readFileSync(join(workspace, "long"), "utf8")).toBe(long);
  });
});
