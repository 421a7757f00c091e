import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Plan, ToolOutput } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { createFiles, createSearch } from "../../host/index.ts";
import { listTool } from "./list.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-list-")));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (name: string, content = ""): void => {
  mkdirSync(join(root, name, ".."), { recursive: true });
  writeFileSync(join(root, name), content);
};

function context() {
  return {
    callId: "c",
    files: createFiles({ cwd: () => root }),
    search: createSearch(),
    signal: new AbortController().signal,
    seen: { get: () => undefined, remember() {}, forget() {} },
    session: { id: "s", cwd: root, workspace: root, roots: [root], userHome: root, env: {}, setCwd() {}, setEnv() {} },
  };
}

async function planOf(input: Record<string, unknown>): Promise<Plan> {
  if (listTool.plan === undefined) throw new Error("List has a plan");
  return listTool.plan({ path: ".", depth: 1, include_ignored: false, ...input }, context());
}

async function list(input: Record<string, unknown>, plan?: Plan): Promise<ToolOutput> {
  return listTool.run(
    { path: ".", depth: 1, include_ignored: false, ...input },
    { ...context(), plan: plan ?? (await planOf(input)), progress() {}, live: () => expect.unreachable() },
  );
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ToolFailure ? [error.code, error.details?.reason] : error;
}

describe("List", () => {
  it("shows entries with kind and size, links with their target", async () => {
    put("b.txt", "12345");
    put("a/x", "1");
    put("odd\nname", "");
    symlinkSync("b.txt", join(root, "link"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
    expect(await list({})).toEqual({
      output: `${root}/\n  a/\n  b.txt  5\n  link -> ${root}/b.txt\n  "odd\\nname"  0\n  pipe  (fifo)`,
      data: {
        path: root,
        kind: "directory",
        entries: [
          { path: "a", kind: "directory" },
          { path: "b.txt", kind: "file", size: 5 },
          { path: "link", kind: "link", target: `${root}/b.txt` },
          { path: "odd\nname", kind: "file", size: 0 },
          { path: "pipe", kind: "fifo" },
        ],
        total: 5,
      },
    });
  });

  it("goes as deep as asked, in the order of a tree, and not through links", async () => {
    put("a/b/c/d", "");
    put("a/z", "");
    symlinkSync("..", join(root, "a/up"));
    expect((await list({ depth: 3 })).output.split("\n").slice(1)).toEqual(["  a/", "    b/", "      c/", `    up -> ${root}`, "    z  0"]);
    expect((await planOf({ depth: 3 })).effects).toMatchObject([{ kind: "read", tree: true }]);
    expect((await planOf({})).effects).toEqual([{ kind: "read", path: await context().files.resolve(".") }]);
  });

  it("leaves out what git ignores, nested and negated, unless asked", async () => {
    execFileSync("git", ["init", "-q"], { cwd: root });
    put(".gitignore", "*.log\n/dist/\n!keep.log\n");
    put(".git/info/exclude", "private\n");
    put("a.log");
    put("keep.log");
    put("private");
    put("dist/out.js");
    put("src/.gitignore", "!a.log\ngen\n");
    put("src/a.log");
    put("src/gen/x");
    put("src/dist/kept");
    const { output } = await list({ depth: 3 });
    expect(output.split("\n").slice(1)).toEqual([
      "  .gitignore  23",
      "  keep.log  0",
      "  src/",
      "    .gitignore  11",
      "    a.log  0",
      "    dist/",
      "      kept  0",
      "(5 ignored by .gitignore; include_ignored shows them.)",
    ]);
    expect((await list({ path: "src" })).output).toContain("a.log");
    expect((await list({ path: "dist" })).output).toContain("out.js");
    expect((await list({ include_ignored: true })).output).toContain("  .git/\n");
  });

  it("shows a bounded number of entries and counts the rest exactly", async () => {
    for (let index = 0; index < 2345; index += 1) put(`f${String(index).padStart(4, "0")}`);
    const { output, data } = await list({});
    expect(output.split("\n").length).toBe(2002);
    expect(output.endsWith("(345 more entries; list a directory further down, or less deep.)")).toBe(true);
    expect(data).toMatchObject({ total: 2345, left_out: 345 });
  });

  it("says what is wrong with a path", async () => {
    put("file", "x");
    expect(await failure(list({ path: "file" }))).toEqual(["invalid_tool_input", "not_a_directory"]);
    expect(await failure(list({ path: "fil" }))).toEqual(["tool_not_found", "file_not_found"]);
    expect(await failure(list({ path: "/dev/null" }))).toEqual(["invalid_tool_input", "not_a_file"]);
    mkdirSync(join(root, "empty"));
    expect((await list({ path: "empty" })).output).toBe(`${root}/empty/\n(empty)`);
  });

  it("refuses a link swapped in for the directory after the plan", async () => {
    put("dir/a");
    put("secret/b");
    const plan = await planOf({ path: "dir" });
    rmSync(join(root, "dir"), { recursive: true });
    symlinkSync("secret", join(root, "dir"));
    expect(await failure(list({ path: "dir" }, plan))).toEqual(["tool_forbidden_path", "path_changed"]);
  });
});
