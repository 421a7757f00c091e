import { expect, test } from "vitest";
import { StreamMemory } from "./stream-memory.ts";

const message = (id: number, text = "") => ({ jsonrpc: "2.0" as const, id, result: { text } });

async function after(memory: StreamMemory, id: string): Promise<readonly unknown[]> {
  const sent: unknown[] = [];
  await memory.replayEventsAfter(id, {
    send: async (at, sentMessage) => void sent.push([at, "id" in sentMessage ? sentMessage.id : undefined]),
  });
  return sent;
}

test("a stream goes on after the position, without the messages of others and without empty first ones", async () => {
  const memory = new StreamMemory();
  const first = await memory.storeEvent("a", {} as never);
  await memory.storeEvent("b", {} as never);
  const one = await memory.storeEvent("a", message(1));
  await memory.storeEvent("b", message(2));
  const three = await memory.storeEvent("a", message(3));
  expect(await after(memory, first)).toEqual([
    [one, 1],
    [three, 3],
  ]);
  expect(await after(memory, one)).toEqual([[three, 3]]);
  expect(await memory.getStreamIdForEventId(one)).toBe("a");
});

test("a position that was forgotten is unknown, and what is kept has an end", async () => {
  const memory = new StreamMemory();
  const first = await memory.storeEvent("a", message(0));
  for (let id = 1; id <= 1_000; id += 1) await memory.storeEvent("a", message(id));
  expect(await memory.getStreamIdForEventId(first)).toBeUndefined();
  await expect(after(memory, first)).rejects.toThrow("not known");
  const large = await memory.storeEvent("a", message(2_000, "x".repeat(5_000_000)));
  expect(await memory.getStreamIdForEventId(large)).toBe("a");
  expect(await after(memory, large)).toEqual([]);
});
