/** Reading 2,000 lines: over the same by hand, and over bare `readFile`. */
import { writeFileSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { question } from "./measure.ts";
import { benchPlace, numberedLines, succeeded } from "./place.ts";

const { session, workspace } = await benchPlace();
const path = join(workspace, "lines.txt");
writeFileSync(path, numberedLines(2000));

const ours = async () => void succeeded(await session.call("Read", { file_path: path }));

/** Open, stat, read, decode, number. */
async function byHand(): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(size);
    await file.read(bytes, 0, size, 0);
    const lines = bytes.toString("utf8").split("\n");
    lines.pop();
    const numbered = lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join("\n");
    if (numbered.length < size) throw new Error("impossible");
  } finally {
    await file.close();
  }
}

question({ name: "read: 2,000 lines over open, stat, read, number by hand", limit: byHand, ours, bound: 1.5, pairs: 51, repeat: 10 });

question({
  name: "read: 2,000 lines over `fs.readFile`",
  limit: async () => void (await readFile(path, "utf8")),
  ours,
  bound: 2.3,
  pairs: 51,
  repeat: 10,
});
