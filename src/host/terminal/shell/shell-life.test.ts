/** Commands that take away from the shell what it reports with: a call ends with what happened, and the next one works. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testTerminal } from "../terminal.fixture.ts";

interface Case {
  readonly command: string;
  readonly exitCode?: number;
  /** The shell cannot go on, and another one does. */
  readonly restarted?: true;
  /** What it does to the words of the next command is its own business. */
  readonly nextPrints?: string;
  readonly nextExitCode?: number;
}

const cases: readonly Case[] = [
  { command: "readonly PROMPT_COMMAND" },
  { command: "readonly PS0" },
  { command: "PS0=; readonly PS0" },
  { command: "PS1=; readonly PS1" },
  { command: "readonly -f __karyi_prompt" },
  { command: "declare -r PROMPT_COMMAND PS0 PS1" },
  { command: "unset PROMPT_COMMAND; readonly PROMPT_COMMAND", restarted: true },
  { command: "unset PROMPT_COMMAND PS0 PS1; readonly PROMPT_COMMAND PS0 PS1; (exit 6)", exitCode: 6, restarted: true },
  { command: "unset PROMPT_COMMAND; readonly X=1; X=2", exitCode: 1 },
  { command: "unset -f __karyi_prompt; readonly X=1; X=2", exitCode: 1 },
  { command: "unset PROMPT_COMMAND; readonly PROMPT_COMMAND; PROMPT_COMMAND=mine", exitCode: 1, restarted: true },
  { command: "unalias -a" },
  { command: "shopt -u expand_aliases" },
  { command: "trap ': debug' DEBUG" },
  { command: "trap 'echo debug >&2' ERR" },
  { command: "set -u" },
  { command: "set -o posix" },
  { command: "set -o vi" },
  { command: "set -f" },
  { command: "shopt -s extdebug" },
  { command: "shopt -s extdebug; trap false DEBUG", exitCode: 137, restarted: true },
  { command: "exec >./out", nextPrints: "" },
  { command: "exec 2>&-" },
  { command: "exec >&- 2>&-", nextPrints: "", nextExitCode: 1 },
  { command: "stty raw -echo" },
  { command: "stty -a >/dev/null; stty intr ^A" },
  { command: "kill -STOP $$" },
  { command: "kill -9 $$", exitCode: 137, restarted: true },
  { command: "kill -TERM $$" },
  { command: "ulimit -f 0", exitCode: 0, restarted: true },
  { command: "ulimit -n 3", exitCode: 0, restarted: true },
  { command: "mkdir gone; cd gone; rmdir ../gone" },
  { command: "IFS=abcdefghijklmnopqrstuvwxyz_" },
  { command: "alias builtin=false" },
  { command: "alias printf=false declare=false .=false", restarted: true },
  { command: "builtin() { return 1; }", restarted: true },
  { command: "printf() { return 1; }; declare() { return 1; }; return() { :; }" },
  { command: ".() { echo no; }", restarted: true },
  { command: "PATH=" },
  { command: "LANG=xx_YY.odd LC_ALL=tlh; export LANG LC_ALL" },
  { command: "LC_ALL=C; BASH_ENV=/dev/full; ENV=x; TMOUT=0" },
  { command: "bind -r '\\C-e' -r '\\C-u'" },
];

describe("a shell outlives what is done to it", () => {
  for (const { command, exitCode = 0, restarted, nextPrints = "here\n", nextExitCode = 0 } of cases) {
    test(`${command}${restarted ? " (by another with the same directory and variables)" : ""}`, async () => {
      const { run, cwd } = await testTerminal();
      await mkdir(join(cwd, "sub"));
      await run("cd sub; export KEPT='a b'");
      const answer = await run(command, 8_000);
      expect({ ...answer, output: "" }).toEqual({
        output: "",
        exitCode,
        cwd: command.includes("gone") ? join(cwd, "sub", "gone") : join(cwd, "sub"),
        ...(restarted ? { restarted } : {}),
      });
      expect(await run("[[ $KEPT == 'a b' ]] && echo here", 8_000)).toMatchObject({
        exitCode: nextExitCode,
        output: nextPrints,
      });
      expect(await run("(exit 4)", 8_000)).toMatchObject({ exitCode: 4 });
    });
  }

  test("exec <file: a shell that would read its commands there is replaced before it does", async () => {
    const { run, cwd } = await testTerminal();
    await writeFile(join(cwd, "lines"), "export FROM=file; touch made\n");
    expect(await run("export KEPT=1; exec <lines", 8_000)).toEqual({ output: "", exitCode: 0, cwd, restarted: true });
    expect(await run("echo ${FROM-none} $KEPT; ls", 8_000)).toEqual({ output: "none 1\nlines\n", exitCode: 0, cwd });
  });

  test("hooks that a person removed at the prompt are loaded again", async () => {
    const { run, input } = await testTerminal();
    await run("true");
    for (const line of ["unset PROMPT_COMMAND\n", "unset -f __karyi_prompt __karyi_save\n", "unalias -a; PS0=\n"]) {
      expect(await input(line)).toMatchObject({ exitCode: 0 });
      expect(await run("echo fine")).toMatchObject({ output: "fine\n", exitCode: 0 });
    }
  });

  test("a prompt like the shell's that another program draws mends nothing", async () => {
    const { run, input } = await testTerminal();
    expect(await run("export PS1; bash --norc --noprofile")).toMatchObject({ waiting: "repl", program: "bash" });
    expect(await input("exit 5\n")).toMatchObject({ exitCode: 5 });
    expect(await run("echo fine")).toMatchObject({ output: "fine\n", exitCode: 0 });
  });

  test("a command that prints a prompt goes on", async () => {
    const { run, cwd } = await testTerminal();
    expect(await run('printf "%s" "${PS1@P}"; sleep 0.3; echo done')).toMatchObject({
      output: expect.stringMatching(/done\n$/),
      exitCode: 0,
    });
    expect(await run("echo fine")).toEqual({ output: "fine\n", exitCode: 0, cwd });
  });

  test("lines that the shell echoes are the command's and none of the terminal's own", async () => {
    const { run } = await testTerminal();
    await run("set -v");
    expect((await run("echo one")).output).toBe("echo one\none\n");
  });

  test("what the last processes of a terminal printed is told, though the shell left at once", async () => {
    const { run, cwd } = await testTerminal();
    for (let n = 0; n < 40; n++) {
      const answer = await run(`printf begin; printf middle; echo last words ${n}; exit 3`, 8_000);
      expect(answer).toEqual({ output: `beginmiddlelast words ${n}\n`, exitCode: 3, cwd, restarted: true });
    }
  });

  test("a shell that leaves takes the secure variables of its command along", async () => {
    const { run, terminal } = await testTerminal();
    await run("true");
    const value = ["s3", "cret", "value"].join("-");
    const answer = await terminal.run("unset PROMPT_COMMAND; readonly PROMPT_COMMAND; export KEPT=1", {
      timeoutMs: 8_000,
      signal: new AbortController().signal,
      session: { cwd: "/", env: {} },
      secrets: { KARYI_V1: value },
      onOutput: () => {},
    });
    expect(answer).toMatchObject({ exitCode: 0, restarted: true, carried: { env: { KEPT: "1" } } });
    expect((await run("echo ${KARYI_V1-none} $KEPT")).output).toBe("none 1\n");
  });

  test("variables are known in posix mode too", async () => {
    const { run, terminal } = await testTerminal();
    await run("set -o posix; export COLOUR=blue");
    expect(await terminal.peek()).toMatchObject({ state: "idle", env: { COLOUR: "blue" } });
  });
});

test("a command sees the exit code of the one before", async () => {
  const { run } = await testTerminal();
  await run("(exit 3)");
  expect((await run("echo $?")).output).toBe("3\n");
  expect((await run("echo $?")).output).toBe("0\n");
  await run("PS0=; (exit 5)");
  expect((await run("echo $?")).output).toBe("5\n");
});
