import { describe, expect, it } from "vitest";
import { limitBody } from "./message-limit.ts";

const limit = 100;

async function passed(type: string, chunks: readonly string[]): Promise<{ readonly text: string | undefined; readonly cuts: number }> {
  let cuts = 0;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const response = limitBody(new Response(body, { headers: { "content-type": type } }), limit, () => {
    cuts += 1;
  });
  const text = await response.text().catch(() => undefined);
  return { text, cuts };
}

describe("a response", () => {
  it("is taken up to the limit, in however many parts", async () => {
    const whole = "x".repeat(limit);
    expect(await passed("application/json", [whole])).toEqual({ text: whole, cuts: 0 });
    expect(await passed("application/json", [...whole])).toEqual({ text: whole, cuts: 0 });
    expect(await passed("application/json", [...whole, "x"])).toEqual({ text: undefined, cuts: 1 });
    expect(await passed("application/json", ["\n\n".repeat(limit)])).toEqual({ text: undefined, cuts: 1 });
  });

  it("that is a stream of events may go on; each event counts for itself, however its lines end and are cut", async () => {
    for (const end of ["\n\n", "\r\n\r\n"]) {
      const events = `data: ${"x".repeat(limit - 20)}${end}`.repeat(20);
      expect(await passed("text/event-stream; charset=utf-8", [events])).toEqual({ text: events, cuts: 0 });
      expect(await passed("text/event-stream", [...events])).toEqual({ text: events, cuts: 0 });
    }
    expect((await passed("text/event-stream", [`data: ${"x".repeat(limit)}\n\n`])).cuts).toBe(1);
    expect((await passed("text/event-stream", ["data: x\n".repeat(limit)])).cuts).toBe(1);
    expect((await passed("text/event-stream", [..."data: x\r\n".repeat(limit)])).cuts).toBe(1);
  });
});
