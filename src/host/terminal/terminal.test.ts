import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testTerminal } from "./terminal.fixture.ts";

const full = process.env.KARYI_FULL === "1";

describe("a persistent terminal", () => {
  test("answers output, exit code and directory of each command", async () => {
    const { run, cwd } = await testTerminal();
    expect(await run("echo hi; (exit 7)")).toEqual({ output: "hi\n", exitCode: 7, cwd });
    expect(await run("printf 'no line end'")).toEqual({ output: "no line end", exitCode: 0, cwd });
    expect(await run("for i in 1 2; do\n  echo $i\ndone\n# a comment")).toEqual({ output: "1\n2\n", exitCode: 0, cwd });
  });

  test("keeps directory, exported and plain variables and functions", async () => {
    const { run, cwd, terminal } = await testTerminal();
    await mkdir(join(cwd, "a dir\nwith a line"));
    await run("export COLOUR=blue; size=3; greet() { echo hello $1; }");
    expect(await run("cd a*")).toMatchObject({ exitCode: 0, cwd: join(cwd, "a dir\nwith a line") });
    expect((await run("greet $COLOUR$size")).output).toBe("hello blue3\n");
    expect(await terminal.peek()).toMatchObject({ state: "idle", env: { COLOUR: "blue" }, defined: ["greet"] });
  });

  test("a look while the shell of a first command starts is answered at once, and the command runs", async () => {
    const { run, terminal, cwd } = await testTerminal();
    let isOver = false;
    const answer = run("echo hi").finally(() => {
      isOver = true;
    });
    const first = await terminal.peek();
    while (!isOver) {
      await terminal.peek();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([first.state, await answer]).toEqual(["absent", { output: "hi\n", exitCode: 0, cwd }]);
  });

  for (const [command, exitCode] of [
    ["exit 3", 3],
    ["exec true", 0],
    ["set -e; false", 1],
    ["kill -9 $$", 137],
    ["exec sh -c 'exit 5'", 5],
  ] as const) {
    test(`${command}: the shell's end is reported and a new one has the same directory and variables`, async () => {
      const { run, cwd } = await testTerminal();
      await mkdir(join(cwd, "sub"));
      await run("cd sub; export KEPT='it is $5'");
      expect(await run(command)).toEqual({ output: "", exitCode, cwd: join(cwd, "sub"), restarted: true });
      expect(await run("echo $KEPT; pwd")).toEqual({ output: `it is $5\n${join(cwd, "sub")}\n`, exitCode: 0, cwd: join(cwd, "sub") });
    });
  }

  test("a shell that ended where its directory is gone starts in the first one", async () => {
    const { run, cwd } = await testTerminal();
    await run("mkdir gone; cd gone; rmdir ../gone");
    expect(await run("exit")).toMatchObject({ cwd, restarted: true });
  });

  test("an open quote or here-document is an error of the command, not the end of the terminal", async () => {
    const { run } = await testTerminal();
    const open = await run("echo 'never closed");
    expect(open.exitCode).not.toBe(0);
    expect(open.output).toMatch(/^bash: line 1: unexpected EOF/);
    await run("cat <<END\nopen");
    await run("if true; then");
    expect(await run("echo fine")).toMatchObject({ output: "fine\n", exitCode: 0 });
  });

  test("outlives commands that take its hooks, its output or its modes away", async () => {
    const { run } = await testTerminal();
    for (const command of [
      "PROMPT_COMMAND=; PS0=; PS1=",
      "unset PROMPT_COMMAND PS0 PS1",
      "unset -f $(compgen -A function); unset PROMPT_COMMAND",
      "set -u; set -o noclobber; IFS=x",
      "stty raw -echo",
      "exec 2>/dev/null",
      "exec >/dev/null",
      "trap '' INT",
      "unset PATH",
    ]) {
      expect(await run(command)).toMatchObject({ exitCode: 0 });
      expect(await run("(exit 4)")).toMatchObject({ exitCode: 4 });
    }
  });

  test("tracing shows the command's lines and none of the terminal's own", async () => {
    const { run } = await testTerminal();
    expect((await run("set -x; echo hi")).output).toMatch(/^\++ echo hi\nhi\n$/);
    expect((await run("echo ho")).output).toMatch(/^\++ echo ho\nho\n$/);
  });

  test("colours go, what a progress bar overwrote goes", async () => {
    const { run, terminal } = await testTerminal();
    const { output } = await run("printf '\\e[31mred\\e[0m\\n'; for i in 10 50 100; do printf '\\rprogress %d%%' $i; done; echo");
    expect(output).toBe("red\nprogress 100%\n");
    expect(Buffer.from(terminal.recent()).toString()).toContain("\x1b[31mred");
  });

  test("marks in a file are output like any other", async () => {
    const { run } = await testTerminal();
    expect(await run("printf '\\e]133;D;0;/\\a\\e]133;C\\aafter\\n'; (exit 9)")).toMatchObject({ output: "after\n", exitCode: 9 });
  });

  test("binary noise leaves a terminal that works", async () => {
    const { run } = await testTerminal();
    await run("head -c 200000 /dev/urandom");
    expect(await run("echo fine")).toMatchObject({ output: "fine\n", exitCode: 0 });
  });

  test(`${full ? 100 : 10} MB of output are bounded: first and last, and how much there was`, async () => {
    const { run } = await testTerminal();
    const lines = (full ? 100 : 10) * 10_000;
    const answer = await run(
      `yes 'ninety-nine characters make a line of one hundred and one bytes on a terminal, which adds a return.' | head -n ${lines} | cat -n`,
      120_000,
    );
    expect(answer).toMatchObject({ exitCode: 0, omittedBytes: expect.any(Number) });
    expect(answer.totalBytes).toBeGreaterThan(lines * 100);
    expect(answer.output.length).toBeLessThan(270_000);
    expect(answer.output.slice(0, 40)).toMatch(/^ +1\tninety/);
    expect(answer.output.slice(-200)).toMatch(new RegExp(`\\n *${lines}\\tninety[^\\n]*\\n$`));
  });

  test("a command that takes too long goes on; the interrupt key ends it", async () => {
    const { run, input, terminal } = await testTerminal();
    expect(await run("echo start; sleep 100", 300)).toMatchObject({ output: "start\n", timedOut: true });
    expect(await terminal.peek()).toMatchObject({ state: "running" });
    expect(await input("\x03")).toMatchObject({ exitCode: 130 });
  });

  test("a cancelled call ends its program, even one that ignores the interrupt", async () => {
    const { run, terminal } = await testTerminal();
    await run("true");
    for (const command of [
      "sleep 100",
      "bash -c 'trap \"\" INT; echo up; while :; do sleep 0.1; done'",
      "trap '' INT; echo up; while :; do sleep 100; done",
    ]) {
      const stop = new AbortController();
      const running = terminal.run(command, { timeoutMs: 60_000, signal: stop.signal, onOutput: () => stop.abort() });
      if (command.startsWith("sleep")) stop.abort();
      expect((await running).exitCode).toBeGreaterThan(0);
      expect(["idle", "absent"]).toContain((await terminal.peek()).state);
    }
  });

  test("text typed at the prompt runs when its line ends", async () => {
    const { input, cwd } = await testTerminal();
    expect(await input("echo half")).toEqual({ output: expect.any(String), cwd });
    expect(await input("echo one\necho two\n")).toMatchObject({ output: expect.stringMatching(/one\n.*two\n/s), exitCode: 0 });
  });

  test("secure variables of a command are gone after it, from the shell and from disk", async () => {
    const { run, terminal } = await testTerminal();
    const value = ["s3", "cret'", "$(value)"].join("-");
    const options = { timeoutMs: 30_000, signal: new AbortController().signal, onOutput: () => {}, secrets: { KARYI_V1: value } };
    expect(await terminal.run('printf %s "$KARYI_V1" | wc -c; echo "$KARYI_V1"', options)).toMatchObject({
      output: `${value.length}\n[hidden]\n`,
    });
    expect((await run("echo ${KARYI_V1-none}; export -p | grep -c KARYI_V1")).output).toBe("none\n0\n");
    const directories = await ownDirectories();
    expect(directories.length).toBeGreaterThan(0);
    for (const directory of directories) {
      for (const file of await readdir(directory)) expect(await readFile(join(directory, file), "utf8")).not.toContain(value);
    }
  });

  test("its files are nobody else's, while it lives and after it is closed", async () => {
    const { run, terminal } = await testTerminal();
    await run("umask 0; true");
    const directories = await ownDirectories();
    for (const directory of directories) {
      expect([directory, (await stat(directory)).mode & 0o777]).toEqual([directory, 0o700]);
      for (const file of await readdir(directory)) {
        expect([file, (await stat(join(directory, file))).mode & 0o777]).toEqual([file, 0o600]);
      }
    }
    terminal.close();
    expect((await ownDirectories()).length).toBeLessThan(directories.length);
  });

  test("what a program did not read of the typing does not get into the next command", async () => {
    const { run, input } = await testTerminal();
    expect(await run("read -r first; echo got $first")).toMatchObject({ waiting: "input" });
    expect((await input("one\necho two")).output).toContain("got one");
    expect(await run("echo next")).toMatchObject({ output: "next\n", exitCode: 0 });
    expect(await run("echo again")).toMatchObject({ output: "again\n", exitCode: 0 });
  });

  test("closing ends everything that was started, what left its group too", async () => {
    const { run, terminal } = await testTerminal();
    const { output } = await run("(setsid sh -c 'echo $$ >pid; exec sleep 300' &); until [[ -s pid ]]; do :; done; cat pid");
    const pid = Number(output);
    expect(() => process.kill(pid, 0)).not.toThrow();
    terminal.close();
    // A killed process lives as a zombie until its parent looks; then it is no more. The kernel takes a moment for either.
    const state = async () => {
      const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") X");
      return line.slice(line.lastIndexOf(")") + 2, line.lastIndexOf(")") + 3);
    };
    await expect.poll(state, { timeout: 20_000 }).toMatch(/[XZ]/);
    await expect(run("true")).rejects.toMatchObject({ details: { reason: "terminal_closed" } });
  });
});

/** Private directories of this process. */
async function ownDirectories(): Promise<string[]> {
  const found: string[] = [];
  for (const place of ["/dev/shm", tmpdir()]) {
    for (const name of await readdir(place).catch(() => [])) {
      const owner = name.startsWith("kyo-") ? await readFile(join(place, name, "owner"), "utf8").catch(() => "{}") : "{}";
      if ((JSON.parse(owner) as { pid?: number }).pid === process.pid) found.push(join(place, name));
    }
  }
  return found;
}
