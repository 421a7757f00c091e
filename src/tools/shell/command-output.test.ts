import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CommandOutput } from "./command-output.ts";
import { KeptEnds } from "./kept-ends.ts";

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
  readonly stored: string;
  /** Most characters that were not stored yet although something more came. */
  readonly behind: number;
}

async function collect(pieces: readonly (readonly ["stdout" | "stderr", string | Uint8Array])[]): Promise<Kept> {
  let live = "";
  let stored = "";
  let pushed = 0;
  let behind = 0;
  const output = new CommandOutput(
    async () => ({
      write: async (text) => {
        await new Promise((done) => setImmediate(done));
        stored += text;
      },
      close: async () => ({ ref: "out_1", total: Buffer.byteLength(stored), kept: Buffer.byteLength(stored) }),
    }),
    (text) => {
      live += text;
    },
  );
  for (const [name, bytes] of pieces) {
    behind = Math.max(behind, pushed - stored.length);
    pushed += bytes.length;
    await output.push(name, Buffer.from(bytes));
  }
  return { collected: await output.finish(), live, stored, behind };
}

describe("what a command printed", () => {
  it("is shown whole while it is short, stderr marked line by line, in the order it came for whoever watches", async () => {
    const { collected, live, stored } = await collect([
      ["stdout", "one\ntw"],
      ["stderr", "oh\nno"],
      ["stdout", "o\n"],
      ["stderr", "!\n"],
    ]);
    expect(collected).toEqual({ stdout: "one\ntwo\n", stderr: "oh\nno!\n", text: "one\ntwo\n[stderr] oh\n[stderr] no!\n" });
    expect({ live, stored }).toEqual({ live: "one\ntw[stderr] oh\n[stderr] noo\n!\n", stored: "" });
  });

  it("a character cut by a chunk is whole, in the text, in what is kept and for whoever watches", async () => {
    const text = "漢字🎉".repeat(40_000);
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1001) }, (_, at) => bytes.subarray(at * 1001, (at + 1) * 1001));
    const { collected, live, stored } = await collect(pieces.map((piece) => ["stdout", piece] as const));
    expect(live === text && stored === text).toBe(true);
    expect(collected.text).not.toContain("\ufffd");
    expect(collected.truncated).toEqual({ shown: 200 * 1024, total: bytes.length, ref: "out_1" });
    expect(collected.stdout).toContain(`[… ${bytes.length - 200 * 1024} bytes of stdout left out …]`);
  });

  it("a command that prints faster than its output can be kept is made to wait", async () => {
    const { stored, behind } = await collect(Array.from({ length: 40 }, () => ["stdout", "x".repeat(1 << 19)] as const));
    expect(stored.length).toBe(20 << 20);
    expect(behind).toBeLessThanOrEqual(3 << 20);
  });

  it("output that cannot be kept fails the call instead of being lost without a word", async () => {
    const output = new CommandOutput(
      async () => {
        throw new Error("the disk is full");
      },
      () => {},
    );
    for (let round = 0; round < 4; round++) await output.push("stdout", Buffer.alloc(1 << 20, "x"));
    await expect(output.finish()).rejects.toThrow("the disk is full");
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
  });
});
