/** What calls that change nothing leave in a home. */
import { lstatSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, it } from "vitest";
import { createEngine, type SessionHandle } from "../src/index.ts";
import { temporaryDirectory } from "./support/engine.ts";

const calls = 30;
const mostBytes = 6 * 1024;

/** Without the log of the database, which has a bound of its own. */
function sizeOf(directory: string): number {
  const database = new DatabaseSync(join(directory, "state.db"));
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-(?:wal|shm)$/.test(entry.name))
    .reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).blocks * 512, 0);
}

it.each([
  ["Read", (index: number) => ({ file_path: `f${index % 20}.txt` })],
  ["Grep", (index: number) => ({ pattern: `line ${index}` })],
  ["Glob", (index: number) => ({ pattern: `*${index % 10}.txt` })],
  ["Bash", (index: number) => ({ command: `head -n ${1 + (index % 9)} f1.txt` })],
] as const)(`a home grows at most ${mostBytes / 1024} KB a call of %s`, { timeout: 120_000 }, async (tool, input) => {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  for (let index = 0; index < 20; index++) writeFileSync(join(workspace, `f${index}.txt`), `line ${index} of a file\n`.repeat(100));
  const during = async (work: (session: SessionHandle) => Promise<void>): Promise<number> => {
    const engine = await createEngine({ workspace, home, approve: "deny" });
    await work(await engine.openSession()).finally(() => engine.close());
    return sizeOf(home);
  };
  const call = async (session: SessionHandle, index: number): Promise<void> => {
    expect(await session.call(tool, input(index))).toMatchObject({ status: "ok" });
  };
  const before = await during((session) => call(session, 0));
  const after = await during(async (session) => {
    for (let index = 1; index <= calls; index++) await call(session, index);
  });
  expect((after - before) / calls).toBeLessThanOrEqual(mostBytes);
});
