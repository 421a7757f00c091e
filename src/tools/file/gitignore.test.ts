import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { z } from "zod";
import type { Fingerprint, Plan, PlanContext, RunContext, ToolOutput } from "../../contract/index.ts";
import { createFiles } from "../../host/index.ts";
import { createSearch } from "../../host/search/index.ts";
import { gitignoreTool } from "./gitignore.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-gitignore-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (): string => join(root, ".gitignore");
const content = (): string => readFileSync(file(), "utf8");

function context() {
  const seen = new Map<string, Fingerprint>();
  const session = { id: "s", cwd: root, workspace: root, roots: [root], userHome: "/home/u", env: {} };
  return {
    callId: "c",
    seen: {
      get: (path: string) => seen.get(path),
      remember: (path: string, print: Fingerprint) => void seen.set(path, print),
      forget: (path: string) => void seen.delete(path),
    },
    signal: new AbortController().signal,
    files: createFiles({ cwd: () => root }),
    search: createSearch(),
    session,
  };
}

async function plan(input: unknown): Promise<Plan> {
  return (await gitignoreTool.plan?.((gitignoreTool.input as z.ZodType).parse(input), context() as unknown as PlanContext)) as Plan;
}

async function run(input: unknown): Promise<ToolOutput> {
  const approved = await plan(input);
  return gitignoreTool.run((gitignoreTool.input as z.ZodType).parse(input), {
    ...context(),
    plan: approved,
    progress() {},
  } as unknown as RunContext);
}

test("creates the file, and adding again changes nothing", async () => {
  const input = { action: "add", patterns: ["*.log", "dist/"] };
  const planned = await plan(input);
  expect(planned.summary).toBe("Gitignore: add *.log, dist/ to .gitignore");
  expect(planned.effects).toMatchObject([{ kind: "write", change: "create", path: { real: file() } }]);
  const diff = "--- /dev/null\n+++ b/.gitignore\n@@ -0,0 +1,2 @@\n+*.log\n+dist/\n";
  expect(planned.preview).toEqual({ type: "diff", text: diff });
  expect(await run(input)).toEqual({
    output: "Added to .gitignore: *.log, dist/",
    data: { path: file(), added: ["*.log", "dist/"], present: [], changes: [{ path: file(), change: "created", after_size: 12, diff }] },
  });
  expect(content()).toBe("*.log\ndist/\n");
  const again = await plan(input);
  expect(again.effects).toMatchObject([{ kind: "read" }]);
  expect(await run(input)).toEqual({
    output: "Already in .gitignore: *.log, dist/",
    data: { path: file(), added: [], present: ["*.log", "dist/"], changes: [] },
  });
  expect(content()).toBe("*.log\ndist/\n");
});

test("keeps every byte, the line endings and an open last line", async () => {
  const cases = [
    { before: "a\r\nb\r\n", after: "a\r\nb\r\nnew\r\n" },
    { before: "a\r\nb", after: "a\r\nb\r\nnew" },
    { before: "a\nb", after: "a\nb\nnew" },
    { before: "a\r\nb\n", after: "a\r\nb\nnew\n" },
    { before: "", after: "new\n" },
    { before: "# comment\n\n!keep\n", after: "# comment\n\n!keep\nnew\n" },
  ];
  for (const { before, after } of cases) {
    writeFileSync(file(), before);
    await run({ action: "add", patterns: ["new"] });
    expect(content()).toBe(after);
  }
  writeFileSync(file(), Buffer.from("caf\xe9\n", "latin1"));
  await run({ action: "add", patterns: ["naïve"] });
  expect(readFileSync(file()).equals(Buffer.concat([Buffer.from("caf\xe9\n", "latin1"), Buffer.from("naïve\n")]))).toBe(true);
});

test("a pattern counts as present by what it means: trailing spaces do not, escaped ones do", async () => {
  writeFileSync(file(), "a   \nb\\ \n#c\n");
  const { data } = await run({ action: "add", patterns: ["a", "b\\ ", "b", "d", "d"] });
  expect(data).toMatchObject({ added: ["b", "d"], present: ["a", "b\\ "] });
});

test("refuses patterns that would be something else in the file", async () => {
  for (const pattern of ["", "  ", "a\nb", "#x"]) {
    await expect(plan({ action: "add", patterns: [pattern] })).rejects.toMatchObject({
      code: "invalid_tool_input",
      details: { reason: "invalid_pattern" },
    });
  }
  await expect(plan({ action: "add" })).rejects.toMatchObject({ code: "invalid_tool_input", details: { parameter: "patterns" } });
  await expect(plan({ action: "check" })).rejects.toMatchObject({ code: "invalid_tool_input", details: { parameter: "path" } });
});

test("check says whether and by which rule, and asks only about the directory", async () => {
  mkdirSync(join(root, ".git"));
  mkdirSync(join(root, "sub"));
  writeFileSync(file(), "*.log\n!keep.log\nbuild/\n.env\n");
  const answers = {
    "sub/a.log": { ignored: true, rule: ".gitignore:1:*.log", source: file(), line: 1, pattern: "*.log" },
    "keep.log": { ignored: false, rule: ".gitignore:2:!keep.log", source: file(), line: 2, pattern: "!keep.log" },
    "build/": { ignored: true, rule: ".gitignore:3:build/", source: file(), line: 3, pattern: "build/" },
    "build/output.bin": { ignored: true, rule: ".gitignore:3:build/", source: file(), line: 3, pattern: "build/" },
    build: { ignored: false },
    "a.txt": { ignored: false },
  };
  for (const [path, data] of Object.entries(answers))
    expect({ path, data: (await run({ action: "check", path })).data }).toEqual({ path, data });
  expect((await run({ action: "check", dir: "sub", path: "x.log" })).output).toBe("x.log is ignored by .gitignore:1:*.log");
  expect((await plan({ action: "check", path: "sub/.env" })).effects).toMatchObject([{ kind: "read", path: { real: join(root, "sub") } }]);
  expect((await plan({ action: "check", path: "../x/.env" })).effects).toMatchObject([
    { kind: "read", path: { spelled: `${root}/./../x/.env` } },
  ]);
});
