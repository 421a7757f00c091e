/** A home that may not be written: it stays as it is, what only reads works, and nothing of it is left anywhere else. */
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { karyi } from "./support/command.ts";
import { temporaryDirectory, treeOf } from "./support/engine.ts";

describe("a read-only home", { timeout: 120_000 }, () => {
  it("is read by tools, commands and history, says once what is not recorded, and stays as it is", async () => {
    const [workspace, home, temporary] = [await temporaryDirectory(), await temporaryDirectory(), await temporaryDirectory()];
    const run = (...args: readonly string[]) =>
      karyi([...args, "--workspace", workspace, "--home", home], { env: { TMPDIR: temporary }, cwd: workspace });
    writeFileSync(join(workspace, "a.txt"), "hello\n");
    expect(await run("call", "Write", '{"file_path":"b.txt","content":"b"}', "--approve", "yes")).toMatchObject({ code: 0 });
    // It also tells once where commands can be confined, in a file that is there then.
    expect(await run("call", "Bash", '{"command":"true"}')).toMatchObject({ code: 0 });
    const before = await treeOf(home);
    chmodSync(home, 0o555);
    onTestFinished(() => chmodSync(home, 0o755));
    const said = `A call could not be recorded: Karyi's state in ${home} cannot be written: it is read-only.\n`;

    expect(await run("call", "Read", '{"file_path":"a.txt"}')).toEqual({ code: 0, stdout: "     1\thello\n", stderr: said });
    expect(await run("call", "Bash", '{"command":"cat a.txt"}')).toEqual({ code: 0, stdout: "hello\n", stderr: said });
    expect(await run("history")).toMatchObject({ code: 0, stdout: expect.stringContaining("Write b.txt"), stderr: "" });
    // A tool that is found on demand is noted in the session, which cannot be.
    expect(await run("call", "Terminal", '{"command":"true"}')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Error (tool_error): Karyi's home ${home} is read-only, and a terminal listens there.`),
    });
    expect(await run("call", "Write", '{"file_path":"c.txt","content":"c"}', "--approve", "yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Error (tool_error): Karyi's state in ${home} cannot be written: it is read-only.`),
    });

    expect(await treeOf(home)).toEqual(before);
    expect(readdirSync(temporary).filter((name) => !name.startsWith("karyi-sandbox-"))).toEqual([]);
    expect(readdirSync(workspace).sort()).toEqual(["a.txt", "b.txt"]);
  });
});
