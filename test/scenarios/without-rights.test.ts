/**
 * What a person without the rights of a superuser meets: files and directories that are closed to them. Whoever runs the
 * suite as root gives the rights away first; every test file has a process of its own.
 */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEngine, type KaryiEngine, type Result, type SessionHandle } from "../../src/index.ts";
import { ordinaryUser } from "../support/ordinary-user.ts";

const nobody = 65534;
const modes = { "closed.txt": 0o000, "readonly.txt": 0o444, closed: 0o000, "readonly/y.txt": 0o644, readonly: 0o555, unlisted: 0o311 };
let base: string;
let engine: KaryiEngine;
let session: SessionHandle;

/** A user who has no such rights needs not give them away. */
const holds = process.getuid?.() !== 0 || ordinaryUser.holds;
const why = holds ? "" : ordinaryUser.why;

beforeAll(async () => {
  if (!holds) return;
  base = realpathSync(mkdtempSync(join(tmpdir(), "karyi-rights-")));
  if (process.getuid?.() === 0) {
    chownSync(base, nobody, nobody);
    process.setgroups?.([]);
    process.setgid?.(nobody);
    process.setuid?.(nobody);
  }
  for (const directory of ["repo/closed", "repo/readonly", "repo/unlisted", "home", "person"])
    mkdirSync(join(base, directory), { recursive: true });
  for (const path of ["closed.txt", "readonly.txt", "open.txt", "closed/x.txt", "readonly/y.txt", "unlisted/z.txt"])
    writeFileSync(join(base, "repo", path), `needle in ${path}\n`);
  for (const [path, mode] of Object.entries(modes)) chmodSync(join(base, "repo", path), mode);
  engine = await createEngine({
    workspace: join(base, "repo"),
    home: join(base, "home"),
    env: { HOME: join(base, "person"), PATH: process.env.PATH ?? "" },
    mode: "accept-edits",
    approve: async () => "once",
  });
  session = await engine.openSession();
});

afterAll(async () => {
  if (!holds) return;
  await engine.close();
  for (const directory of ["closed", "readonly", "unlisted"]) chmodSync(join(base, "repo", directory), 0o700);
  rmSync(base, { recursive: true, force: true });
});

const said = ({ status, error, output }: Result) => [status, error?.details?.reason, status === "ok" ? output.split("\n")[0] : ""];
const mode = (path: string): number => statSync(join(base, "repo", path)).mode & 0o777;

describe.skipIf(!holds)(`without the rights of a superuser${why}`, () => {
  it.each([
    ["Read", { file_path: "closed.txt" }],
    ["Edit", { file_path: "closed.txt", old_string: "needle", new_string: "x" }],
    ["Write", { file_path: "closed.txt", content: "x" }],
    ["Read", { file_path: "closed/x.txt" }],
    ["Edit", { file_path: "closed/x.txt", old_string: "needle", new_string: "x" }],
    ["Write", { file_path: "closed/new.txt", content: "x" }],
    ["List", { path: "closed" }],
    ["Glob", { pattern: "*", path: "closed" }],
    ["Grep", { pattern: "needle", path: "closed.txt" }],
    ["Edit", { file_path: "readonly.txt", old_string: "needle", new_string: "x" }],
    ["Write", { file_path: "readonly/new.txt", content: "x" }],
  ])("%s %j says that it may not", async (tool, input) => {
    const result = await session.call(tool, input);
    expect(said(result)).toEqual(["error", "no_permission", ""]);
    expect(result.undoable).toBe(false);
  });

  it("leaves what it could not change as it was", () => {
    for (const [path, expected] of Object.entries(modes)) if (!path.includes("/")) expect([path, mode(path)]).toEqual([path, expected]);
    chmodSync(join(base, "repo/closed.txt"), 0o400);
    expect(readFileSync(join(base, "repo/closed.txt"), "utf8")).toBe("needle in closed.txt\n");
    chmodSync(join(base, "repo/closed.txt"), 0o000);
    expect(readFileSync(join(base, "repo/readonly.txt"), "utf8")).toBe("needle in readonly.txt\n");
  });

  it("reads what is beyond a directory that cannot be listed", async () => {
    expect(said(await session.call("Read", { file_path: "unlisted/z.txt" }))).toEqual([
      "ok",
      undefined,
      "     1\tneedle in unlisted/z.txt",
    ]);
  });

  it("searches and lists the rest, and says what it could not look at", async () => {
    const glob = await session.call("Glob", { pattern: "**/*.txt" });
    expect(glob.data).toMatchObject({ total: 4, skipped: { total: 2, paths: [{ path: "closed" }, { path: "unlisted" }] } });
    const grep = await session.call("Grep", { pattern: "needle", output_mode: "count" });
    expect(grep.data).toMatchObject({ total_files: 3, skipped: { total: 3 } });
    const list = await session.call("List", { path: ".", depth: 2 });
    expect(list.output).toContain("(2 directories could not be read.)");
  });

  it("edits in a directory that may not be written, in the file itself, and takes it back", async () => {
    const { ino } = statSync(join(base, "repo/readonly/y.txt"));
    const edited = await session.call("Edit", { file_path: "readonly/y.txt", old_string: "needle", new_string: "thread" });
    expect([edited.status, edited.undoable]).toEqual(["ok", true]);
    expect(readFileSync(join(base, "repo/readonly/y.txt"), "utf8")).toBe("thread in readonly/y.txt\n");
    expect(await session.undo(edited.callId)).toMatchObject({ status: "ok" });
    expect(readFileSync(join(base, "repo/readonly/y.txt"), "utf8")).toBe("needle in readonly/y.txt\n");
    expect([statSync(join(base, "repo/readonly/y.txt")).ino, mode("readonly/y.txt")]).toEqual([ino, 0o644]);
  });
});
