import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TerminalState } from "../../contract/index.ts";
import { decodeKeys, keyBytes } from "./terminal-keys.ts";
import { planTyping } from "./terminal-plan.ts";
import { kinds, workplace } from "./terminal-tools.fixture.ts";

describe("Terminal", () => {
  test("answers output, exit code and directory; a failing command is an error with both", async () => {
    const { call, root } = await workplace();
    expect(await call("Terminal", { command: "echo hi" })).toEqual({
      output: "hi",
      data: { class: "general", exit_code: 0, cwd: root, output: "hi" },
    });
    await expect(call("Terminal", { command: "echo no; (exit 3)" })).rejects.toMatchObject({
      code: "tool_error",
      output: "no",
      data: { exit_code: 3 },
      details: { reason: "exit_nonzero", exit_code: 3 },
    });
  });

  test("is planned like a command of Bash, in the terminal's own directory", async () => {
    const { call, plan, root } = await workplace();
    await call("Terminal", { command: "mkdir sub; cd sub" });
    const planned = await plan("Terminal", { command: "touch here" });
    expect(planned.preview).toEqual({ type: "command", command: "touch here", cwd: join(root, "sub") });
    expect(planned.effects).toContainEqual(
      expect.objectContaining({ kind: "write", path: expect.objectContaining({ real: join(root, "sub", "here") }) }),
    );
  });

  test("a function or alias defined in the terminal makes a harmless name unknown", async () => {
    const { call, plan } = await workplace();
    expect(kinds((await plan("Terminal", { command: "ls" })).effects)).not.toContain("unknown");
    await call("Terminal", { command: "ls() { echo fake; }" });
    expect(kinds((await plan("Terminal", { command: "ls" })).effects)).toContain("unknown");
    expect(kinds((await plan("TerminalInput", { text: "ls\\n" })).effects)).toContain("unknown");
  });

  test("a program that waits is no error: input_required with its kind, and the next call answers it", async () => {
    const { call } = await workplace();
    const asked = await call("Terminal", { command: "read -p 'Remove all? (y/N) ' a; echo got $a" });
    expect(asked.data).toMatchObject({ waiting: "confirm", input_required: { kind: "confirm", program: "bash" } });
    expect(asked.output).toContain("waits for input: confirm");
    await expect(call("Terminal", { command: "ls" })).rejects.toMatchObject({
      code: "tool_conflict",
      details: { reason: "terminal_busy" },
    });
    expect(await call("TerminalInput", { text: "n\\n" })).toMatchObject({ data: { exit_code: 0, output: "n\ngot n" } });
  });

  test("a secure variable reaches the command and not its output", async () => {
    const { call, stored } = await workplace();
    const { output } = await call("Terminal", { command: 'test "$KARYI{TOKEN}" = hunter2222 && echo "<$KARYI{TOKEN}>"' });
    expect(output).toBe("<[hidden]>");
    expect(output).not.toContain(stored);
  });
});

describe("TerminalInput", () => {
  test("refuses to type a password, except a secure variable by its name alone", async () => {
    const { call, plan, terminals } = await workplace();
    await call("Terminal", { command: "read -s -p 'Password: ' p; echo; [[ $p == hunter2222 ]] && echo welcome" });
    await expect(plan("TerminalInput", { text: "guess\\n" })).rejects.toMatchObject({
      code: "permission_denied",
      details: { reason: "password_required" },
    });
    await expect(plan("TerminalInput", { text: "x$KARYI{PW}\\n" })).rejects.toMatchObject({ details: { reason: "placeholder_place" } });
    expect(kinds((await plan("TerminalInput", { text: "$KARYI{PW}\\n" })).effects)).toEqual(["unknown"]);
    expect(await call("TerminalInput", { text: "$KARYI{PW}\\n" })).toMatchObject({
      data: { exit_code: 0, output: expect.stringContaining("welcome") },
    });
    expect(await terminals.peek()).toMatchObject({ state: "idle" });
  });

  test("at a prompt the text is judged as the command it is", async () => {
    const { plan } = await workplace();
    expect(kinds((await plan("TerminalInput", { text: "rm -rf x\\n" })).effects)).toContain("write");
    expect(kinds((await plan("TerminalInput", { text: "l\\x08rm x\\n" })).effects)).toContain("unknown");
    expect(kinds((await plan("TerminalInput", { text: "cat\\nrm x\\n" })).effects)).toContain("code");
  });

  const states: readonly (readonly [string, TerminalState, string, string])[] = [
    ["a plain answer to a question", { state: "waiting", waiting: "confirm" }, "yes\n", "state"],
    ["more than an answer", { state: "waiting", waiting: "confirm" }, "y; rm -rf ~\n", "code"],
    ["an answer whose rest could be a command", { state: "waiting", waiting: "confirm" }, "yreboot\n", "code"],
    ["a movement in a pager", { state: "waiting", waiting: "pager" }, " Gq", "state"],
    ["what follows the end of a pager", { state: "waiting", waiting: "pager" }, "q>f\n", "code"],
    ["a search in a pager", { state: "waiting", waiting: "pager" }, "/word\n", "state"],
    ["a command of a pager", { state: "waiting", waiting: "pager" }, "!rm -rf ~\n", "code"],
    ["a save of a pager", { state: "waiting", waiting: "pager" }, "s/etc/x\n", "code"],
    ["text for an editor", { state: "waiting", waiting: "editor" }, "ix", "code"],
    ["a line for an interpreter", { state: "waiting", waiting: "repl", program: "python3" }, "1\n", "code"],
    ["text for whoever reads next", { state: "running" }, "y\n", "code"],
  ];
  for (const [title, state, text, kind] of states) {
    test(`${title} is ${kind}`, async () => {
      const { context } = await workplace();
      expect(kinds((await planTyping(text, state, context)).effects)).toEqual([kind]);
    });
  }
});

describe("TerminalKey and TerminalScreen", () => {
  test("a pager is looked at, moved in and left by keys", async () => {
    const { call } = await workplace();
    const shown = await call("Terminal", { command: "seq 100 | less" });
    expect(shown.data).toMatchObject({ input_required: { kind: "pager" } });
    expect(shown.output).toMatch(/^1\n2\n3\n/);
    await call("TerminalKey", { key: "Down" });
    const screen = await call("TerminalScreen", {});
    expect(screen.output).toMatch(/^2\n3\n/);
    expect(screen.data).toMatchObject({ state: "waiting", waiting: "pager" });
    expect(await call("TerminalInput", { text: "q" })).toMatchObject({ data: { exit_code: 0 } });
  });

  test("Ctrl-C ends a program that runs", async () => {
    const { call } = await workplace();
    expect(await call("Terminal", { command: "sleep 100", timeout: 300 })).toMatchObject({ data: { running: true } });
    expect(await call("TerminalKey", { key: "C" })).toMatchObject({ data: { exit_code: 130 } });
  });

  test("enter at a prompt may run what stands there; an unknown key is refused with those there are", async () => {
    const { plan } = await workplace();
    expect(kinds((await plan("TerminalKey", { key: "enter" })).effects)).toEqual(["code"]);
    // To stop something nobody is asked.
    expect((await plan("TerminalKey", { key: "c" })).effects).toEqual([{ kind: "state", area: "terminal", stops: true }]);
    await expect(plan("TerminalKey", { key: "hyper" })).rejects.toMatchObject({
      code: "invalid_tool_input",
      details: { reason: "unknown_key" },
    });
  });
});

test("keys are named in any case, control keys with or without a prefix", () => {
  expect(["c", "C", "^c", "ctrl+c", "Ctrl-C", "C-c"].map(keyBytes)).toEqual(Array(6).fill("\x03"));
  expect(["d", "z", "l", "\\", "["].map(keyBytes)).toEqual(["\x04", "\x1a", "\x0c", "\x1c", "\x1b"]);
  expect(["Enter", "TAB", "Escape", "arrow_up", "ArrowDown", "PageUp", "page-down", "F5", "backspace"].map(keyBytes)).toEqual([
    "\r",
    "\t",
    "\x1b",
    "\x1b[A",
    "\x1b[B",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[15~",
    "\x7f",
  ]);
  expect(["", "hello", "constructor", "ctrl+", "1"].map(keyBytes)).toEqual(Array(5).fill(undefined));
});

test("escapes in text are decoded, and nothing else", () => {
  expect(decodeKeys("y\\n")).toBe("y\n");
  expect(decodeKeys("a\\tb\\rc\\ed\\x41\\u4e2d\\\\n")).toBe("a\tb\rc\x1bdA中\\n");
  expect(decodeKeys("\\q \\x4 \\u12 real\nline \\")).toBe("\\q \\x4 \\u12 real\nline \\");
});
