import { expect, it } from "vitest";
import type { Model, ModelEvent } from "../providers/model.ts";
import { ask } from "./ask.ts";

const usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
const request = { system: "", messages: [], tools: [], initialTools: 0, answersBefore: 0, answersInAll: 0, conversation: "" };

it("a process that was busy reads what came meanwhile before it calls the provider silent", async () => {
  let asked = 0;
  const idleTimeoutMs = 20;
  const model: Model = {
    id: "p/m",
    idleTimeoutMs,
    async *stream(): AsyncGenerator<ModelEvent> {
      asked += 1;
      const since = performance.now();
      setImmediate(() => {
        while (performance.now() - since < idleTimeoutMs * 5);
      });
      // What has come is read in the turns of the event loop that follow.
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
      yield { type: "end", finish: "stop", usage };
    },
  };
  const session = { append: async () => [] };
  const ports = { maskStream: () => ({ push: (text: string) => text, end: () => "" }), newId: () => "id", log: () => {} };
  const answer = await ask(model, { session, signal: new AbortController().signal, ports, request });
  expect({ asked, finish: answer.finish }).toEqual({ asked: 1, finish: "stop" });
});
