/** What is typed into a shell that runs in the terminal is a command; into anything else it is code. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TerminalInputOptions } from "../../contract/index.ts";
import { kinds, workplace } from "./terminal-tools.fixture.ts";

describe("a shell that was started in the terminal", () => {
  const shells = [
    "bash --norc --noprofile",
    "sh -i",
    "bash --norc --noprofile -c 'export PS1=\"me@here:~/x$ \"; exec bash --norc --noprofile'",
  ];
  for (const shell of shells) {
    test(`${shell}: a line typed there is judged as the command it is, where that shell is`, async () => {
      const { call, plan, root } = await workplace();
      await call("Terminal", { command: "mkdir -p sub/deep" });
      expect((await call("Terminal", { command: shell })).data).toMatchObject({ waiting: "repl" });
      expect(kinds((await plan("TerminalInput", { text: "ls\\n" })).effects)).toEqual(expect.not.arrayContaining(["code", "unknown"]));
      await call("TerminalInput", { text: "cd sub\\n" });
      const { effects } = await plan("TerminalInput", { text: "rm -rf deep\\n" });
      expect(effects).toContainEqual(
        expect.objectContaining({ kind: "write", path: expect.objectContaining({ real: join(root, "sub", "deep") }) }),
      );
      expect(kinds((await plan("TerminalInput", { text: "eval $X\\n" })).effects)).toEqual(expect.arrayContaining(["run"]));
      expect((await plan("TerminalInput", { text: "eval $X\\n" })).effects).toContainEqual(expect.objectContaining({ understood: false }));
      expect(await call("TerminalInput", { text: "exit\\n" })).toMatchObject({ data: { exit_code: 0 } });
    });
  }

  test("after something was typed that may have changed it, nothing there is known any more", async () => {
    const { call, plan } = await workplace();
    await call("Terminal", { command: "bash --norc --noprofile" });
    expect(kinds((await plan("TerminalInput", { text: "ls\\n" })).effects)).not.toContain("unknown");
    await call("TerminalInput", { text: "ls() { echo fake; }\\n" });
    expect(kinds((await plan("TerminalInput", { text: "ls\\n" })).effects)).toContain("unknown");
    await call("TerminalInput", { text: "exit 0\\n" });
    await call("Terminal", { command: "bash --norc --noprofile" });
    expect(kinds((await plan("TerminalInput", { text: "ls\\n" })).effects)).not.toContain("unknown");
  });

  test("text that stands at its prompt is part of the line", async () => {
    const { call, plan } = await workplace();
    await call("Terminal", { command: "bash --norc --noprofile" });
    await call("TerminalInput", { text: "rm -rf x ", timeout: 2_000 });
    expect(kinds((await plan("TerminalInput", { text: "y\\n" })).effects)).toContain("unknown");
  });

  test("what a person typed there may have changed it too", async () => {
    const { call, plan, terminals } = await workplace();
    await call("Terminal", { command: "bash --norc --noprofile" });
    terminals.type(Buffer.from(" "));
    // Until it has read that, it is not known to wait at all.
    expect(["unknown", "code"]).toContain(kinds((await plan("TerminalInput", { text: "ls\\n" })).effects).at(-1));
  });

  const others = [
    "bash --norc --noprofile -c 'while read -p \"$ \" line; do :; done'",
    "bash --norc --noprofile --rcfile ./rc -i",
    "python3 -i -q",
    "read -e -p '$ ' line",
  ];
  for (const command of others) {
    test(`${command} is none: what is typed there is code`, async () => {
      const { call, plan } = await workplace();
      expect((await call("Terminal", { command })).data).toMatchObject({ waiting: expect.any(String) });
      expect(kinds((await plan("TerminalInput", { text: "ls\\n" })).effects)).toEqual(["code"]);
    });
  }

  const hasNamespaces = spawnSync("bash", ["-c", "unshare -Ur true"]).status === 0;
  test.skipIf(!hasNamespaces)(`a shell in another world is none${hasNamespaces ? "" : " (skipped: no namespaces here)"}`, async () => {
    const { call, plan } = await workplace();
    expect((await call("Terminal", { command: "unshare -Ur bash --norc --noprofile" })).data).toMatchObject({ waiting: "repl" });
    expect(kinds((await plan("TerminalInput", { text: "ls\\n" })).effects)).toEqual(["code"]);
  });

  test("nothing is typed where the shell is no longer where it was judged to be", async () => {
    const { call, plan, context } = await workplace();
    await call("Terminal", { command: "mkdir sub" });
    await call("Terminal", { command: "bash --norc --noprofile" });
    const planned = await plan("TerminalInput", { text: "touch wrong\\n" });
    const { nested } = await context.terminals.peek();
    const judged = (planned.data as { expect: { nested: object } }).expect;
    expect(judged.nested).toEqual(nested);
    const elsewhere = { ...judged, nested: { ...nested, cwd: "/elsewhere" } };
    const typed = context.terminals.input("touch wrong\n", {
      timeoutMs: 5_000,
      signal: context.signal,
      expect: elsewhere as NonNullable<TerminalInputOptions["expect"]>,
    });
    await expect(typed).rejects.toMatchObject({ code: "tool_conflict", details: { reason: "terminal_changed" } });
  });
});
