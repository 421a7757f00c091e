import { expect, it } from "vitest";
import type { Call, Masker } from "../contract/index.ts";
import type { EventFeed } from "./event-feed.ts";
import { Progress } from "./progress.ts";

it("progress that cannot be written down while the call runs is told when it ends, and ends nothing else", async () => {
  const unheard: unknown[] = [];
  const listen = (reason: unknown) => unheard.push(reason);
  process.on("unhandledRejection", listen);
  try {
    let wasAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      wasAsked = resolve;
    });
    const feed: Pick<EventFeed, "appendSoon"> = {
      async appendSoon() {
        wasAsked();
        throw new Error("the disk is full");
      },
    };
    const masker: Pick<Masker, "stream"> = { stream: () => ({ push: (text) => text, end: () => "" }) };
    const call = { id: "call" } satisfies Pick<Call, "id">;
    const progress = new Progress(call, "session", feed, masker);
    progress.push("text");
    await asked;
    await new Promise((next) => setImmediate(next));
    expect(unheard).toEqual([]);
    await expect(progress.close()).rejects.toThrow("the disk is full");
  } finally {
    process.off("unhandledRejection", listen);
  }
});
