import { describe, expect, it } from "vitest";
import type { Masker, OutputWriter } from "../contract/index.ts";
import { liveText } from "./live-text.ts";

/** Hides every `secret`, however it is cut. */
const masker: Masker = {
  mask: (text) => text.replaceAll("secret", "[hidden]"),
  maskJson: (value) => value,
  stream: () => {
    let rest = "";
    return {
      push: (chunk) => {
        const text = (rest + chunk).replaceAll("secret", "[hidden]");
        const held = [5, 4, 3, 2, 1].find((length) => text.endsWith("secret".slice(0, length))) ?? 0;
        rest = text.slice(text.length - held);
        return text.slice(0, text.length - held);
      },
      end: () => rest,
    };
  },
};

function watched() {
  const seen = { live: "", stored: "", opened: 0 };
  const open = async (): Promise<OutputWriter> => {
    seen.opened += 1;
    return {
      ref: "out_1",
      write: async (text) => {
        await new Promise((done) => setImmediate(done));
        seen.stored += text;
      },
      close: async () => ({ total: Buffer.byteLength(seen.stored), kept: Buffer.byteLength(seen.stored) }),
    };
  };
  const live = liveText(masker, open, (masked) => {
    seen.live += masked;
  });
  return { live, seen };
}

describe("live text", () => {
  it("is masked for whoever watches, and not kept where nobody asks for it", async () => {
    const { live, seen } = watched();
    live.push("a sec");
    live.push("ret and more");
    expect({ kept: await live.close(), ...seen }).toEqual({ kept: undefined, live: "a [hidden] and more", stored: "", opened: 0 });
  });

  it("is kept whole and masked from its first character, also what came before it was to be kept", async () => {
    const { live, seen } = watched();
    live.push("a sec");
    live.push("ret, then ");
    live.keep();
    live.push("the rest, and sec");
    live.keep();
    const whole = "a [hidden], then the rest, and sec";
    expect({ kept: await live.close(), ...seen }).toEqual({
      kept: { ref: "out_1", total: whole.length, kept: whole.length },
      live: whole,
      stored: whole,
      opened: 1,
    });
  });

  it("who prints faster than that can be kept is made to wait", async () => {
    const { live, seen } = watched();
    live.keep();
    let pushed = 0;
    let behind = 0;
    for (let round = 0; round < 40; round++) {
      behind = Math.max(behind, pushed - seen.stored.length);
      pushed += 1 << 19;
      await live.push("x".repeat(1 << 19));
    }
    await live.close();
    expect({ stored: seen.stored.length, bounded: behind <= 3 << 20 }).toEqual({ stored: 20 << 20, bounded: true });
  });

  it("memory does not grow with what is printed, even where the tool does not ask to keep it", async () => {
    const { live, seen } = watched();
    for (let round = 0; round < 8; round++) await live.push("x".repeat(1 << 19));
    expect(seen.stored.length).toBeGreaterThan(0);
    expect(await live.close()).toEqual({ ref: "out_1", total: 4 << 20, kept: 4 << 20 });
  });

  it("text that cannot be kept fails the call instead of being lost without a word", async () => {
    const live = liveText(
      masker,
      async () => {
        throw new Error("the disk is full");
      },
      () => {},
    );
    live.keep();
    for (let round = 0; round < 4; round++) await live.push("x".repeat(1 << 20));
    await expect(live.close()).rejects.toThrow("the disk is full");
  });
});
