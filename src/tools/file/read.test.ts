import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import iconv from "iconv-lite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import type { Fingerprint, Plan, ToolOutput } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { createFiles } from "../../host/index.ts";
import { readTool } from "./read.ts";

let root: string;
let seen: Map<string, Fingerprint>;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-read-")));
  seen = new Map();
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function context() {
  return {
    callId: "c",
    files: createFiles({ cwd: () => root }),
    signal: new AbortController().signal,
    seen: {
      get: (path: string) => seen.get(path),
      remember: (path: string, fingerprint: Fingerprint) => void seen.set(path, fingerprint),
      forget: (path: string) => void seen.delete(path),
    },
    session: { id: "s", cwd: root, workspace: root, roots: [root], userHome: root, env: {} },
  };
}

async function planOf(input: Record<string, unknown>): Promise<Plan> {
  if (readTool.plan === undefined) throw new Error("Read has a plan");
  return readTool.plan({ offset: 0, limit: 2000, directory: "error", ...input }, context());
}

async function run(input: Record<string, unknown>, plan?: Plan): Promise<ToolOutput> {
  const session = { ...context().session, setCwd() {}, setEnv() {} };
  return readTool.run(
    { offset: 0, limit: 2000, directory: "error", ...input },
    { ...context(), session, plan: plan ?? (await planOf(input)), progress() {}, live: () => expect.unreachable() },
  );
}

async function failure(work: Promise<unknown>): Promise<ToolFailure> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ToolFailure)) throw new Error(`expected a ToolFailure, not ${String(error)}`);
  return error;
}

const put = (name: string, content: string | Uint8Array): void => writeFileSync(join(root, name), content);
const catN = (name: string): string => execFileSync("cat", ["-n", join(root, name)], { encoding: "utf8" });

describe("Read of text", () => {
  it("plans a read of the file and nothing else", async () => {
    put("a.txt", "x");
    const plan = await planOf({ file_path: "a.txt" });
    expect([plan.summary, plan.effects]).toEqual(["Read a.txt", [{ kind: "read", path: await context().files.resolve("a.txt") }]]);
    // A plan of what is not there says so only when it runs, after the path was judged.
    expect((await planOf({ file_path: "/nowhere/x" })).effects).toHaveLength(1);
  });

  it.each(["one\n", "one\ntwo", "\n\n\n", "a\r\nb\r\n", "tab\there\n\nend\n", "é中😀\n"])("looks like cat -n: %j", async (text) => {
    put("f", text);
    expect((await run({ file_path: "f" })).output).toBe(catN("f"));
  });

  it("looks like cat -n for any lines", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({ maxLength: 20 }).map((line) => line.replace(/\0/g, "0")),
          { maxLength: 30 },
        ),
        async (lines) => {
          const text = `x\n${lines.join("\n")}`;
          put("f", text);
          expect((await run({ file_path: "f" })).output).toBe(catN("f"));
        },
      ),
      { numRuns: process.env.KARYI_FULL === "1" ? 1000 : 60 },
    );
  });

  it("says what it showed", async () => {
    put("f", "1\n2\n3\n4\n5");
    const size = 9;
    const path = join(root, "f");
    const whole = await run({ file_path: "f" });
    expect(whole.data).toEqual({
      path,
      kind: "text",
      encoding: "utf-8",
      size,
      first_line: 1,
      line_count_shown: 5,
      total_lines: 5,
      line_endings: "lf",
      eof: true,
    });
    const page = await run({ file_path: "f", offset: 1, limit: 2 });
    expect(page.output).toBe("     2\t2\n     3\t3\n(2 more lines follow; go on with offset 3.)");
    expect(page.data).toEqual({
      path,
      kind: "text",
      encoding: "utf-8",
      size,
      first_line: 2,
      line_count_shown: 2,
      total_lines: 5,
      line_endings: "lf",
      eof: false,
      next_offset: 3,
    });
    expect((await run({ file_path: "f", offset: 4 })).output).toBe("     5\t5");
    expect((await run({ file_path: "f", offset: 7 })).output).toBe("(No lines: the file has 5 lines, offset 7 is past its end.)");
  });

  it("says that an empty file exists", async () => {
    put("f", "");
    expect((await run({ file_path: "f" })).output).toBe("File exists but is empty");
    put("bom", new Uint8Array([0xef, 0xbb, 0xbf]));
    expect((await run({ file_path: "bom" })).output).toBe("File exists but is empty");
  });

  it("pages through a large file without losing or repeating a line", async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index} ${"é".repeat(index % 40)}`);
    put("big", lines.join("\n"));
    const shown: string[] = [];
    for (let offset = 0; offset >= 0; ) {
      const { output, data } = await run({ file_path: "big", offset, limit: 7001 });
      for (const line of output.split("\n")) if (line.includes("\t")) shown.push(line);
      const next = data !== null && typeof data === "object" && "next_offset" in data ? data.next_offset : undefined;
      offset = typeof next === "number" ? next : -1;
    }
    expect(shown).toEqual(lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`));
  });

  it("shows the first page of a 10 GB file, and says where it goes on", async () => {
    put("log", Array.from({ length: 3000 }, (_, index) => `entry ${index}\n`).join(""));
    truncateSync(join(root, "log"), 10 * 2 ** 30);
    const before = process.memoryUsage().rss;
    const { output, data } = await run({ file_path: "log" });
    expect([output.split("\n").length, data]).toEqual([
      2001,
      {
        path: join(root, "log"),
        kind: "text",
        encoding: "utf-8",
        size: 10 * 2 ** 30,
        first_line: 1,
        line_count_shown: 2000,
        line_endings: "lf",
        eof: false,
        next_offset: 2000,
      },
    ]);
    expect((await run({ file_path: "log", offset: 2990 })).data).toMatchObject({
      first_line: 2991,
      line_count_shown: 10,
      next_offset: 3000,
    });
    const endless = await run({ file_path: "log", offset: 3000 });
    expect(endless.output).toMatch(/Line 3001 goes on for more than \d+ bytes; its end was not looked for\.\)$/);
    expect(endless.output.length).toBeLessThan(3000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 << 20);
    expect(seen.get(join(root, "log"))?.hash).toBeUndefined();
  });

  it("cuts long lines and counts what it cut", async () => {
    put("f", `${"a".repeat(2000)}\n${"b".repeat(2001)}\r\n${"😀".repeat(1500)}\nend`);
    const { output, data } = await run({ file_path: "f" });
    expect(output).toBe(
      `     1\t${"a".repeat(2000)}\n     2\t${"b".repeat(2000)}… [1 more characters in this line]\n     3\t${"😀".repeat(1000)}… [500 more characters in this line]\n     4\tend`,
    );
    expect(data).toMatchObject({ lines_cut: 2, total_lines: 4 });
  });

  it.each([
    ["utf-16le", "\uFEFFgrüße\r\n二行目\n", "utf16le"],
    ["windows-1252", "Größe: 5 €\ncafé\n", "win1252"],
    ["gb18030", "// 配置文件\n第二行。\n", "gb18030"],
    ["big5", "這是一個測試檔案。\n第二行\n", "big5"],
    ["shift_jis", "これはテストです。\n二行目\n", "shift_jis"],
    ["euc-kr", "이것은 테스트 파일입니다.\n둘째 줄\n", "euc-kr"],
  ])("decodes %s and says so", async (encoding, text, codec) => {
    put("f", iconv.encode(text, codec));
    const { output, data } = await run({ file_path: "f" });
    const lines = text.replace("\uFEFF", "").split("\n").slice(0, -1);
    expect([output, (data as { encoding: string }).encoding]).toEqual([
      lines.map((line, index) => `     ${index + 1}\t${line}\n`).join(""),
      encoding,
    ]);
  });

  it("finds the lines of UTF-16 by units, not by bytes", async () => {
    // U+0A0A and U+010A hold the byte of a line feed without being one.
    const text = "\uFEFFa\u0A0A\u010Ab\nc\n";
    put("le", Buffer.from(text, "utf16le"));
    put("be", Buffer.from(text, "utf16le").swap16());
    for (const name of ["le", "be"]) expect((await run({ file_path: name })).output).toBe("     1\ta\u0A0A\u010Ab\n     2\tc\n");
  });

  it("decodes a late page of a file whose beginning is ASCII", async () => {
    put("f", Buffer.concat([Buffer.from("plain line\n".repeat(200_000)), iconv.encode("// 配置文件，用户名称\n", "gb18030")]));
    expect((await run({ file_path: "f", offset: 200_000 })).output).toBe("200001\t// 配置文件，用户名称\n");
  });

  it("remembers the hash of what it read whole, and keeps it when a page is read later", async () => {
    put("f", "1\n2\n3\n");
    await run({ file_path: "f" });
    const { fingerprint } = await context().files.readAll(await context().files.resolve("f"));
    expect(seen.get(join(root, "f"))).toEqual(fingerprint);
    await run({ file_path: "f", limit: 1 });
    expect(seen.get(join(root, "f"))).toEqual(fingerprint);
  });
});

describe("Read of what is no text", () => {
  it.each([
    ["ELF executable or library", "\x7fELF\x02\x01\x01\0\0\0"],
    ["GZIP archive", "\x1f\x8b\x08\0"],
    ["ZIP archive", "PK\x03\x04\x14\0"],
    ["WebAssembly module", "\0asm\x01\0\0\0"],
    ["SQLite database", "SQLite format 3\0"],
    ["binary data", "text and \0 more"],
    ["binary data", "\x01\x9b\x02\x13\xf5\xd2\x14zq\x05\x88"],
  ])("names %s by kind and size", async (type, content) => {
    const bytes = Buffer.from(content, "latin1");
    put("f", bytes);
    expect(await run({ file_path: "f" })).toEqual({
      output: `Binary file: ${type}, ${bytes.length} bytes`,
      data: { path: join(root, "f"), kind: "binary", type, size: bytes.length },
    });
    expect(seen.size).toBe(0);
  });

  it("takes text that begins like a magic number for text", async () => {
    for (const text of ["BM25 ranks documents\n", "MZ is a prefix\n", "ID3 decision trees\n", "RIFF raff\n", "abcdftyp\n"]) {
      put("f", text);
      expect((await run({ file_path: "f" })).output).toBe(catN("f"));
    }
  });

  it("refuses directories, FIFOs and missing files at once, with a way on", async () => {
    mkdirSync(join(root, "dir"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "fifo")]);
    put("Config.json", "{}");
    put("notes.txt", "x");
    const directory = await failure(run({ file_path: "dir" }));
    expect([directory.code, directory.details?.reason, directory.hint]).toEqual([
      "invalid_tool_input",
      "is_directory",
      "Use List to see what is in it.",
    ]);
    expect((await failure(run({ file_path: "fifo" }))).details?.reason).toBe("not_a_file");
    const missing = await failure(run({ file_path: "config.jsn" }));
    expect([missing.code, missing.details]).toEqual([
      "tool_not_found",
      { reason: "file_not_found", path: "config.jsn", nearest: [join(root, "Config.json")] },
    ]);
    expect((await failure(run({ file_path: "notez/deep/x.txt" }))).details?.nearest).toEqual([join(root, "notes.txt")]);
    expect((await failure(run({ file_path: "zzzzzzzz" }))).details?.nearest).toBeUndefined();
  });

  it("lists a directory when it is asked to", async () => {
    mkdirSync(join(root, "dir/sub"), { recursive: true });
    put("dir/a", "12345");
    expect((await run({ file_path: "dir", directory: "list" })).output).toBe(`${join(root, "dir")}/\n  a  5\n  sub/`);
  });

  it("refuses a link swapped in after the plan", async () => {
    put("f", "mine");
    put("secret", "theirs");
    const plan = await planOf({ file_path: "f" });
    unlinkSync(join(root, "f"));
    symlinkSync("secret", join(root, "f"));
    const error = await failure(run({ file_path: "f" }, plan));
    expect([error.code, error.details?.reason]).toEqual(["tool_forbidden_path", "path_changed"]);
  });

  it("stops when it is cancelled", async () => {
    put("big", "line\n".repeat(2_000_000));
    const plan = await planOf({ file_path: "big" });
    const aborted = AbortSignal.abort(new Error("stop"));
    const session = { ...context().session, setCwd() {}, setEnv() {} };
    const input = { file_path: "big", offset: 1_900_000, limit: 10, directory: "error" };
    await expect(
      readTool.run(input, { ...context(), session, signal: aborted, plan, progress() {}, live: () => expect.unreachable() }),
    ).rejects.toThrow("stop");
  });
});
