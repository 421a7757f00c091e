import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { GrepRequest, Search } from "../../contract/index.ts";
import { growTree, pick, randomFrom } from "./fixtures/generated-tree.ts";
import { findRipgrep } from "./ripgrep/ripgrep-binary.ts";
import { createSearch } from "./search.ts";

const base = mkdtempSync(join(tmpdir(), "karyi-grep-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const hasRipgrep = (await findRipgrep()) !== undefined;
const why = hasRipgrep ? "" : " (skipped: no ripgrep)";
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

function tree(name: string, files: Readonly<Record<string, string | Buffer>>): string {
  const root = join(base, name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
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
  { pattern: "e*", context: 1, limit: 1_000 },
  { pattern: "\\bneedle\\b" },
  { pattern: "\\w+\\s\\w+" },
  { pattern: "[^a-z\\s]+" },
  { pattern: ".needle." },
];

describe.skipIf(!hasRipgrep)(`with and without ripgrep the answer is the same${why}`, () => {
  const full = process.env.KARYI_FULL === "1";
  for (let seed = 1; seed <= (full ? 80 : 5); seed++) {
    test(`on generated tree ${seed}`, async () => {
      const random = randomFrom(seed);
      const root = join(base, `tree-${seed}`);
      growTree(root, random, { files: 90, repository: seed % 2 === 0 });
      const chosen = full ? variations : [{}, ...Array.from({ length: 8 }, () => pick(random, variations))];
      for (const change of chosen) {
        const [withIt, without] = await Promise.all([ripgrep.grep(request(root, change)), javascript.grep(request(root, change))]);
        expect({ change, ...without }).toEqual({ change, ...withIt, backend: "javascript" });
      }
    });
  }

  const patterns =
    String.raw`foo ^foo$ \Afoo foo\z \<f \bfoo\b \Boo \b{end} [a-z&&[^aeiou]]+ [a-c--b]+ [a-c~~b-d]+ x\_y o\s foo\r o{2} o{1,}? f(?i)OO (?i)école
    (?i)STRASSE (?i)k a(?i)[A-C]+ (?U)a+ \W+ \w+ \d+ \D+ \S+ [[:alpha:]]+ [[:^alpha:]]+ \p{Greek}+ \pL+ \PL+ (?i)\p{Lu}+ \p{sc=Hiragana} \x66 \x{1F642} \U0001F642
    . 🙂. [^🙂]+ .+b$ (?P<n>f)oo (?<n>f)oo (foo|foo\sbar) [\]\[] [a\-z]+ [\d-]+ [[a-c][x-z]]+ (a+)+$ a{0}b (^|\s)foo foo(\s|$) (?i:f)oo bytes.* bytes[^x]*
    (f)(o)\1 (?=f) (?<!f) a{2,1} a{,2} x{ *a ( ) [a [z-a] [\w-a] \Q \é a\nb \n \p{foo} (?P<n>f)(?P<n>o)`.split(/\s+/);
  const text =
    "foo\nfoo bar\r\n\tAbar 123 ٣٤ x_y\nÉcole école ÉCOLE straße STRASSE ſ K K\n日本語 テスト 🙂🙂b\n\n  \nfoo.bar(baz)[qux]{a}\naab aaab ab\nα β Γ Ω\n\u2028line sep\u00a0nbsp\nlast foo";
  const broken = Buffer.concat([Buffer.from("bad bytes"), Buffer.from([0xff, 0x41, 0xe9, 0x0a, 0xc3]), Buffer.from("foo\n é\n")]);
  for (const multiline of [false, true]) {
    test(`for the syntax of expressions${multiline ? ", over lines" : ""}, what is refused included`, async () => {
      const root = tree(`syntax-${multiline}`, { "t.txt": text, "u.txt": broken });
      const ask = async (search: Search, pattern: string) => {
        try {
          const { lines, totalMatches, totalLines } = await search.grep(request(root, { pattern, multiline }));
          return { pattern, lines, totalMatches, totalLines };
        } catch (error) {
          return { pattern, code: (error as { code: string }).code };
        }
      };
      const chosen = full ? patterns : patterns.filter((_, i) => i % 2 === Number(multiline));
      for (let at = 0; at < chosen.length; at += 4) {
        const group = chosen.slice(at, at + 4);
        const [withIt, without] = [
          await Promise.all(group.map((one) => ask(ripgrep, one))),
          await Promise.all(group.map((one) => ask(javascript, one))),
        ];
        expect(without).toEqual(withIt);
      }
    });
  }
});

for (const [name, search] of [
  ["ripgrep", ripgrep],
  ["javascript", javascript],
] as const) {
  describe.skipIf(name === "ripgrep" && !hasRipgrep)(`${name}${name === "ripgrep" ? why : ""}`, () => {
    test("counts are exact past the limit, and the first lines in the order of the paths are kept", async () => {
      const files = Object.fromEntries(
        Array.from({ length: 300 }, (_, i) => [
          `d${i % 7}/f${String(i).padStart(3, "0")}.txt`,
          "needle needle\nother\nneedle\n".repeat(i % 5),
        ]),
      );
      const root = tree(`counts-${name}`, files);
      const matching = Object.entries(files).filter(([, text]) => text !== "");
      const repeats = matching.reduce((sum, [, text]) => sum + text.split("other").length - 1, 0);
      const answer = await search.grep(request(root, { limit: 10 }));
      expect({ matches: answer.totalMatches, lines: answer.totalLines, files: answer.totalFiles }).toEqual({
        matches: repeats * 3,
        lines: repeats * 2,
        files: matching.length,
      });
      const sorted = matching.map(([path]) => path).sort();
      const first = sorted
        .flatMap((path) => (files[path] as string).split("\n").flatMap((line, i) => (line.includes("needle") ? [`${path}:${i + 1}`] : [])))
        .slice(0, 10);
      expect(answer.lines.map(({ path, line }) => `${path}:${line}`)).toEqual(first);
    });

    test("long lines are cut around the match, with what was cut counted", async () => {
      const root = tree(`long-${name}`, { "a.txt": `${"é".repeat(1_000)}needle${"z".repeat(2_000)}\n` });
      const { lines } = await search.grep(request(root));
      expect(lines).toEqual([
        {
          path: "a.txt",
          line: 1,
          text: `${"é".repeat(120)}needle${"z".repeat(374)}`,
          matches: [[120, 126]],
          cut: { before: 880, after: 1_626 },
        },
      ]);
    });

    test("secret files of a tree are never searched, whatever the pattern, and are counted; by its own name one is", async () => {
      const root = tree(`secrets-${name}`, {
        ".env": "needle=1\n",
        ".env.production": "x\n",
        ".env.example": "needle=2\n",
        "keys/server.pem": "needle\n",
        "credentials/code.ts": "needle\n",
        id_rsa: "needle\n",
        "ignored.key": "needle\n",
        ".gitignore": "ignored.key\n",
      });
      for (const pattern of ["needle", "absent"]) {
        const answer = await search.grep(request(root, { pattern, mode: "files_with_matches" }));
        expect({ paths: answer.files.map(({ path }) => path), left: answer.secretsLeftOut }).toEqual({
          paths: pattern === "needle" ? [".env.example", "credentials/code.ts"] : [],
          left: 4,
        });
      }
      const narrowed = await search.grep(request(root, { glob: "*.{pem,ts}" }));
      expect({ paths: narrowed.files.map(({ path }) => path), left: narrowed.secretsLeftOut }).toEqual({
        paths: ["credentials/code.ts"],
        left: 1,
      });
      const named = await search.grep(request(join(root, ".env")));
      expect({ lines: named.lines, left: named.secretsLeftOut }).toEqual({
        lines: [{ path: ".env", line: 1, text: "needle=1", matches: [[0, 6]] }],
        left: 0,
      });
    });

    test("a file is a target too, also one that is ignored; what holds NUL is no text", async () => {
      const root = tree(`file-${name}`, {
        ".gitignore": "*\n",
        "-odd name.ts": "a\nneedle\n",
        "binary.bin": Buffer.from("needle\0\n"),
        "late.bin": Buffer.concat([Buffer.from(`needle\n${"filler\n".repeat(40_000)}`), Buffer.of(0)]),
      });
      const found = await search.grep(request(join(root, "-odd name.ts"), { context: 1 }));
      expect(found.lines).toEqual([
        { path: "-odd name.ts", line: 1, text: "a", matches: [], context: true },
        { path: "-odd name.ts", line: 2, text: "needle", matches: [[0, 6]] },
      ]);
      for (const file of ["binary.bin", "late.bin"]) {
        for (const mode of ["content", "count"] as const)
          expect((await search.grep(request(join(root, file), { mode }))).totalFiles).toBe(0);
      }
      expect((await search.grep(request(root, { includeIgnored: true, mode: "count" }))).files).toEqual([
        { path: "-odd name.ts", matches: 1 },
      ]);
    });

    test("an invalid expression is the caller's mistake, explained", async () => {
      const root = tree(`invalid-${name}`, { "a.txt": "x" });
      const failure = { code: "invalid_tool_input", details: { reason: "invalid_regex" } };
      for (const mode of ["content", "count"] as const) {
        await expect(search.grep(request(root, { pattern: "(unclosed", mode }))).rejects.toMatchObject({
          ...failure,
          message: expect.stringMatching(/unclosed group/),
        });
        await expect(search.grep(request(root, { pattern: "a\nb", mode }))).rejects.toMatchObject({
          ...failure,
          hint: expect.stringMatching(/multiline/),
        });
      }
      await expect(search.grep(request(root, { pattern: "a\0b" }))).rejects.toMatchObject({ code: "invalid_tool_input" });
      await expect(search.grep(request(root, { type: "tss" }))).rejects.toMatchObject({
        code: "invalid_tool_input",
        details: { reason: "unknown_type" },
      });
      await expect(search.grep(request(join(root, "absent")))).rejects.toMatchObject({ code: "tool_not_found" });
    });

    test("a search that was cancelled before it began does nothing", async () => {
      await expect(search.grep(request(base, { signal: AbortSignal.abort() }))).rejects.toMatchObject({ code: "cancelled" });
    });
  });
}
