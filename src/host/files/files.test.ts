import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileWriter } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { createFiles } from "./files.ts";
import { childScript } from "./fixtures/plain-files.ts";

let root: string;
let files: FileWriter;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-files-")));
  files = createFiles({ cwd: () => root });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

async function refusal(work: Promise<unknown>): Promise<{ code: string; reason: unknown }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ToolFailure)) throw new Error(`expected a ToolFailure, not ${String(error)}`);
  return { code: error.code, reason: error.details?.reason };
}

const openPath = async (path: string) => (await files.open(await files.resolve(path))).close();

describe("open", () => {
  it("reads any part of a file, shorter only at its end", async () => {
    writeFileSync(join(root, "a"), "0123456789");
    const file = await files.open(await files.resolve("a"));
    expect(Buffer.from(await file.read(2, 3)).toString()).toBe("234");
    expect(Buffer.from(await file.read(8, 100)).toString()).toBe("89");
    expect((await file.read(50, 10)).length).toBe(0);
    expect(file.stat).toMatchObject({ kind: "file", size: 10, hardLinks: 1 });
    await file.close();
    await file.close();
  });

  it("refuses directories, FIFOs, sockets, devices, missing and unspeakable paths at once", async () => {
    mkdirSync(join(root, "dir"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "fifo")]);
    symlinkSync("loop", join(root, "loop"));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, "socket"), resolve));
    try {
      expect(await refusal(openPath("dir"))).toEqual({ code: "invalid_tool_input", reason: "is_directory" });
      expect(await refusal(openPath("fifo"))).toEqual({ code: "invalid_tool_input", reason: "not_a_file" });
      expect(await refusal(openPath("socket"))).toEqual({ code: "invalid_tool_input", reason: "not_a_file" });
      expect(await refusal(openPath("/dev/zero"))).toEqual({ code: "invalid_tool_input", reason: "not_a_file" });
      expect(await refusal(openPath("nothing"))).toEqual({ code: "tool_not_found", reason: "file_not_found" });
      expect(await refusal(openPath("dir/x/y"))).toEqual({ code: "tool_not_found", reason: "file_not_found" });
      expect(await refusal(openPath("a\0b"))).toEqual({ code: "invalid_tool_input", reason: "bad_path" });
      expect(await refusal(openPath("loop"))).toEqual({ code: "tool_error", reason: "link_loop" });
    } finally {
      server.close();
    }
  });

  it("refuses a link swapped in for the file between plan and run", async () => {
    writeFileSync(join(root, "file"), "mine");
    writeFileSync(join(root, "secret"), "theirs");
    const facts = await files.resolve("file");
    unlinkSync(join(root, "file"));
    symlinkSync("secret", join(root, "file"));
    expect(await refusal(files.open(facts))).toEqual({ code: "tool_forbidden_path", reason: "path_changed" });
    expect(await refusal(files.readAll(facts))).toEqual({ code: "tool_forbidden_path", reason: "path_changed" });
  });

  it("refuses a link swapped in for a directory on the way", async () => {
    mkdirSync(join(root, "dir"));
    mkdirSync(join(root, "elsewhere"));
    writeFileSync(join(root, "dir/file"), "mine");
    writeFileSync(join(root, "elsewhere/file"), "theirs");
    const facts = await files.resolve("dir/file");
    renameSync(join(root, "dir"), join(root, "old"));
    symlinkSync("elsewhere", join(root, "dir"));
    expect(await refusal(files.open(facts))).toEqual({ code: "tool_forbidden_path", reason: "path_changed" });
    expect(await refusal(files.replace(facts, Buffer.from("x"), { expect: { size: 6, mtimeMs: 0 } }))).toEqual({
      code: "tool_forbidden_path",
      reason: "path_changed",
    });
  });

  it("refuses a FIFO that took the file's place, without waiting for a writer", async () => {
    writeFileSync(join(root, "file"), "mine");
    const facts = await files.resolve("file");
    unlinkSync(join(root, "file"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "file")]);
    expect(await refusal(files.open(facts))).toEqual({ code: "invalid_tool_input", reason: "not_a_file" });
  });

  it("takes a file that was replaced by an ordinary save", async () => {
    writeFileSync(join(root, "file"), "old");
    const facts = await files.resolve("file");
    writeFileSync(join(root, "file.new"), "new");
    renameSync(join(root, "file.new"), join(root, "file"));
    expect(Buffer.from((await files.readAll(facts)).bytes).toString()).toBe("new");
  });

  it("says no_permission of a file and of a directory that may not be used", () => {
    mkdirSync(join(root, "closed"));
    writeFileSync(join(root, "closed/x"), "x");
    writeFileSync(join(root, "private"), "x");
    chmodSync(join(root, "private"), 0o000);
    chmodSync(join(root, "closed"), 0o000);
    chmodSync(root, 0o755);
    const script = childScript(
      `const files = createFiles({ cwd: () => ${JSON.stringify(root)} });
      const out = [];
      for (const path of ["private", "closed/x"]) {
        const facts = await files.resolve(path);
        await files.open(facts).catch((error) => out.push([facts.kind, error.code, error.details.reason]));
      }
      await files.list("closed").catch((error) => out.push([error.code, error.details.reason]));
      console.log(JSON.stringify(out));`,
    );
    // A superuser may read everything: the child gives that up where it has it.
    const ids = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const child = spawnSync(process.execPath, [script], { encoding: "utf8", ...ids });
    chmodSync(join(root, "closed"), 0o755);
    expect([child.stderr.includes("EACCES") ? child.stderr : "", JSON.parse(child.stdout || "null")]).toEqual([
      "",
      [
        ["file", "tool_error", "no_permission"],
        ["unreadable", "tool_error", "no_permission"],
        ["tool_error", "no_permission"],
      ],
    ]);
  });
});

describe("readAll, stat and list", () => {
  it("gives the bytes with their fingerprint, and refuses what is too large", async () => {
    writeFileSync(join(root, "a"), "hello");
    const { bytes, fingerprint } = await files.readAll(await files.resolve("a"));
    expect(Buffer.from(bytes).toString()).toBe("hello");
    expect(fingerprint).toEqual({
      size: 5,
      mtimeMs: (await files.stat("a"))?.mtimeMs,
      hash: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    });
    expect(await refusal(files.readAll(await files.resolve("a"), 4))).toEqual({ code: "tool_error", reason: "too_large" });
    expect((await files.readAll(await files.resolve("a"), 5)).bytes.length).toBe(5);
    truncateSync(join(root, "a"), 10 * 2 ** 30);
    expect(await refusal(files.readAll(await files.resolve("a")))).toEqual({ code: "tool_error", reason: "too_large" });
  });

  it("reads what grows while it is read, and files that do not know their size", async () => {
    const { bytes } = await files.readAll(await files.resolve("/proc/self/status"));
    expect(Buffer.from(bytes).toString()).toContain("Pid:");
  });

  it("says undefined of nothing and follows links", async () => {
    writeFileSync(join(root, "a"), "hello");
    symlinkSync("a", join(root, "l"));
    expect(await files.stat("nothing")).toBeUndefined();
    expect(await files.stat("l")).toEqual(await files.stat("a"));
    symlinkSync("x", join(root, "x"));
    expect((await files.stat("x"))?.kind).toBe("unreadable");
  });

  it("lists in the order of the names, links as links", async () => {
    mkdirSync(join(root, "d/sub"), { recursive: true });
    writeFileSync(join(root, "d/b"), "12");
    writeFileSync(join(root, "d/a\nb"), "1");
    writeFileSync(Buffer.concat([Buffer.from(`${join(root, "d")}/bad`), Buffer.from([0xff])]), "123");
    symlinkSync("b", join(root, "d/link"));
    const entries = await files.list("d");
    expect(entries.map(({ name, kind, size }) => [name, kind, kind === "file" ? size : 0])).toEqual([
      ["a\nb", "file", 1],
      ["b", "file", 2],
      ["bad\uFFFDff", "file", 3],
      ["link", "link", 0],
      ["sub", "directory", 0],
    ]);
    expect(await refusal(files.list("d/b"))).toEqual({ code: "invalid_tool_input", reason: "not_a_directory" });
    expect(await refusal(files.list("nothing"))).toEqual({ code: "tool_not_found", reason: "file_not_found" });
    rmSync(join(root, "d"), { recursive: true });
  });
});
