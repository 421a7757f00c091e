import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile, watch } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isRunning } from "../../../test/support/processes.ts";
import type { GrepRequest } from "../../contract/index.ts";
import { createSearch } from "./search.ts";

const base = mkdtempSync(join(tmpdir(), "karyi-limits-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function request(target: string, change: Partial<GrepRequest> = {}): GrepRequest {
  return {
    target,
    pattern: "needle",
    mode: "content",
    context: 0,
    caseInsensitive: false,
    multiline: false,
    includeIgnored: false,
    limit: 250,
    signal: new AbortController().signal,
    deadlineMs: 60_000,
    ...change,
  };
}

/** A program in ripgrep's place that answers one file, tells its process id and then never ends. */
function endlessRipgrep(name: string): { program: string; directory: string; started: Promise<number> } {
  const directory = join(base, name);
  mkdirSync(directory);
  const program = join(directory, "rg");
  const messages = [
    '{"type":"begin","data":{"path":{"text":"./a.txt"}}}',
    '{"type":"match","data":{"path":{"text":"./a.txt"},"lines":{"text":"needle\\n"},"line_number":1,"absolute_offset":0,"submatches":[{"match":{"text":"needle"},"start":0,"end":6}]}}',
    '{"type":"end","data":{"path":{"text":"./a.txt"},"binary_offset":null,"stats":{"matched_lines":1,"matches":1}}}',
  ];
  writeFileSync(join(directory, "answer"), `${messages.join("\n")}\n`);
  writeFileSync(
    program,
    `#!/bin/sh\n/bin/cat ${directory}/answer\necho $$ > ${directory}/pid.new\n/bin/mv ${directory}/pid.new ${directory}/pid\nexec /bin/sleep 100000\n`,
  );
  chmodSync(program, 0o755);
  const started = (async () => {
    for await (const { filename } of watch(directory)) if (filename === "pid") break;
    return Number(await readFile(join(directory, "pid"), "utf8"));
  })();
  return { program, directory, started };
}

test("cancelling kills the search process at once", async () => {
  const { program, directory, started } = endlessRipgrep("cancelled");
  const controller = new AbortController();
  const running = createSearch({ ripgrep: program }).grep(request(directory, { signal: controller.signal }));
  const settled = expect(running).rejects.toMatchObject({ code: "cancelled" });
  const pid = await started;
  expect(isRunning(pid)).toBe(true);
  controller.abort();
  await settled;
  expect(isRunning(pid)).toBe(false);
});

test("the deadline kills the search process, and what it found so far is the answer, which says so", async () => {
  const { program, directory, started } = endlessRipgrep("late");
  const answer = await createSearch({ ripgrep: program }).grep(request(directory, { deadlineMs: 2_000 }));
  expect(isRunning(await started)).toBe(false);
  expect(answer).toEqual({
    lines: [{ path: "a.txt", line: 1, text: "needle", matches: [[0, 6]] }],
    files: [{ path: "a.txt", matches: 1 }],
    totalMatches: 1,
    totalLines: 1,
    totalFiles: 1,
    partial: true,
    backend: "ripgrep",
    skipped: { paths: [], total: 0 },
    secretsLeftOut: 0,
  });
});

const evil = "(a|a)*(a|a)*(a|a)*$needle";

test("without ripgrep an expression that backtracks for ever meets its deadline", async () => {
  const root = join(base, "backtrack");
  mkdirSync(root);
  writeFileSync(join(root, "evil.txt"), `${"a".repeat(64)}!\n`);
  const answer = await createSearch({ ripgrep: null }).grep(request(root, { pattern: "(?:a|a)*b|(?:a|aa)+$", deadlineMs: 1_500 }));
  expect({ partial: answer.partial, files: answer.files }).toEqual({ partial: true, files: [] });
});

test("without ripgrep an expression that backtracks for ever can be cancelled", async () => {
  const root = join(base, "backtrack-cancelled");
  mkdirSync(root);
  writeFileSync(join(root, "evil.txt"), `${"a".repeat(64)}!\n`);
  const signal = AbortSignal.timeout(500);
  await expect(createSearch({ ripgrep: null }).grep(request(root, { pattern: evil, signal }))).rejects.toMatchObject({ code: "cancelled" });
});

test("a ripgrep that cannot be started is an error, not an empty answer", async () => {
  await expect(createSearch({ ripgrep: join(base, "absent") }).grep(request(base))).rejects.toMatchObject({ code: "tool_error" });
});
