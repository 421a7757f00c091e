/** Who could write to the far end of a terminal would type into its shell, past policy and sandbox. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testEngine } from "./support/engine.ts";

const listing = 'for fd in /proc/self/fd/*; do [[ $(readlink "$fd") == */ptmx* ]] && echo "$fd"; done; true';

it("no program that is started holds the far end of a terminal, its own or another's", async () => {
  const { engine, workspace } = await testEngine();
  await writeFile(join(workspace, "ends.sh"), listing);
  for (const id of ["first", "second"]) {
    const session = await engine.openSession({ id });
    expect(await session.call("Terminal", { command: "true" })).toMatchObject({ status: "ok" });
  }
  const session = await engine.openSession({ id: "third" });
  const found: unknown[] = [];
  // The first ones are started by the engine itself, the others by its launcher.
  for (let count = 0; count < 5; count++) found.push((await session.call("Bash", { command: "bash ends.sh" })).data);
  expect(found).toEqual(Array(5).fill(expect.objectContaining({ exit_code: 0, stdout: "" })));
  expect((await session.call("Terminal", { command: "bash ends.sh" })).data).toMatchObject({ exit_code: 0, output: "" });
});
