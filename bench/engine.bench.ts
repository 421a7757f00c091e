/** What the engine adds to a tool: per read-only call, per writing call, and with many calls at once. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { z } from "zod";
import { defineTool } from "../dist/index.js";
import { bareWrite } from "./bare-write.ts";
import { measure, question, record } from "./measure.ts";
import { benchPlace, smoke, succeeded } from "./place.ts";

const echo = defineTool({
  name: "Echo",
  description: "Says a text again.",
  input: z.object({ text: z.string() }),
  traits: { readOnly: true, concurrencySafe: true },
  run: ({ text }) => ({ output: text }),
});

const input = { text: "hello" };
// The context is the engine's business; this tool does not look at it.
const direct = async () => void (await echo.run(input, {} as never));

const { session, workspace } = await benchPlace({ tools: [echo] });

it("a read-only call adds about 150 µs", async () => {
  const name = "engine: a read-only call over the tool's function";
  const answer = await measure({ name, limit: direct, ours: async () => void succeeded(await session.call("Echo", input)), repeat: 100 });
  record({ ...answer, target: `adds ${((answer.oursMs - answer.limitMs) * 1000).toFixed(0)} µs, target 150 µs` });
});

const bare = bareWrite();
const ours = join(workspace, "ours.txt");
const theirs = join(workspace, "theirs.txt");
let round = 0;
let before = Buffer.from("start\n");
writeFileSync(ours, before);
writeFileSync(theirs, before);
succeeded(await session.call("Read", { file_path: ours }));

question({
  name: "engine: a writing call over the same sequence by hand",
  async limit() {
    round += 1;
    const after = Buffer.from(`round ${round}\n`);
    await bare.write(theirs, before, after);
    before = after;
  },
  async ours() {
    round += 1;
    succeeded(await session.call("Write", { file_path: ours, content: `round ${round}\n` }));
  },
  bound: 1.3,
  pairs: 31,
  repeat: 5,
});

const many = smoke ? 20 : 1000;
const calls = Array.from({ length: many }, () => ({ name: "Echo", input }));

it("1,000 calls at once cost no more each than one after the other", async () => {
  const answer = await measure({
    name: "engine: 1,000 calls at once over 1,000 direct ones in a row",
    async limit() {
      for (let index = 0; index < many; index++) await direct();
    },
    async ours() {
      for (const result of await session.callAll(calls)) succeeded(result);
    },
    pairs: 15,
  });
  record({ ...answer, target: `${((answer.oursMs / many) * 1000).toFixed(0)} µs a call` });
});
