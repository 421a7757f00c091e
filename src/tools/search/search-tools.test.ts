import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import type { Plan, PlanContext, RunContext, Search, Tool, ToolOutput } from "../../contract/index.ts";
import { createFiles } from "../../host/index.ts";
import { createSearch } from "../../host/search/index.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-search-tools-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
    utimesSync(join(root, path), 1_000, 1_000);
  }
}

const host = createSearch();

function context(search: Search) {
  const session = { id: "s", cwd: root, workspace: root, roots: [root], userHome: "/home/u", env: {} };
  return { callId: "c", seen: new Map(), signal: new AbortController().signal, files: createFiles({ cwd: () => root }), search, session };
}

async function plan(tool: Tool, input: unknown, search = host): Promise<Plan> {
  return (await tool.plan?.((tool.input as z.ZodType).parse(input), context(search) as unknown as PlanContext)) as Plan;
}

async function run(tool: Tool, input: unknown, search = host, planned?: Plan): Promise<ToolOutput> {
  const approved = planned ?? (await plan(tool, input, search));
  return tool.run((tool.input as z.ZodType).parse(input), { ...context(search), plan: approved, progress() {} } as unknown as RunContext);
}

const nothingSkipped = { total: 0, paths: [] };

describe("Glob", () => {
  test("plans a read of the tree and lists newest first with sizes", async () => {
    put({ "src/a.ts": "12345", "src/b.ts": "x".repeat(2_048), "c.md": "" });
    utimesSync(join(root, "src/b.ts"), 2_000, 2_000);
    const planned = await plan(globTool, { pattern: "**/*.ts" });
    expect(planned.effects).toMatchObject([{ kind: "read", tree: true, path: { real: root } }]);
    expect(await run(globTool, { pattern: "**/*.ts" })).toEqual({
      output: "src/b.ts (2.0 KB)\nsrc/a.ts (5 B)",
      data: {
        matches: [
          { path: "src/b.ts", size: 2_048, mtime_ms: 2_000_000 },
          { path: "src/a.ts", size: 5, mtime_ms: 1_000_000 },
        ],
        total: 2,
        truncated: false,
        partial: false,
        backend: "javascript",
        skipped: nothingSkipped,
      },
    });
  });

  test("paths are named from the working directory, odd names on one line", async () => {
    put({ "src/new\nline.ts": "", "src/ok.ts": "" });
    expect((await run(globTool, { pattern: "*.ts", path: "src" })).output).toBe('"src/new\\nline.ts" (0 B)\nsrc/ok.ts (0 B)');
  });

  test("a pattern that says where to look is judged as a path", async () => {
    put({ "src/a.ts": "", "other/b.ts": "" });
    expect((await run(globTool, { pattern: `${root}/src/*.ts` })).output).toBe("src/a.ts (0 B)");
    expect((await run(globTool, { pattern: "../other/*.ts", path: "src" })).output).toBe("other/b.ts (0 B)");
    const outside = await plan(globTool, { pattern: "/etc/*.conf" });
    expect(outside.effects).toMatchObject([{ kind: "read", tree: true, path: { spelled: "/etc" } }]);
    const up = await plan(globTool, { pattern: "../../**/x" });
    expect(up.effects).toMatchObject([{ path: { spelled: `${root}/./../..` } }]);
    await expect(plan(globTool, { pattern: "/a/*/../b" })).rejects.toMatchObject({ code: "invalid_tool_input" });
  });

  test("says what to do when nothing matches, and names near a missing directory", async () => {
    put({ "source/a.ts": "" });
    expect((await run(globTool, { pattern: "*.ts" })).output).toBe(
      "No files match *.ts.\nIt was looked for in this directory only; **/*.ts searches below it, too.",
    );
    await expect(run(globTool, { pattern: "*", path: "sourc" })).rejects.toMatchObject({
      code: "tool_not_found",
      details: { reason: "file_not_found" },
    });
  });

  test("says when it was cut, is incomplete or could not look everywhere", async () => {
    put({ "a.ts": "" });
    const search: Search = {
      ...host,
      find: async () => ({
        hits: [{ path: "a.ts", size: 1, mtimeMs: 5 }],
        total: 12_345,
        partial: true,
        backend: "javascript",
        skipped: { total: 4, paths: [{ path: "x", reason: "no_permission" }] },
      }),
    };
    const { output, data } = await run(globTool, { pattern: "**" }, search);
    expect(output).toBe(
      "a.ts (1 B)\n\nCut: the newest 1 file of 12,345. Narrow the pattern or the path.\n" +
        "Incomplete: the search ended at its limit of 20 s; 12,345 files found so far.\nCould not be looked at: 4 (x, …).",
    );
    expect(data).toMatchObject({ total: 12_345, truncated: true, partial: true });
  });
});

test("of long paths, data holds as many as fit and says how many it leaves out; the output names them all", async () => {
  const hits = Array.from({ length: 10_000 }, (_, index) => ({ path: `${"d".repeat(200)}/${index}`, size: 1, mtimeMs: 1_700_000_000_000 }));
  const search: Search = {
    ...host,
    find: async () => ({ hits, total: 10_000, partial: false, backend: "javascript", skipped: { total: 0, paths: [] } }),
  };
  const { output, data } = await run(globTool, { pattern: "**" }, search);
  const { matches, matches_left_out, truncated } = data as { matches: unknown[]; matches_left_out: number; truncated: boolean };
  expect(output.split("\n").length).toBe(10_000);
  expect({ all: matches.length + matches_left_out, truncated }).toEqual({ all: 10_000, truncated: false });
  expect(JSON.stringify(data).length).toBeLessThan(1 << 20);
});

test("of many long lines, data holds as many as fit and never loses the counts", async () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => ({
    path: `src/${index}.ts`,
    line: 1,
    text: "x".repeat(500),
    matches: [[0, 1]] as const,
  }));
  const files = lines.map(({ path }) => ({ path: `${"d".repeat(200)}/${path}`, matches: 1 }));
  const counts = { totalMatches: 5_000, totalLines: 5_000, totalFiles: 5_000, partial: false, secretsLeftOut: 0 };
  const skipped = { total: 1, paths: [{ path: "p".repeat(4_000), reason: "unreadable" as const }] };
  const search: Search = { ...host, grep: async () => ({ lines, files, ...counts, backend: "ripgrep", skipped }) };
  const { data } = await run(grepTool, { pattern: "x", head_limit: 10_000 }, search);
  const {
    matches,
    matches_left_out,
    files: kept,
    files_left_out,
    total_lines,
  } = data as {
    readonly matches: unknown[];
    readonly matches_left_out: number;
    readonly files: unknown[];
    readonly files_left_out: number;
    readonly total_lines: number;
  };
  expect([matches.length + matches_left_out, kept.length + files_left_out, total_lines]).toEqual([5_000, 5_000, 5_000]);
  expect(matches.length).toBeGreaterThan(500);
  expect(JSON.stringify(data).length).toBeLessThan(1 << 20);
});

describe("Grep", () => {
  test("content: path:line:text with the matches marked, context set apart", async () => {
    put({ "src/a.ts": "one\ntwo needle needle\nthree\nfour\nfive\nneedle\n", "b.md": "a needle\n" });
    expect((await run(grepTool, { pattern: "needle" })).output).toBe(
      "b.md:1:a >>needle<<\nsrc/a.ts:2:two >>needle<< >>needle<<\nsrc/a.ts:6:>>needle<<",
    );
    expect((await run(grepTool, { pattern: "needle", path: "src", context: 1 })).output).toBe(
      "src/a.ts-1-one\nsrc/a.ts:2:two >>needle<< >>needle<<\nsrc/a.ts-3-three\n--\nsrc/a.ts-5-five\nsrc/a.ts:6:>>needle<<",
    );
  });

  test("the data says the same, with exact totals", async () => {
    put({ "a.ts": "needle\nneedle\n", "b.ts": "needle\n" });
    const { output, data } = await run(grepTool, { pattern: "needle", head_limit: 1 });
    expect(output).toBe("a.ts:1:>>needle<<\n\nCut at head_limit 1; in all 3 matching lines in 2 files.");
    expect(data).toEqual({
      matches: [{ path: "a.ts", line: 1, text: "needle", ranges: [[0, 6]] }],
      files: [{ path: "a.ts", matches: 2 }],
      total_matches: 3,
      total_files: 2,
      total_lines: 3,
      truncated: true,
      partial: false,
      backend: expect.stringMatching(/^(?:ripgrep|javascript)$/),
      skipped: nothingSkipped,
      secrets_left_out: 0,
    });
  });

  test("files_with_matches and count", async () => {
    put({ "a.ts": "needle\nneedle\n", "b.ts": "needle\n" });
    expect((await run(grepTool, { pattern: "needle", output_mode: "files_with_matches" })).output).toBe("a.ts\nb.ts");
    expect((await run(grepTool, { pattern: "needle", output_mode: "count" })).output).toBe("a.ts:2\nb.ts:1");
  });

  test("a file as target is planned as that file alone", async () => {
    put({ "dir/.env": "TOKEN=needle\n", "dir/a.ts": "needle" });
    expect((await plan(grepTool, { pattern: "x", path: "dir/.env" })).effects).toEqual([
      { kind: "read", path: expect.objectContaining({ real: join(root, "dir/.env"), kind: "file" }) },
    ]);
    expect((await run(grepTool, { pattern: "needle", path: "dir/.env" })).output).toBe("dir/.env:1:TOKEN=>>needle<<");
    expect((await run(grepTool, { pattern: "needle", path: "dir" })).output).toBe(
      "dir/a.ts:1:>>needle<<\n\nNot searched: 1 file that may hold secrets (.env, keys). Name such a file as path to search it.",
    );
  });

  test("long lines are cut around the match, with what was cut marked", async () => {
    put({ "a.txt": `${"x".repeat(800)}needle${"y".repeat(800)}` });
    expect((await run(grepTool, { pattern: "needle" })).output).toBe(
      `a.txt:1:[680 characters cut]…${"x".repeat(120)}>>needle<<${"y".repeat(374)}…[426 characters cut]`,
    );
  });

  test("a place that was swapped for a link after the plan is refused", async () => {
    put({ "dir/a.ts": "needle" });
    const planned = await plan(grepTool, { pattern: "needle", path: "dir" });
    rmSync(join(root, "dir"), { recursive: true });
    symlinkSync("/etc", join(root, "dir"));
    await expect(run(grepTool, { pattern: "needle", path: "dir" }, host, planned)).rejects.toMatchObject({
      code: "tool_forbidden_path",
      details: { reason: "path_changed" },
    });
  });

  test("nothing found is said, and so is a deadline", async () => {
    put({ "a.ts": "x" });
    expect((await run(grepTool, { pattern: "absent" })).output).toBe("No matches found.");
    const late: Search = { ...host, grep: async (request) => ({ ...(await host.grep(request)), partial: true }) };
    expect((await run(grepTool, { pattern: "absent" }, late)).output).toBe(
      "Incomplete: the search ended at its limit of 20 s; 0 files with matches so far.",
    );
  });
});
