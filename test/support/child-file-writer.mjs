// A process that changes files through the engine until it is killed, and says on stdout what it begins and what was acknowledged.
// Started by file-crash.test.ts: workspace, home, prefix of the call ids, number of the first call.
import { writeSync } from "node:fs";
import { createEngine } from "../../dist/index.js";

const [workspace, home, prefix, first] = process.argv.slice(2);
const engine = await createEngine({ workspace, home, mode: "accept-edits" });
const session = await engine.openSession({ id: "crash" });
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const filling = "the quick brown fox jumps over the lazy dog\n".repeat(3000);

for (let number = Number(first); ; number += 1) {
  const id = `${prefix}-${number}`;
  const kind = ["Write", "Edit", "MultiEdit"][number % 3];
  const mark = `call ${id}`;
  say({ begins: id, kind, mark });
  const result = await perform(kind, mark, id);
  if (result.status !== "ok") {
    say({ failed: id, output: result.output });
    process.exit(1);
  }
  say({ acknowledged: id });
}

/** Every file starts with the mark of the call that wrote it last. */
async function perform(kind, mark, callId) {
  if (kind === "Write") {
    await session.call("Read", { file_path: "a.txt", limit: 1 });
    return session.call("Write", { file_path: "a.txt", content: `<${mark}>\n${filling}` }, { callId });
  }
  const edit = async (file) => ({ old_string: `<${await markOf(file)}>`, new_string: `<${mark}>` });
  if (kind === "Edit") return session.call("Edit", { file_path: "a.txt", ...(await edit("a.txt")) }, { callId });
  const files = [];
  for (const file of ["a.txt", "b.txt", "c.txt"]) files.push({ file_path: file, edits: [await edit(file)] });
  return session.call("MultiEdit", { files }, { callId });
}

async function markOf(file) {
  const { output } = await session.call("Read", { file_path: file, limit: 1 });
  return /<(.*?)>/.exec(output)?.[1];
}
