import { execFile } from "node:child_process";
import { chmod, mkdir, stat, truncate } from "node:fs/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Workspace } from "./match/fixtures/workspace.ts";
import { writeTool } from "./write.ts";

let place: Workspace;
beforeEach(async () => {
  place = await Workspace.create();
});
afterEach(() => place.remove());

const write = (file_path: string, content: string) => ({ file_path, content });

describe("Write", () => {
  it("creates a file and its directories, with endings as given", async () => {
    const input = write("new/deep/a.txt", "one\r\ntwo\n");
    const plan = await place.plan(writeTool, input);
    expect(plan.summary).toBe("Write new/deep/a.txt: new file, 9 bytes");
    expect(plan.effects).toMatchObject([{ kind: "write", change: "create" }]);
    expect(await place.tree()).toEqual({});
    const result = await place.runPlan(writeTool, input, plan);
    const path = place.path("new/deep/a.txt");
    const diff = "--- /dev/null\n+++ b/new/deep/a.txt\n@@ -0,0 +1,2 @@\n+one\r\n+two\n";
    expect(result).toEqual({
      output: "Created new/deep/a.txt (9 bytes)",
      data: { path, bytes: 9, created: true, encoding: "utf-8", bom: false, changes: [{ path, change: "created", after_size: 9, diff }] },
    });
    expect(await place.text("new/deep/a.txt")).toBe("one\r\ntwo\n");
  });

  it("shows a diff when it overwrites, keeps the mode, and marks a file this session never read", async () => {
    await place.write("a.sh", "one\ntwo\n");
    await chmod(place.path("a.sh"), 0o755);
    const plan = await place.plan(writeTool, write("a.sh", "one\n2\n"));
    expect(plan.effects).toMatchObject([{ kind: "read" }, { kind: "write", change: "modify", unread: true }]);
    expect(plan.preview).toEqual({ type: "diff", text: "--- a/a.sh\n+++ b/a.sh\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" });
    await place.see("a.sh");
    const seen = await place.plan(writeTool, write("a.sh", "one\n2\n"));
    expect(seen.effects[1]).not.toHaveProperty("unread");
    await place.run(writeTool, write("a.sh", "one\n2\n"));
    expect((await stat(place.path("a.sh"))).mode & 0o777).toBe(0o755);
    await place.run(writeTool, write("a.sh", "again\n"));
    expect(await place.text("a.sh")).toBe("again\n");
  });

  it("refuses a file that changed since this session read it, and one that changes before it runs", async () => {
    await place.write("a.txt", "one\n");
    await place.see("a.txt");
    await place.write("a.txt", "two, by somebody else\n");
    expect((await place.failure(writeTool, write("a.txt", "x"))).toError()).toMatchObject({
      code: "tool_conflict",
      details: { reason: "stale_file" },
    });
    await place.see("a.txt");
    const plan = await place.plan(writeTool, write("a.txt", "x"));
    await place.write("a.txt", "three\n");
    await expect(place.runPlan(writeTool, write("a.txt", "x"), plan)).rejects.toMatchObject({ details: { reason: "stale_file" } });
    const fresh = await place.plan(writeTool, write("b.txt", "x"));
    await place.write("b.txt", "somebody was first\n");
    await expect(place.runPlan(writeTool, write("b.txt", "x"), fresh)).rejects.toMatchObject({ details: { reason: "already_exists" } });
    expect(await place.tree()).toEqual({ "a.txt": "three\n", "b.txt": "somebody was first\n" });
  });

  it("keeps byte order mark and encoding of what it replaces where the text fits, else writes UTF-8 and says so", async () => {
    const mark = Buffer.of(0xef, 0xbb, 0xbf);
    await place.write("bom.txt", Buffer.concat([mark, Buffer.from("old\n")]));
    expect((await place.run(writeTool, write("bom.txt", "new\n"))).data).toMatchObject({ encoding: "utf-8", bom: true });
    expect(await place.read("bom.txt")).toEqual(Buffer.concat([mark, Buffer.from("new\n")]));
    await place.run(writeTool, write("bom.txt", "\ufeffnewer\n"));
    expect(await place.read("bom.txt")).toEqual(Buffer.concat([mark, Buffer.from("newer\n")]));

    await place.write("wide.txt", Buffer.from("\ufeffold\r\n", "utf16le"));
    expect((await place.run(writeTool, write("wide.txt", "neu ä\r\n"))).output).toBe("Wrote wide.txt (16 bytes as utf-16le)");
    expect(await place.read("wide.txt")).toEqual(Buffer.from("\ufeffneu ä\r\n", "utf16le"));

    await place.write("latin.txt", Buffer.from("caf\u00e9 cr\u00e8me, d\u00e9j\u00e0 vu\n", "latin1"));
    await place.run(writeTool, write("latin.txt", "thé\n"));
    expect(await place.read("latin.txt")).toEqual(Buffer.from("th\u00e9\n", "latin1"));
    expect((await place.run(writeTool, write("latin.txt", "thé 茶\n"))).data).toMatchObject({ encoding: "utf-8" });
    expect(await place.text("latin.txt")).toBe("thé 茶\n");
  });

  it("tells binary and huge content by its size alone", async () => {
    await place.write("b.bin", Uint8Array.of(1, 0, 2));
    const binary = await place.plan(writeTool, write("b.bin", "text\n"));
    expect(binary.changes).toEqual([{ path: place.path("b.bin"), change: "modified", beforeSize: 3, afterSize: 5 }]);
    expect(binary.preview).toEqual({ type: "diff", text: `modified ${place.path("b.bin")}: 3 to 5 bytes\n` });
    await place.write("huge.log", "");
    await truncate(place.path("huge.log"), 20 * 2 ** 30);
    const huge = await place.plan(writeTool, write("huge.log", "text\n"));
    expect(huge.changes).toMatchObject([{ beforeSize: 20 * 2 ** 30, afterSize: 5 }]);
    expect(huge.effects).toMatchObject([{ kind: "write", unread: true }]);
    await place.runPlan(writeTool, write("huge.log", "text\n"), huge);
    expect(await place.text("huge.log")).toBe("text\n");
  });

  it("refuses a directory, a FIFO, a path below a file, and half a character", async () => {
    await mkdir(place.path("dir"));
    await promisify(execFile)("mkfifo", [place.path("pipe")]);
    await place.write("file.txt", "x");
    expect((await place.failure(writeTool, write("dir", "x"))).details).toMatchObject({ reason: "is_directory" });
    expect((await place.failure(writeTool, write("pipe", "x"))).details).toMatchObject({ reason: "not_a_file" });
    expect((await place.failure(writeTool, write("file.txt/below", "x"))).code).toMatch(/tool_/);
    expect((await place.failure(writeTool, write("b.txt", "half \ud83d"))).details).toMatchObject({ reason: "not_encodable" });
    expect(await place.text("file.txt")).toBe("x");
  });
});
