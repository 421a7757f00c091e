import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileWriter } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { createFiles } from "./files.ts";
import { childScript } from "./fixtures/plain-files.ts";

let root: string;
let files: FileWriter;
const isSuperuser = process.getuid?.() === 0;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-replace-")));
  files = createFiles({ cwd: () => root });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ToolFailure)) throw new Error(`expected a ToolFailure, not ${String(error)}`);
  return [error.code, error.details?.reason];
}

async function change(path: string, text: string): Promise<void> {
  const facts = await files.resolve(path);
  const { fingerprint } = await files.readAll(facts);
  const after = await files.replace(facts, Buffer.from(text), { expect: fingerprint });
  expect(after).toEqual((await files.readAll(facts)).fingerprint);
}

describe("replace", () => {
  it("creates a file with its parents, and never over one that is there", async () => {
    const facts = await files.resolve("a/b/c.txt");
    await files.replace(facts, Buffer.from("new"), { expect: null });
    expect(readFileSync(join(root, "a/b/c.txt"), "utf8")).toBe("new");
    expect(readdirSync(join(root, "a/b"))).toEqual(["c.txt"]);
    expect(lstatSync(join(root, "a/b/c.txt")).nlink).toBe(1);
    expect(await reasonOf(files.replace(facts, Buffer.from("x"), { expect: null }))).toEqual(["tool_conflict", "already_exists"]);
    await files.replace(await files.resolve("run.sh"), Buffer.from("#!"), { expect: null, mode: 0o750 });
    expect(statSync(join(root, "run.sh")).mode & 0o7777).toBe(0o750);
  });

  it("keeps the mode, and the owner where it may", async () => {
    writeFileSync(join(root, "x"), "old");
    chmodSync(join(root, "x"), 0o4751);
    if (isSuperuser) chownSync(join(root, "x"), 12345, 54321);
    if (isSuperuser) chmodSync(join(root, "x"), 0o4751);
    const before = statSync(join(root, "x"));
    await change("x", "new content");
    const after = statSync(join(root, "x"));
    expect([after.mode, after.uid, after.gid, readFileSync(join(root, "x"), "utf8")]).toEqual([
      before.mode,
      before.uid,
      before.gid,
      "new content",
    ]);
    expect(after.ino).not.toBe(before.ino);
  });

  it("writes through a link into its target, and leaves the link", async () => {
    mkdirSync(join(root, "real"));
    writeFileSync(join(root, "real/x"), "old");
    symlinkSync("real/x", join(root, "l"));
    await change("l", "new");
    expect([lstatSync(join(root, "l")).isSymbolicLink(), readFileSync(join(root, "real/x"), "utf8")]).toEqual([true, "new"]);
  });

  it("keeps all names of a hard-linked file", async () => {
    writeFileSync(join(root, "x"), "the old content, long");
    linkSync(join(root, "x"), join(root, "y"));
    await change("x", "the new");
    expect([readFileSync(join(root, "y"), "utf8"), statSync(join(root, "x")).ino]).toEqual(["the new", statSync(join(root, "y")).ino]);
    await change("y", "the new and longer than the old content");
    expect(readFileSync(join(root, "x"), "utf8")).toBe("the new and longer than the old content");
  });

  it("refuses what changed since it was read, in size, time or content", async () => {
    writeFileSync(join(root, "x"), "one");
    const facts = await files.resolve("x");
    const { fingerprint } = await files.readAll(facts);
    const { mtimeMs } = statSync(join(root, "x"));
    const attempt = () => reasonOf(files.replace(facts, Buffer.from("mine"), { expect: fingerprint }));
    writeFileSync(join(root, "x"), "longer");
    expect(await attempt()).toEqual(["tool_conflict", "stale_file"]);
    // The same size and the same time: the hash tells.
    writeFileSync(join(root, "x"), "two");
    utimesSync(join(root, "x"), mtimeMs / 1000, mtimeMs / 1000);
    expect(await attempt()).toEqual(["tool_conflict", "stale_file"]);
    expect(await reasonOf(files.replace(facts, Buffer.from("mine"), { expect: { size: 3, mtimeMs: mtimeMs + 5 } }))).toEqual([
      "tool_conflict",
      "stale_file",
    ]);
    expect(readFileSync(join(root, "x"), "utf8")).toBe("two");
    execFileSync("rm", [join(root, "x")]);
    expect(await attempt()).toEqual(["tool_conflict", "stale_file"]);
    expect(readdirSync(root)).toEqual([]);
  });

  it("takes a file that was only touched", async () => {
    writeFileSync(join(root, "x"), "one");
    const facts = await files.resolve("x");
    const { fingerprint } = await files.readAll(facts);
    utimesSync(join(root, "x"), 1, 1);
    await files.replace(facts, Buffer.from("two"), { expect: fingerprint });
    expect(readFileSync(join(root, "x"), "utf8")).toBe("two");
  });

  it("refuses directories, FIFOs and paths below files", async () => {
    mkdirSync(join(root, "d"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "f")]);
    writeFileSync(join(root, "x"), "");
    const write = async (path: string) => reasonOf(files.replace(await files.resolve(path), Buffer.from(""), { expect: null }));
    expect(await write("d")).toEqual(["invalid_tool_input", "is_directory"]);
    expect(await write("f")).toEqual(["invalid_tool_input", "not_a_file"]);
    expect(await write("x/y")).toEqual(["tool_error", "not_a_directory"]);
    expect(await write("x/y/z")).toEqual(["tool_error", "not_a_directory"]);
  });

  it("does not create a file where a link was put meanwhile", async () => {
    mkdirSync(join(root, "dir"));
    mkdirSync(join(root, "elsewhere"));
    const facts = await files.resolve("dir/sub/x");
    symlinkSync("../elsewhere", join(root, "dir/sub"));
    expect(await reasonOf(files.replace(facts, Buffer.from("x"), { expect: null }))).toEqual(["tool_forbidden_path", "path_changed"]);
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
    const direct = await files.resolve("dir/y");
    symlinkSync("../elsewhere/y", join(root, "dir/y"));
    expect(await reasonOf(files.replace(direct, Buffer.from("x"), { expect: null }))).toEqual(["tool_forbidden_path", "path_changed"]);
  });

  it("lets one of many writers win and tells the others", async () => {
    writeFileSync(join(root, "x"), "start");
    const facts = await files.resolve("x");
    const { fingerprint } = await files.readAll(facts);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => files.replace(facts, Buffer.from(`writer ${index}`), { expect: fingerprint })),
    );
    const content = readFileSync(join(root, "x"), "utf8");
    expect(content).toMatch(/^writer \d$/);
    expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
    expect(readdirSync(root)).toEqual(["x"]);
    const created = await files.resolve("new");
    const creations = await Promise.allSettled(
      Array.from({ length: 10 }, () => files.replace(created, Buffer.from("n"), { expect: null })),
    );
    expect(creations.filter(({ status }) => status === "fulfilled").length).toBe(1);
  });

  it("removes a file that is the expected one", async () => {
    writeFileSync(join(root, "x"), "one");
    const facts = await files.resolve("x");
    const { fingerprint } = await files.readAll(facts);
    writeFileSync(join(root, "x"), "two");
    expect(await reasonOf(files.remove(facts, fingerprint))).toEqual(["tool_conflict", "stale_file"]);
    await files.remove(facts, (await files.readAll(facts)).fingerprint);
    expect(existsSync(join(root, "x"))).toBe(false);
    expect(await reasonOf(files.remove(facts, fingerprint))).toEqual(["tool_not_found", "file_not_found"]);
  });
});

describe("replace without the rights of a superuser", () => {
  it("writes in place where the directory or the owner forbids a replacement, and not at all where the file does", () => {
    mkdirSync(join(root, "closed"));
    mkdirSync(join(root, "open"));
    for (const name of ["closed/x", "open/theirs", "open/readonly"]) writeFileSync(join(root, name), "old");
    const script = childScript(
      `const files = createFiles({ cwd: () => ${JSON.stringify(root)} });
      const out = {};
      for (const path of ["closed/x", "open/theirs", "open/readonly", "closed/new"]) {
        const facts = await files.resolve(path);
        const expect = facts.kind === "absent" ? null : (await files.readAll(facts)).fingerprint;
        out[path] = await files.replace(facts, Buffer.from("new"), { expect }).then(() => "written", (error) => error.details.reason);
      }
      console.log(JSON.stringify(out));`,
    );
    chmodSync(root, 0o755);
    chmodSync(join(root, "closed/x"), 0o666);
    chmodSync(join(root, "open/theirs"), 0o666);
    chmodSync(join(root, "open/readonly"), 0o444);
    chmodSync(join(root, "open"), 0o777);
    chmodSync(join(root, "closed"), 0o555);
    const inode = statSync(join(root, "open/theirs"));
    const ids = isSuperuser ? { uid: 65534, gid: 65534 } : {};
    const child = spawnSync(process.execPath, [script], { encoding: "utf8", ...ids });
    expect(JSON.parse(child.stdout || JSON.stringify(child.stderr))).toEqual({
      "closed/x": "written",
      "open/theirs": "written",
      "open/readonly": "no_permission",
      "closed/new": "no_permission",
    });
    expect(["closed/x", "open/theirs", "open/readonly"].map((name) => readFileSync(join(root, name), "utf8"))).toEqual([
      "new",
      "new",
      "old",
    ]);
    const after = statSync(join(root, "open/theirs"));
    expect([after.uid, after.mode, isSuperuser ? after.ino : inode.ino]).toEqual([inode.uid, inode.mode, inode.ino]);
    expect(readdirSync(join(root, "open")).sort()).toEqual(["readonly", "theirs"]);
    chmodSync(join(root, "closed"), 0o755);
  });
});

describe("kill -9", () => {
  it("leaves the old or the new file at any point, and a later write removes what was left over", { timeout: 900_000 }, async () => {
    const kills = process.env.KARYI_FULL === "1" ? 300 : 20;
    const path = join(root, "x");
    const contents = [Buffer.alloc(300_000, "a"), Buffer.alloc(400_000, "b")];
    writeFileSync(path, contents[0] ?? "");
    const script = childScript(
      `const files = createFiles({ cwd: () => ${JSON.stringify(root)} });
      const facts = await files.resolve("x");
      process.on("message", async () => {
        let { fingerprint, bytes } = await files.readAll(facts);
        let next = bytes[0] === 97 ? 1 : 0;
        process.send("writing");
        for (;;) {
          fingerprint = await files.replace(facts, next === 0 ? Buffer.alloc(300_000, "a") : Buffer.alloc(400_000, "b"), { expect: fingerprint });
          next = 1 - next;
        }
      });
      process.send("ready");`,
    );
    for (let kill = 0; kill < kills; kill += 1) await killWhileWriting(script, kill);
    const seen = readFileSync(path);
    expect(contents.some((one) => one.equals(seen))).toBe(true);
    await change("x", "done");
    expect(readdirSync(root).sort()).toEqual(["x"]);

    async function killWhileWriting(file: string, turn: number): Promise<void> {
      const child = spawn(process.execPath, [file], {
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      });
      await new Promise<void>((resolve, reject) => {
        child.on("message", (message) => (message === "ready" ? child.send("go") : resolve()));
        child.once("exit", () => reject(new Error("the writer ended by itself")));
      });
      // Spread over the phases of a write by turning the event loop, not by sleeping.
      for (let turns = 0; turns < (turn * 7) % 60; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      child.removeAllListeners("exit");
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.kill("SIGKILL");
      await ended;
      const bytes = readFileSync(path);
      expect(contents.some((one) => one.equals(bytes))).toBe(true);
    }
  });
});
