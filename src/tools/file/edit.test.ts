import { chmod, stat, symlink, truncate } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { editTool } from "./edit.ts";
import { Workspace } from "./match/fixtures/workspace.ts";

let place: Workspace;
beforeEach(async () => {
  place = await Workspace.create();
});
afterEach(() => place.remove());

const edit = (file_path: string, old_string: string, new_string: string, more: object = {}) => ({
  file_path,
  old_string,
  new_string,
  ...more,
});

describe("Edit", () => {
  it("plans a change with its diff and effects, and changes nothing before it runs", async () => {
    await place.write("src/a.ts", "one\ntwo\nthree\n");
    const plan = await place.plan(editTool, edit("src/a.ts", "two", "TWO"));
    expect(await place.text("src/a.ts")).toBe("one\ntwo\nthree\n");
    expect(plan.summary).toBe("Edit src/a.ts: 1 replacement");
    expect(
      plan.effects.map((effect) => (effect.kind === "write" ? `${effect.kind} ${effect.change} ${effect.path.real}` : effect.kind)),
    ).toEqual(["read", `write modify ${place.path("src/a.ts")}`]);
    const diff = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
    expect(plan.preview).toEqual({ type: "diff", text: diff });
    expect(plan.changes).toEqual([{ path: place.path("src/a.ts"), change: "modified", beforeSize: 14, afterSize: 14, diff }]);
    expect(plan.report).toEqual({ path: place.path("src/a.ts"), replacements: 1, encoding: "utf-8" });
  });

  it("answers with the place it changed and remembers the new content", async () => {
    await place.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    await place.see("a.txt");
    const result = await place.run(editTool, edit("a.txt", "5", "five"));
    expect(result.output).toBe("Edit a.txt: 1 replacement\n     2\t2\n     3\t3\n     4\t4\n     5\tfive\n     6\t6\n     7\t7\n     8\t8");
    expect(result.data).toMatchObject({ replacements: 1, lines: [5], changes: [{ change: "modified", before_size: 18, after_size: 21 }] });
    expect(await place.text("a.txt")).toBe("1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
    await place.run(editTool, edit("a.txt", "five", "5"));
    expect(await place.text("a.txt")).toBe("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  });

  it("replaces every occurrence with replace_all, and without it refuses and lists every line", async () => {
    await place.write("a.txt", "x\ny\nx x\nz\n");
    const failure = await place.failure(editTool, edit("a.txt", "x", "w"));
    expect(failure.toError()).toEqual({
      code: "invalid_tool_input",
      message: "old_string occurs 3 times in a.txt: lines 1, 3, 3",
      hint: "Add lines before or after to old_string until it is unique, or set replace_all to true to change every one.",
      details: { reason: "not_unique", path: "a.txt", count: 3, lines: [1, 3, 3] },
    });
    const result = await place.run(editTool, edit("a.txt", "x", "w", { replace_all: true }));
    expect(result.output).toContain("Edit a.txt: 3 replacements");
    expect(await place.text("a.txt")).toBe("w\ny\nw w\nz\n");
  });

  it("counts overlapping matches as several", async () => {
    await place.write("a.txt", "aaa\n");
    expect((await place.failure(editTool, edit("a.txt", "aa", "b"))).details).toMatchObject({ reason: "not_unique", count: 2 });
    await place.run(editTool, edit("a.txt", "aa", "b", { replace_all: true }));
    expect(await place.text("a.txt")).toBe("ba\n");
  });

  it("refuses equal strings and an empty old_string", async () => {
    await place.write("a.txt", "x\n");
    expect((await place.failure(editTool, edit("a.txt", "x", "x"))).details).toEqual({ reason: "equal_strings", path: "a.txt" });
    const empty = await place.failure(editTool, edit("a.txt", "", "x"));
    expect(empty.details).toEqual({ reason: "empty_old_string", path: "a.txt" });
    expect(empty.hint).toContain("Write");
  });

  it("refuses a missing file, a directory and a binary file", async () => {
    await place.write("sub/b.bin", Uint8Array.of(0x7f, 0x45, 0, 1, 2));
    expect((await place.failure(editTool, edit("none.txt", "x", "y"))).toError()).toMatchObject({
      code: "tool_not_found",
      details: { reason: "file_not_found", path: "none.txt" },
    });
    expect((await place.failure(editTool, edit("sub", "x", "y"))).details).toMatchObject({ reason: "is_directory" });
    expect((await place.failure(editTool, edit("sub/b.bin", "x", "y"))).details).toEqual({ reason: "binary_file", path: "sub/b.bin" });
  });

  it("refuses a file that changed since this session read it, and allows one that only was touched", async () => {
    await place.write("a.txt", "one\ntwo\n");
    await place.see("a.txt");
    await place.write("a.txt", "one\ntwo\nthree\n");
    expect((await place.failure(editTool, edit("a.txt", "one", "1"))).toError()).toMatchObject({
      code: "tool_conflict",
      details: { reason: "stale_file", path: "a.txt" },
    });
    await place.write("a.txt", "one\ntwo\n");
    await place.run(editTool, edit("a.txt", "one", "1"));
    expect(await place.text("a.txt")).toBe("1\ntwo\n");
  });

  it("fails as stale when another program changes the file between plan and run", async () => {
    await place.write("a.txt", "one\n");
    const input = edit("a.txt", "one", "two");
    const plan = await place.plan(editTool, input);
    await place.write("a.txt", "one and more\n");
    await expect(place.runPlan(editTool, input, plan)).rejects.toMatchObject({ code: "tool_conflict", details: { reason: "stale_file" } });
    expect(await place.text("a.txt")).toBe("one and more\n");
  });

  it("keeps the mode, and writes through a link to the file behind it", async () => {
    await place.write("real.sh", "#!/bin/sh\necho a\n");
    await chmod(place.path("real.sh"), 0o750);
    await symlink("real.sh", place.path("link.sh"));
    await place.run(editTool, edit("link.sh", "echo a", "echo b"));
    expect(await place.text("real.sh")).toBe("#!/bin/sh\necho b\n");
    expect((await stat(place.path("real.sh"))).mode & 0o777).toBe(0o750);
  });
});

describe("Edit keeps line endings", () => {
  it("matches LF in the call with CRLF in the file and inserts CRLF", async () => {
    await place.write("a.txt", "one\r\ntwo\r\nthree\r\n");
    await place.run(editTool, edit("a.txt", "one\ntwo\n", "one\n1.5\ntwo\n"));
    expect(await place.text("a.txt")).toBe("one\r\n1.5\r\ntwo\r\nthree\r\n");
  });

  it("matches LF in the call with CR in the file", async () => {
    await place.write("a.txt", "one\rtwo\rthree\r");
    await place.run(editTool, edit("a.txt", "one\ntwo", "one\n1.5\ntwo"));
    expect(await place.text("a.txt")).toBe("one\r1.5\rtwo\rthree\r");
  });

  it("leaves every other ending of a mixed file alone, also inside the match", async () => {
    await place.write("a.txt", "a\r\nb\nc\r\nd\ne\r\n");
    await place.run(editTool, edit("a.txt", "a\nb\nc\nd\n", "a\nb\nC\nd\n"));
    expect(await place.text("a.txt")).toBe("a\r\nb\nC\r\nd\ne\r\n");
  });

  it("gives inserted lines the ending of the lines they replace", async () => {
    await place.write("a.txt", "lf\nlf\ncr\r\ncr\r\n");
    await place.run(editTool, edit("a.txt", "cr\ncr\n", "new\nnew\nnew\n"));
    expect(await place.text("a.txt")).toBe("lf\nlf\nnew\r\nnew\r\nnew\r\n");
    await place.run(editTool, edit("a.txt", "lf\nlf", "x\ny\nz"));
    expect(await place.text("a.txt")).toBe("x\ny\nz\nnew\r\nnew\r\nnew\r\n");
  });

  it("does not let CRLF of the call into an LF file", async () => {
    await place.write("a.txt", "one\ntwo\n");
    await place.run(editTool, edit("a.txt", "one\r\ntwo", "one\r\n1.5\r\ntwo"));
    expect(await place.text("a.txt")).toBe("one\n1.5\ntwo\n");
  });

  it("counts a match once whatever its endings: both places make it not unique", async () => {
    await place.write("a.txt", "a\nb\n--\na\r\nb\r\n");
    expect((await place.failure(editTool, edit("a.txt", "a\nb", "x"))).details).toMatchObject({ reason: "not_unique", lines: [1, 4] });
    await place.run(editTool, edit("a.txt", "a\r\nb", "x"));
    expect(await place.text("a.txt")).toBe("a\nb\n--\nx\r\n");
  });

  it("changes endings where the edit is about nothing else", async () => {
    await place.write("a.txt", "a\r\nb\nc\r\n");
    await place.run(editTool, edit("a.txt", "\r\n", "\n", { replace_all: true }));
    expect(await place.text("a.txt")).toBe("a\nb\nc\n");
    await place.run(editTool, edit("a.txt", "\n", "\r\n", { replace_all: true }));
    expect(await place.text("a.txt")).toBe("a\r\nb\r\nc\r\n");
    expect((await place.failure(editTool, edit("a.txt", "b\n", "b\r\n"))).details).toMatchObject({ reason: "line_endings", lines: [2] });
  });

  it("keeps a missing final newline missing", async () => {
    await place.write("a.txt", "one\ntwo");
    await place.run(editTool, edit("a.txt", "two", "2"));
    expect(await place.text("a.txt")).toBe("one\n2");
  });
});

describe("Edit and names, kinds and sizes of files", () => {
  it("offers the nearest name for a missing file", async () => {
    await place.write("config.ts", "x\n");
    expect((await place.failure(editTool, edit("confg.ts", "x", "y"))).hint).toContain("config.ts");
  });

  it("numbers lines like Read: a bare CR inside an LF file ends none", async () => {
    await place.write("log.txt", "a\rb\rc\nneedle\nneedle\n");
    expect((await place.failure(editTool, edit("log.txt", "needle", "x"))).details).toMatchObject({ lines: [2, 3] });
    expect((await place.failure(editTool, edit("log.txt", "needel", "x"))).details).toMatchObject({ nearest: { first_line: 2 } });
  });

  it("refuses a file over 50 MB before it is read", async () => {
    await place.write("huge.txt", "");
    await truncate(place.path("huge.txt"), 60 * 2 ** 20);
    expect((await place.failure(editTool, edit("huge.txt", "x", "y"))).details).toMatchObject({ reason: "too_large" });
  });

  it("edits UTF-16 and legacy text, and refuses what the encoding cannot hold", async () => {
    await place.write("wide.txt", Buffer.from("\ufeffone\r\ntwo\r\n", "utf16le"));
    await place.run(editTool, edit("wide.txt", "one\ntwo", "eins\nzwei é"));
    expect(await place.read("wide.txt")).toEqual(Buffer.from("\ufeffeins\r\nzwei é\r\n", "utf16le"));
    await place.write("latin.txt", Buffer.from("d\u00e9j\u00e0 vu, caf\u00e9, cr\u00e8me\n", "latin1"));
    await place.run(editTool, edit("latin.txt", "café", "thé"));
    expect(await place.read("latin.txt")).toEqual(Buffer.from("d\u00e9j\u00e0 vu, th\u00e9, cr\u00e8me\n", "latin1"));
    expect((await place.failure(editTool, edit("latin.txt", "thé", "茶"))).toError()).toMatchObject({
      code: "invalid_tool_input",
      details: { reason: "not_encodable", encoding: "windows-1252", character: "茶", code_point: "U+8336" },
    });
  });

  it("leaves a damaged byte far away as it is", async () => {
    const bytes = Buffer.concat([Buffer.from("title: é\n"), Buffer.from("ok é\n".repeat(50)), Buffer.of(0xff, 0x0a)]);
    await place.write("a.txt", bytes);
    await place.run(editTool, edit("a.txt", "title: é", "title: è"));
    const expected = Buffer.from(bytes);
    Buffer.from("è").copy(expected, "title: ".length);
    expect(await place.read("a.txt")).toEqual(expected);
  });
});
