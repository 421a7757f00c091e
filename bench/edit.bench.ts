/** One edit in a file of 5,000 lines: safe against a power cut, and without that against the least that edits; and one that finds nothing to edit. */
import { readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bareWrite } from "./bare-write.ts";
import { question } from "./measure.ts";
import { benchPlace, numberedLines, type Place, succeeded } from "./place.ts";

const text = numberedLines(5000);
const marked = (word: string) => text.replace("line 2500:", `line 2500 ${word}:`);
const old = (round: number) => `line 2500 r${round}:`;

async function editor({ session, workspace }: Place): Promise<() => Promise<void>> {
  const path = join(workspace, "ours.txt");
  writeFileSync(path, marked("r0"));
  succeeded(await session.call("Read", { file_path: path }));
  let round = 0;
  return async () => {
    const edit = { file_path: path, old_string: old(round), new_string: old(round + 1) };
    round += 1;
    succeeded(await session.call("Edit", edit));
  };
}

const safe = await benchPlace();
const bare = bareWrite();
const theirs = join(safe.workspace, "theirs.txt");
writeFileSync(theirs, marked("r0"));
let bareRound = 0;

question({
  name: "edit: in 5,000 lines over the same sequence by hand",
  async limit() {
    const before = await readFile(theirs);
    const after = Buffer.from(before.toString("utf8").replace(old(bareRound), old(bareRound + 1)));
    bareRound += 1;
    await bare.write(theirs, before, after);
  },
  ours: await editor(safe),
  bound: 1.4,
  pairs: 31,
  repeat: 3,
});

const quick = await benchPlace({ config: { durability: "off" } });
const plain = join(quick.workspace, "theirs.txt");
writeFileSync(plain, marked("r0"));
let plainRound = 0;

question({
  name: "edit: in 5,000 lines with durability off over read and write",
  async limit() {
    const before = await readFile(plain, "utf8");
    await writeFile(plain, before.replace(old(plainRound), old(plainRound + 1)));
    plainRound += 1;
  },
  ours: await editor(quick),
  bound: 2.5,
  pairs: 31,
  repeat: 5,
});

const lost = join(quick.workspace, "long.txt");
writeFileSync(lost, numberedLines(50_000));
const wanted = Array.from({ length: 8 }, (_, index) => `line ${31_000 + index}: the quick brown fox jumped over the lazy cat`).join("\n");

question({
  name: "edit: explaining a mismatch in 50,000 lines over reading the file",
  limit: async () => void (await readFile(lost, "utf8")),
  async ours() {
    const { error, output } = await quick.session.call("Edit", { file_path: lost, old_string: wanted, new_string: "" });
    if (error?.details?.reason !== "no_match" || !output.includes("31001")) throw new Error(output);
  },
  target: "under 100 ms",
  pairs: 11,
});

if (!readFileSync(theirs, "utf8").includes("line 2500 r")) throw new Error("the limit edits nothing");
