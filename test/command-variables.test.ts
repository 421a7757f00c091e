/** `karyi var` when something is wrong: the way out that a message names is there. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";

it("when the key is lost, nothing is overwritten, the way out is named, and karyi var reset keeps the old vault aside", async () => {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  const run = (args: readonly string[], stdin?: string) =>
    karyi(["var", ...args, "--workspace", workspace, "--home", home], stdin === undefined ? {} : { stdin });
  expect((await run(["set", "TOK"], "a-long-value-1\n")).code).toBe(0);
  await rm(join(home, "vault.key"));
  const lost = await run(["set", "OTHER"], "a-long-value-2\n");
  expect([lost.code, lost.stderr.includes("karyi var reset")]).toEqual([1, true]);
  expect((await run(["reset"])).code).toBe(0);
  expect((await readdir(home)).filter((name) => name.includes("set-aside"))).toHaveLength(1);
  expect((await run(["set", "OTHER"], "a-long-value-2\n")).code).toBe(0);
  expect((await run(["list"])).stdout).toBe("OTHER  global\n");
});

it("a value that is not text is refused, not kept as something else", async () => {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  const { code } = await karyi(["var", "set", "TOK", "--workspace", workspace, "--home", home], { stdin: "abc\ufffddefgh\n" });
  expect(code).toBe(2);
});
