import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { KeptEnds } from "../../contract/index.ts";
import { CommandOutput } from "./command-output.ts";

describe("kept ends", () => {
  it("any chunking keeps the same first and last bytes and counts the rest", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        (chunks, head, tail) => {
          const ends = new KeptEnds(head, tail);
          for (const chunk of chunks) ends.push(chunk);
          const all = Buffer.concat(chunks);
          const first = all.subarray(0, head);
          const last = all.subarray(first.length).subarray(-tail);
          expect({ head: [...ends.head()], tail: [...ends.tail()], total: ends.total, lost: ends.lost }).toEqual({
            head: [...first],
            tail: [...last],
            total: all.length,
            lost: all.length - first.length - last.length,
          });
        },
      ),
    );
  });
});

interface Kept {
  readonly collected: Awaited<ReturnType<CommandOutput["finish"]>>;
  readonly live: string;
  readonly kept: boolean;
}

async function collect(pieces: readonly (readonly ["stdout" | "stderr", string | Uint8Array])[]): Promise<Kept> {
  let live = "";
  let kept = false;
  const output = new CommandOutput({
    push: (text) => {
      live += text;
      return undefined;
    },
    keep: () => {
      kept = true;
    },
    close: async () => {
      const bytes = Buffer.byteLength(live);
      return kept ? { ref: "out_1", total: bytes, kept: bytes } : undefined;
    },
  });
  for (const [name, bytes] of pieces) await output.push(name, Buffer.from(bytes));
  return { collected: await output.finish(), live, kept };
}

describe("what a command printed", () => {
  it("is shown whole while it is short, stderr marked line by line, in the order it came for whoever watches", async () => {
    const { collected, live, kept } = await collect([
      ["stdout", "one\ntw"],
      ["stderr", "oh\nno"],
      ["stdout", "o\n"],
      ["stderr", "!\n"],
    ]);
    expect(collected).toEqual({ stdout: "one\ntwo\n", stderr: "oh\nno!\n", text: "one\ntwo\n[stderr] oh\n[stderr] no!\n" });
    expect({ live, kept }).toEqual({ live: "one\ntw[stderr] oh\n[stderr] noo\n!\n", kept: false });
  });

  it("a character cut by a chunk is whole, in the text, in what is kept and for whoever watches", async () => {
    const text = "漢字🎉".repeat(40_000);
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1001) }, (_, at) => bytes.subarray(at * 1001, (at + 1) * 1001));
    const { collected, live, kept } = await collect(pieces.map((piece) => ["stdout", piece] as const));
    expect({ whole: live === text, kept }).toEqual({ whole: true, kept: true });
    expect(collected.text).not.toContain("\ufffd");
    expect(collected.truncated).toEqual({ shown: 200 * 1024, total: bytes.length, ref: "out_1" });
    expect(collected.stdout).toContain(`[... ${bytes.length - 200 * 1024} bytes of stdout left out ...]`);
  });

  it("what was cut is counted as the command printed it, and the note says how much of it a quota let stay", async () => {
    const lines = (count: number) => Buffer.from("0123456\n".repeat(count));
    const { collected } = await collect([
      ["stdout", lines(30_000)],
      ["stderr", lines(10_000)],
    ]);
    const left = 40_000 * 8 - 256 * 1024;
    expect(collected.truncated).toEqual({ shown: 256 * 1024, total: 40_000 * 8, ref: "out_1" });
    expect(collected.text).toContain(`[${left} of 320000 bytes were left out above; the whole is under ReadOutput`);
    const output = new CommandOutput({
      push: () => undefined,
      keep: () => {},
      close: async () => ({ ref: "out_1", total: 240_000, kept: 1_000 }),
    });
    output.push("stdout", lines(30_000));
    expect((await output.finish()).text).toContain("left out above; of all of it 1000 bytes are under ReadOutput");
  });

  it("ends where it ends, in the middle of a character too", async () => {
    const half = Buffer.from("漢").subarray(0, 2);
    const long = await collect([["stdout", Buffer.concat([Buffer.from("x".repeat(600)), half])]]);
    expect(long.live).toBe(`${"x".repeat(600)}\ufffd`);
    const short = await collect([["stdout", half]]);
    expect(short.collected.text).toBe("[stdout is binary: bytes that are not UTF-8, 2 bytes; not shown]");
  });

  it("is made to wait where what is live says so", () => {
    const busy = Promise.resolve();
    const output = new CommandOutput({ push: () => busy, keep: () => {}, close: async () => undefined });
    expect(output.push("stdout", Buffer.alloc(1 << 16, "x"))).toBe(busy);
  });

  it("in small pieces goes on together, in order, without waiting for more", async () => {
    const live = await new Promise<string>((resolve) => {
      const push = (text: string) => {
        resolve(text);
        return undefined;
      };
      const output = new CommandOutput({ push, keep: () => {}, close: async () => undefined });
      output.push("stdout", Buffer.from("one\n"));
      output.push("stderr", Buffer.from("two\n"));
      output.push("stdout", Buffer.from("three\n"));
    });
    expect(live).toBe("one\n[stderr] two\nthree\n");
  });

  it("is a note where it is binary, however it is cut", async () => {
    const { collected, live } = await collect([
      ["stdout", "\x7fE"],
      ["stdout", "LF\x02\x01"],
      ["stdout", "x".repeat(500_000)],
      ["stderr", "fine\n"],
    ]);
    expect(collected).toEqual({
      stdout: "[stdout is binary: ELF, 500006 bytes; not shown]",
      stderr: "fine\n",
      text: "[stdout is binary: ELF, 500006 bytes; not shown]\n[stderr] fine\n",
    });
    expect(live).toBe("\x7fE[stderr] fine\n");
    const image = await collect([
      ["stdout", Buffer.from([0x89, 0x50])],
      ["stdout", Buffer.from([0x4e, 0x47])],
    ]);
    expect(image.collected.stdout).toBe("[stdout is binary: PNG, 4 bytes; not shown]");
  });
});
