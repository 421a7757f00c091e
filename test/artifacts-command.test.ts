import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";

it("karyi artifacts lists, shows, compares, exports and goes back", async () => {
  const workspace = await temporaryDirectory();
  const home = await temporaryDirectory();
  const run = async (...args: readonly string[]) => {
    const { stdout, code } = await karyi([...args, "--workspace", workspace, "--home", home, "--json"]);
    return { code, data: JSON.parse(stdout) as Record<string, unknown> };
  };
  await run("call", "CreateArtifact", JSON.stringify({ id: "r", title: "Report", content: "one\ntwo\n" }));
  await run("call", "UpdateArtifact", JSON.stringify({ id: "r", old_str: "two", new_str: "three" }));
  expect((await run("artifacts", "list")).data).toEqual({
    artifacts: [{ id: "r", title: "Report", content_type: "markdown", version: 2 }],
  });
  expect((await run("artifacts", "show", "r", "--version", "1")).data).toEqual({
    id: "r",
    title: "Report",
    content_type: "markdown",
    version: 1,
    content: "one\ntwo\n",
    versions: [
      { version: 1, kind: "create", time: expect.any(String), call_id: expect.any(String) },
      { version: 2, kind: "update", time: expect.any(String), call_id: expect.any(String) },
    ],
  });
  expect((await run("artifacts", "diff", "r", "1", "2")).data).toEqual({ diff: "--- a/r\n+++ b/r\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n" });
  const file = join(workspace, "out.md");
  expect((await run("artifacts", "export", "r", file)).code).toBe(0);
  expect(await readFile(file, "utf8")).toBe("one\nthree\n");
  expect((await run("artifacts", "revert", "r", "1")).data).toMatchObject({ status: "ok", data: { id: "r", version: 3 } });
  expect((await run("artifacts", "show", "r")).data).toMatchObject({ version: 3, content: "one\ntwo\n" });
  expect((await run("artifacts", "show", "nothing")).code).toBe(1);
});
