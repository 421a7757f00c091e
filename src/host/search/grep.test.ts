import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { GrepRequest } from "../../contract/index.ts";
import { growTree, randomFrom } from "./generated-tree.ts";
import { createSearch } from "./search.ts";

const base = mkdtempSync(join(tmpdir(), "karyi-grep-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const ripgrep = createSearch();
const javascript = createSearch({ ripgrep: null });

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
    deadlineMs: 20_000,
    ...change,
  };
}

const variations: readonly Partial<GrepRequest>[] = [
  {},
  { mode: "count" },
  { mode: "files_with_matches", limit: 5 },
  { context: 2, limit: 10_000 },
  { context: 1, limit: 7 },
  { caseInsensitive: true },
  { glob: "*.ts" },
  { glob: "src/**" },
  { glob: "!*.log" },
  { glob: "*.{json,pem,txt}" },
  { type: "ts" },
  { type: "md", glob: "x*" },
  { includeIgnored: true },
  { includeIgnored: true, mode: "count" },
  { multiline: true, pattern: "needle.*\\n.*end" },
  { multiline: true, pattern: "\\s+", mode: "count" },
  { multiline: true, pattern: "needle$\\n^", context: 1 },
  { pattern: "^" },
  { pattern: "$", mode: "count" },
  { pattern: "e*", mode: "count" },
  { pattern: "\\bneedle\\b" },
  { pattern: "\\w+\\s\\w+" },
  { pattern: "[^a-z\\s]+" },
  { pattern: ".needle." },
];

const trees = process.env.KARYI_FULL === "1" ? 60 : 6;
for (let seed = 1; seed <= trees; seed++) {
  test(`the answer is the same with and without ripgrep on generated tree ${seed}`, async () => {
    const root = join(base, `tree-${seed}`);
    growTree(root, randomFrom(seed), { files: 90, repository: seed % 2 === 0 });
    for (const change of variations) {
      const [withIt, without] = [await ripgrep.grep(request(root, change)), await javascript.grep(request(root, change))];
      expect({ change, ...without }).toEqual({ change, ...withIt, backend: "javascript" });
    }
  });
}
