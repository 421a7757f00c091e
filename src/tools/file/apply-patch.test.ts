import { chmod, stat } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyPatchTool } from "./apply-patch.ts";
import { Workspace } from "./match/fixtures/workspace.ts";
import { parsePatch } from "./patch/parse.ts";

let place: Workspace;
beforeEach(async () => {
  place = await Workspace.create();
});
afterEach(() => place.remove());

const run = (...lines: readonly string[]) => place.run(applyPatchTool, { patch: `${lines.join("\n")}\n` });
const failure = (...lines: readonly string[]) => place.failure(applyPatchTool, { patch: `${lines.join("\n")}\n` });

describe("ApplyPatch with a unified diff", () => {
  it("updates, creates and deletes files in one call, and plans all of it", async () => {
    await place.write("src/a.txt", "one\ntwo\nthree\n");
    await place.write("gone.txt", "bye\n");
    const patch = [
      "diff --git a/src/a.txt b/src/a.txt",
      "index 1234567..89abcde 100644",
      "--- a/src/a.txt",
      "+++ b/src/a.txt",
      "@@ -1,3 +1,4 @@",
      " one",
      "-two",
      "+2",
      "+2.5",
      " three",
      "diff --git a/new/b.sh b/new/b.sh",
      "new file mode 100755",
      "--- /dev/null",
      "+++ b/new/b.sh",
      "@@ -0,0 +1,2 @@",
      "+#!/bin/sh",
      "+true",
      "diff --git a/gone.txt b/gone.txt",
      "deleted file mode 100644",
      "--- a/gone.txt",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-bye",
      "",
    ].join("\n");
    const plan = await place.plan(applyPatchTool, { patch });
    expect(plan.summary).toBe("ApplyPatch 3 files: 1 added, 1 updated, 1 deleted");
    expect(plan.effects.map((effect) => (effect.kind === "write" ? [effect.change, effect.path.asked] : [effect.kind]))).toEqual([
      ["read"],
      ["modify", "src/a.txt"],
      ["create", "new/b.sh"],
      ["read"],
      ["delete", "gone.txt"],
    ]);
    expect(await place.tree()).toEqual({ "gone.txt": "bye\n", "src/a.txt": "one\ntwo\nthree\n" });
    const result = await place.runPlan(applyPatchTool, { patch }, plan);
    expect(result.output).toBe("ApplyPatch 3 files: 1 added, 1 updated, 1 deleted\nupdated src/a.txt\nadded new/b.sh\ndeleted gone.txt");
    expect(await place.tree()).toEqual({ "new/b.sh": "#!/bin/sh\ntrue\n", "src/a.txt": "one\n2\n2.5\nthree\n" });
    expect((await stat(place.path("new/b.sh"))).mode & 0o777).toBe(0o755);
  });

  it("renames a file, with and without a change in it, and keeps its mode", async () => {
    await place.write("old name.sh", "a\nb\n");
    await chmod(place.path("old name.sh"), 0o750);
    const result = await run(
      "diff --git a/old name.sh b/sub/new.sh",
      "similarity index 60%",
      "rename from old name.sh",
      "rename to sub/new.sh",
      "--- a/old name.sh",
      "+++ b/sub/new.sh",
      "@@ -1,2 +1,2 @@",
      " a",
      "-b",
      "+c",
    );
    expect(result.output).toBe("ApplyPatch moved old name.sh to sub/new.sh");
    expect(await place.tree()).toEqual({ "sub/new.sh": "a\nc\n" });
    expect((await stat(place.path("sub/new.sh"))).mode & 0o777).toBe(0o750);
    await run("diff --git a/sub/new.sh b/x", "similarity index 100%", "rename from sub/new.sh", "rename to x");
    expect(await place.tree()).toEqual({ x: "a\nc\n" });
  });

  it("finds a hunk whose line numbers are off and says by how much", async () => {
    await place.write("a.txt", `${Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n")}\n`);
    const result = await run("--- a.txt", "+++ a.txt", "@@ -10,3 +10,3 @@", " line 29", "-line 30", "+LINE 30", " line 31");
    expect(result.output).toBe("ApplyPatch updated a.txt\n  hunk 1 applied at line 29: 19 lines further down");
    expect(result.data).toMatchObject({ files: [{ hunks: [{ hunk: 1, line: 29, offset: 19, fuzz: [] }] }] });
    expect(await place.text("a.txt")).toContain("line 29\nLINE 30\nline 31\n");
  });

  it("tolerates trailing white space, wrong counts and one wrong context line, and reports each; context keeps its bytes", async () => {
    await place.write("a.txt", "head  \none\ntwo\nthree\ntail\n");
    const trailing = await run("--- a/a.txt", "+++ b/a.txt", "@@ -1,3 +1,3 @@", " head", " one", "-two", "+2");
    expect(trailing.data).toMatchObject({ files: [{ hunks: [{ fuzz: ["trailing_whitespace"] }] }] });
    const counts = await run("--- a/a.txt", "+++ b/a.txt", "@@ -2,9 +2,9 @@", " one", "-2", "+zwei", " three");
    expect(counts.data).toMatchObject({ files: [{ hunks: [{ fuzz: ["line_counts"] }] }] });
    const context = await run("--- a/a.txt", "+++ b/a.txt", "@@ -2,3 +2,3 @@", " ONE", "-zwei", "+deux", " three");
    expect(context.data).toMatchObject({ files: [{ hunks: [{ fuzz: ["context_trimmed"] }] }] });
    expect(await place.text("a.txt")).toBe("head  \none\ndeux\nthree\ntail\n");
  });

  it("keeps CRLF with an LF patch, also where endings are mixed", async () => {
    await place.write("a.txt", "one\r\ntwo\r\nthree\nfour\n");
    await run("--- a/a.txt", "+++ b/a.txt", "@@ -1,4 +1,6 @@", " one", "-two", "+2", "+2.5", " three", "+3.5", " four");
    expect(await place.text("a.txt")).toBe("one\r\n2\r\n2.5\r\nthree\n3.5\nfour\n");
  });

  it("changes endings where the patch is about them", async () => {
    await place.write("a.txt", "one\r\ntwo\r\n");
    await run("--- a/a.txt", "+++ b/a.txt", "@@ -1,2 +1,2 @@", "-one\r", "+one", " two\r");
    expect(await place.text("a.txt")).toBe("one\ntwo\r\n");
  });

  it("takes a patch sent with CRLF", async () => {
    await place.write("a.txt", "one\ntwo\n");
    await place.run(applyPatchTool, { patch: "--- a/a.txt\r\n+++ b/a.txt\r\n@@ -1,2 +1,2 @@\r\n one\r\n-two\r\n+2\r\n" });
    expect(await place.text("a.txt")).toBe("one\n2\n");
  });

  it("honours a missing newline at the end on either side", async () => {
    await place.write("a.txt", "one\ntwo");
    const marker = "\\ No newline at end of file";
    await run("--- a/a.txt", "+++ b/a.txt", "@@ -1,2 +1,3 @@", " one", "-two", marker, "+two", "+three");
    expect(await place.text("a.txt")).toBe("one\ntwo\nthree\n");
    await run("--- a/a.txt", "+++ b/a.txt", "@@ -2,2 +2,2 @@", " two", "-three", "+3", marker);
    expect(await place.text("a.txt")).toBe("one\ntwo\n3");
    await run("--- a/a.txt", "+++ b/a.txt", "@@ -2,2 +2,3 @@", " two", " 3", "+4");
    expect(await place.text("a.txt")).toBe("one\ntwo\n3\n4");
  });

  it("reads quoted names and keeps a real directory named a", async () => {
    await place.write("ü.txt", "x\n");
    await run('--- "a/\\303\\274.txt"', '+++ "b/\\303\\274.txt"', "@@ -1 +1 @@", "-x", "+y");
    expect(await place.text("ü.txt")).toBe("y\n");
    await place.write("a/f.txt", "x\n");
    await run("--- a/f.txt", "+++ a/f.txt", "@@ -1 +1 @@", "-x", "+y");
    expect(await place.text("a/f.txt")).toBe("y\n");
  });

  it("removes a line that reads like a file header", async () => {
    await place.write("q.sql", "select 1;\n-- old\nselect 2;\n");
    await run("--- a/q.sql", "+++ b/q.sql", "@@ -1,3 +1,3 @@", " select 1;", "--- old", "+++ new", " select 2;");
    expect(await place.text("q.sql")).toBe("select 1;\n++ new\nselect 2;\n");
  });

  it("passes over prose, fences and a mail signature around the diff", async () => {
    await place.write("a.txt", "x\n");
    await run("```diff", "Here it is:", "--- a/a.txt", "+++ b/a.txt", "@@ -1 +1 @@", "-x", "+y", "-- ", "2.39.2", "", "```");
    expect(await place.text("a.txt")).toBe("y\n");
  });

  it("applies hunks that come out of order", async () => {
    await place.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n");
    const result = await run("--- a/a.txt", "+++ b/a.txt", "@@ -7,2 +7,2 @@", " 7", "-8", "+eight", "@@ -1,2 +1,2 @@", " 1", "-2", "+two");
    expect(result.output).toContain("hunk 2 applied at line 1: out of order");
    expect(await place.text("a.txt")).toBe("1\ntwo\n3\n4\n5\n6\n7\neight\n");
  });
});

describe("ApplyPatch refuses, and leaves every file as it was", () => {
  it("when one hunk of one file has no place: names file, hunk and nearest block", async () => {
    await place.write("a.txt", "one\ntwo\nthree\n");
    await place.write("b.txt", "alpha\nbeta\ngamma\ndelta\n");
    const before = await place.tree();
    const error = await failure(
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -1,2 +1,2 @@",
      " one",
      "-two",
      "+2",
      "--- a/b.txt",
      "+++ b/b.txt",
      "@@ -1,3 +1,3 @@",
      " alpha",
      "-betta",
      "+BETA",
      " gamma",
    );
    expect(error.toError()).toMatchObject({
      code: "invalid_tool_input",
      message: "b.txt: hunk 1 of 1 (@@ -1,3 +1,3 @@) does not fit the file. Nothing was changed",
      details: {
        reason: "no_match",
        path: "b.txt",
        hunk: 1,
        nearest: { first_line: 1, last_line: 3, text: "alpha\nbeta\ngamma" },
        difference: { line: 2, column: 4, expected: "betta", found: "beta" },
      },
    });
    expect(error.output).toContain("     2\tbeta");
    expect(await place.tree()).toEqual(before);
  });

  it("when a hunk is applied already", async () => {
    await place.write("a.txt", "one\n2\nthree\n");
    const error = await failure("--- a/a.txt", "+++ b/a.txt", "@@ -1,3 +1,3 @@", " one", "-two", "+2", " three");
    expect(error.details).toMatchObject({ reason: "already_applied", path: "a.txt", hunk: 1 });
  });

  it("when it fits at several places and nothing says which", async () => {
    await place.write("a.txt", "x\ny\n--\nx\ny\n");
    const error = await failure("--- a/a.txt", "+++ b/a.txt", "@@ ... @@", " x", "-y", "+z");
    expect(error.details).toMatchObject({ reason: "not_unique", lines: [1, 4], hunk: 1 });
    await run("--- a/a.txt", "+++ b/a.txt", "@@ -4,2 +4,2 @@", " x", "-y", "+z");
    expect(await place.text("a.txt")).toBe("x\ny\n--\nx\nz\n");
  });

  it("when new lines have nothing but a number to go by", async () => {
    await place.write("a.txt", "1\n2\n3\n");
    expect((await failure("--- a/a.txt", "+++ b/a.txt", "@@ -2,0 +3 @@", "+new")).details).toMatchObject({ reason: "no_context" });
  });

  it("when a new file is there, a patched one is not, or a deleted one holds more", async () => {
    await place.write("a.txt", "one\ntwo\n");
    expect((await failure("--- /dev/null", "+++ b/a.txt", "@@ -0,0 +1 @@", "+x")).toError()).toMatchObject({
      code: "tool_conflict",
      details: { reason: "already_exists", path: "a.txt" },
    });
    expect((await failure("--- a/none", "+++ b/none", "@@ -1 +1 @@", "-x", "+y")).details).toMatchObject({ reason: "file_not_found" });
    expect((await failure("--- a/a.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-one")).details).toMatchObject({ reason: "stale_file" });
    expect(await place.tree()).toEqual({ "a.txt": "one\ntwo\n" });
  });

  it("when it is no patch, binary, a link, or changes a mode", async () => {
    await place.write("a.txt", "x\n");
    await chmod(place.path("a.txt"), 0o644);
    const reasons = [
      await failure("hello"),
      await failure("@@ -1 +1 @@", "-x", "+y"),
      await failure("diff --git a/i.png b/i.png", "index 1..2 100644", "GIT binary patch", "literal 3"),
      await failure("diff --git a/l b/l", "new file mode 120000", "--- /dev/null", "+++ b/l", "@@ -0,0 +1 @@", "+target"),
      await failure("diff --git a/a.txt b/a.txt", "old mode 100644", "new mode 100755"),
      await failure("--- a/a.txt", "+++ b/a.txt", "@@ -1 +1 @@", " x"),
    ].map((error) => error.details?.reason);
    expect(reasons).toEqual(["bad_patch", "bad_patch", "bad_patch", "bad_patch", "mode_change", "bad_patch"]);
  });

  it("when a file changed since this session read it", async () => {
    await place.write("a.txt", "x\n");
    await place.see("a.txt");
    await place.write("a.txt", "x\nmore\n");
    expect((await failure("--- a/a.txt", "+++ b/a.txt", "@@ -1 +1 @@", "-x", "+y")).toError()).toMatchObject({
      code: "tool_conflict",
      details: { reason: "stale_file" },
    });
  });

  it("when a later file cannot be written: those written before get their bytes back", async () => {
    await place.write("a.txt", "a\n");
    await place.write("d.txt", "d\n");
    await chmod(place.path("d.txt"), 0o640);
    const { files } = place;
    place.files = {
      ...files,
      remove: (facts, expect) => (facts.real.endsWith("d.txt") ? Promise.reject(new Error("disk on fire")) : files.remove(facts, expect)),
    };
    const error = await failure(
      "*** Begin Patch",
      "*** Update File: a.txt",
      "-a",
      "+A",
      "*** Add File: n.txt",
      "+n",
      "*** Delete File: d.txt",
      "*** End Patch",
    );
    expect(error.details).toMatchObject({ restored: ["n.txt", "a.txt"], not_restored: [] });
    expect(await place.tree()).toEqual({ "a.txt": "a\n", "d.txt": "d\n" });
  });
});

describe("ApplyPatch with *** Begin Patch", () => {
  it("takes padded markers, and a patch that was indented as a whole", () => {
    const update = { kind: "update", path: "a.txt" };
    const padded = "  *** Begin Patch\n *** Update File: a.txt\n@@\n-x\n+y\n  *** End Patch  ";
    expect(parsePatch(padded)).toMatchObject([update]);
    const indented = "    *** Begin Patch\n    *** Update File: a.txt\n    @@\n     a\n    -x\n    +y\n    *** End Patch";
    expect(parsePatch(indented)).toMatchObject([{ ...update, hunks: [{ lines: [{ text: "a" }, { text: "x" }, { text: "y" }] }] }]);
  });

  it("adds, updates, moves and deletes", async () => {
    await place.write("src/a.py", "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n");
    await place.write("old.txt", "x\n");
    await place.write("m.txt", "one\ntwo\n");
    const plan = await place.plan(applyPatchTool, {
      patch: "*** Begin Patch\n*** Delete File: old.txt\n*** End Patch",
    });
    expect(plan.effects).toMatchObject([{ kind: "read" }, { kind: "write", change: "delete", unread: true }]);
    await run(
      "*** Begin Patch",
      "*** Update File: src/a.py",
      "@@ class B:",
      "@@     def f(self):",
      "-        return 1",
      "+        return 2",
      "*** Add File: docs/new.md",
      "+# Title",
      "+",
      "+text",
      "*** Update File: m.txt",
      "*** Move to: sub/m.txt",
      " one",
      "-two",
      "+2",
      "*** Delete File: old.txt",
      "*** End Patch",
    );
    expect(await place.tree()).toEqual({
      "docs/new.md": "# Title\n\ntext\n",
      "src/a.py": "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n",
      "sub/m.txt": "one\n2\n",
    });
  });

  it("appends new lines without context, and finds the last place with *** End of File", async () => {
    await place.write("a.txt", "x\ny\nx\ny\n");
    await run("*** Begin Patch", "*** Update File: a.txt", "@@", " x", "-y", "+end", "*** End of File", "*** End Patch");
    expect(await place.text("a.txt")).toBe("x\ny\nx\nend\n");
    await run("*** Begin Patch", "*** Update File: a.txt", "@@", "+more", "*** End Patch");
    expect(await place.text("a.txt")).toBe("x\ny\nx\nend\nmore\n");
  });

  it("refuses a patch that was cut off, an unknown section, and an anchor that is not there", async () => {
    await place.write("a.txt", "x\n");
    expect((await failure("*** Begin Patch", "*** Update File: a.txt", "-x")).message).toContain("cut off");
    expect((await failure("*** Begin Patch", "*** Rename File: a.txt", "*** End Patch")).details).toEqual({
      reason: "bad_patch",
      patch_line: 2,
    });
    expect((await failure("*** Begin Patch", "*** Update File: a.txt", "@@ nowhere", "-x", "+y", "*** End Patch")).details).toMatchObject({
      reason: "no_match",
      anchor: "nowhere",
    });
  });
});
