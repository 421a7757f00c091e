import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { WaitKind } from "../../../contract/index.ts";
import { present, testTerminal } from "../terminal.fixture.ts";

interface Case {
  readonly needs: string;
  readonly command: string;
  readonly kind: WaitKind;
  readonly program: string;
  /** Typed one after the other; the last ends the program. */
  readonly end: readonly string[];
}

const cases: readonly Case[] = [
  { needs: "bash", command: "read -p 'Your name: ' name", kind: "input", program: "bash", end: ["Ada\n"] },
  { needs: "bash", command: "read -s -p 'Password: ' word", kind: "password", program: "bash", end: ["x\n"] },
  { needs: "bash", command: "read -n1 -p 'Continue? [Y/n] ' yes", kind: "confirm", program: "bash", end: ["y"] },
  { needs: "cat", command: "cat", kind: "input", program: "cat", end: ["\x04"] },
  { needs: "cat", command: "echo first | cat - /dev/tty", kind: "input", program: "cat", end: ["\x04"] },
  { needs: "setsid", command: "setsid -w cat", kind: "input", program: "cat", end: ["\x04"] },
  { needs: "script", command: "script -q -c cat /dev/null", kind: "input", program: "cat", end: ["\x04"] },
  { needs: "script", command: "script -q -c \"bash -c 'read -s word'\" /dev/null", kind: "password", program: "bash", end: ["x\n"] },
  { needs: "bc", command: "bc -q", kind: "repl", program: "bc", end: ["6 * 7\n", "quit\n"] },
  { needs: "python3", command: "python3 ./polls.py", kind: "input", program: "python3", end: ["x\n"] },
  { needs: "node", command: "node ./keys.mjs", kind: "input", program: "node", end: ["x"] },
  { needs: "tmux", command: "tmux -L karyi-test -f /dev/null new cat", kind: "fullscreen", program: "tmux", end: ["\x04"] },
  { needs: "bash", command: "PS1='Sure? [y/N] ' bash --norc --noprofile", kind: "repl", program: "bash", end: ["exit\n"] },
  { needs: "sh", command: "sh ./install.sh", kind: "confirm", program: "sh", end: ["n\n"] },
  { needs: "bash", command: "bash --norc --noprofile -i", kind: "repl", program: "bash", end: ["exit\n"] },
  { needs: "less", command: "less ./long.txt", kind: "pager", program: "less", end: [" ", "q"] },
  { needs: "less", command: "seq 1000 | less", kind: "pager", program: "less", end: ["G", "q"] },
  { needs: "more", command: "more ./long.txt", kind: "pager", program: "more", end: ["q"] },
  { needs: "vi", command: "vi ./note.txt", kind: "editor", program: "vi", end: ["ihello\x1b", ":wq\n"] },
  { needs: "python3", command: "python3 -i -q", kind: "repl", program: "python3", end: ["6 * 7\n", "exit()\n"] },
  {
    needs: "python3",
    command: "python3 -c 'import getpass; getpass.getpass(\"Passphrase for key: \")'",
    kind: "password",
    program: "python3",
    end: ["x\n"],
  },
  { needs: "node", command: "node -i", kind: "repl", program: "node", end: [".exit\n"] },
  { needs: "top", command: "top", kind: "fullscreen", program: "top", end: ["q"] },
  {
    needs: "ssh-keygen",
    command: "ssh-keygen -q -t ed25519 -N '' -f ./key && ssh-keygen -t ed25519 -N '' -f ./key",
    kind: "confirm",
    program: "ssh-keygen",
    end: ["n\n"],
  },
  { needs: "ssh-keygen", command: "ssh-keygen -q -t ed25519 -f ./key2", kind: "password", program: "ssh-keygen", end: ["\n", "\n"] },
];

describe("a program that waits ends the call, with the kind of its wait, long before the time limit", () => {
  for (const { needs, command, kind, program, end } of cases) {
    const there = present(needs);
    test.skipIf(!there)(`${command} waits: ${kind}${there ? "" : ` (skipped: no ${needs} here)`}`, async () => {
      const { cwd, run, input, terminal } = await testTerminal();
      await writeFile(join(cwd, "long.txt"), Array.from({ length: 500 }, (_, n) => `line ${n}\n`).join(""));
      await writeFile(
        join(cwd, "install.sh"),
        "echo 'After this operation, 12 MB will be used.'\nprintf 'Do you want to continue? [Y/n] '\nread a\n",
      );
      await writeFile(
        join(cwd, "polls.py"),
        "import select\nprint('type something')\npoll = select.poll()\npoll.register(0, select.POLLIN)\nwhile not poll.poll(100): pass\ninput()\n",
      );
      await writeFile(
        join(cwd, "keys.mjs"),
        "process.stdin.setRawMode(true).on('data', () => process.exit());\nprocess.stdout.write('? Pick one\\n  vue\\n  react\\n');\n",
      );
      const asked = await run(command);
      expect({ waiting: asked.waiting, program: asked.program, timedOut: asked.timedOut, exitCode: asked.exitCode }).toEqual({
        waiting: kind,
        program: expect.stringContaining(program),
        timedOut: undefined,
        exitCode: undefined,
      });
      expect(await terminal.peek()).toMatchObject({ state: "waiting", waiting: kind });
      for (const [index, text] of end.entries()) {
        const answer = await input(text);
        expect(answer.timedOut).toBeUndefined();
        if (index < end.length - 1) expect(answer.waiting).toBe(kind);
        else expect(answer.exitCode).toBeTypeOf("number");
      }
      expect(await terminal.peek()).toMatchObject({ state: "idle", cwd });
    });
  }

  test("a program that only works or sleeps is not taken for one that waits", async () => {
    const { run } = await testTerminal();
    expect(await run("printf 'Really go on? [y/N] '; sleep 1.5; echo done")).toMatchObject({
      output: "Really go on? [y/N] done\n",
      exitCode: 0,
    });
    expect((await run("sleep 60", 600)).timedOut).toBe(true);
  });

  test.skipIf(!present("script"))(
    `nor is one behind another program that listens for it${present("script") ? "" : " (skipped: script is not installed)"}`,
    async () => {
      const { run } = await testTerminal();
      expect(await run("script -q -c \"printf 'Really go on? [y/N] '; sleep 1.5; echo done\" /dev/null")).toMatchObject({
        output: "Really go on? [y/N] done\n",
        exitCode: 0,
      });
    },
  );

  test("what is typed reaches the program, which ends or waits again", async () => {
    const { run, input } = await testTerminal();
    await run("read -p 'a: ' a; read -p 'b: ' b; echo $a-$b");
    expect(await input("1\n")).toMatchObject({ waiting: "input", output: "1\nb: " });
    expect(await input("2\n")).toMatchObject({ exitCode: 0, output: "2\n1-2\n" });
  });

  test("of what a program leaves unread the shell makes a command of its own: the answer says how the first ended or that the second waits", async () => {
    const { run, input } = await testTerminal();
    await run("head -c1; (exit 3)");
    const { exitCode, waiting } = await input("xcat\n");
    expect([3, "input"]).toContain(exitCode ?? waiting);
  });

  test("nothing is typed when the foreground is no longer what the decision was based on", async () => {
    const { run, terminal } = await testTerminal();
    await run("true");
    const options = { timeoutMs: 5_000, signal: new AbortController().signal };
    const typed = terminal.input("touch wrong\n", { ...options, expect: { state: "waiting", waiting: "confirm" } });
    await expect(typed).rejects.toMatchObject({ code: "tool_conflict", details: { reason: "terminal_changed", state: "idle" } });
    expect((await run("ls")).output).toBe("");
  });

  test("nothing runs when a person typed since the decision", async () => {
    const { run, terminal } = await testTerminal();
    await run("true");
    const { epoch = -1 } = await terminal.peek();
    expect((await terminal.peek()).epoch).toBe(epoch);
    terminal.type(Buffer.from("cd /"));
    const late = terminal.run("touch wrong", { timeoutMs: 5_000, signal: new AbortController().signal, epoch, onOutput: () => {} });
    await expect(late).rejects.toMatchObject({ code: "tool_conflict", details: { reason: "terminal_changed" } });
    expect((await run("ls")).output).toBe("");
  });

  test("a command is refused while a program waits, and the program goes on waiting", async () => {
    const { run, input } = await testTerminal();
    await run("cat");
    await expect(run("echo no")).rejects.toMatchObject({ code: "tool_conflict", details: { reason: "terminal_busy", waiting: "input" } });
    expect(await input("yes\n")).toMatchObject({ output: "yes\nyes\n", waiting: "input" });
  });
});

describe("a password", () => {
  test("is asked from the person, reaches the program, and is hidden where it would be shown again", async () => {
    const asked: string[] = [];
    const secret = ["cor", "rect-horse"].join("");
    const { run, terminal } = await testTerminal({
      askSecret: async (question) => {
        asked.push(question);
        return secret;
      },
    });
    const answer = await run(`read -s -p 'Password for ada: ' word; echo; [[ $word == ${"cor"}rect-* ]] && echo "it is $word"`);
    expect(answer).toMatchObject({ exitCode: 0, output: "Password for ada: \nit is [hidden]\n" });
    expect(asked).toEqual(["Password for ada:"]);
    expect((await terminal.screen()).lines.join("\n")).not.toContain(secret);
  });

  test("that a person types where nobody looked is hidden just the same", async () => {
    const { run, terminal } = await testTerminal();
    await run("true");
    const secret = ["cor", "rect-horse"].join("");
    const prompted = new Promise<void>((resolve) => {
      let shown = "";
      terminal.watch((bytes) => {
        shown += Buffer.from(bytes).toString();
        if (shown.includes("Word? ")) resolve();
      });
    });
    terminal.type(Buffer.from("read -s -p 'Wor''d? ' word; echo; echo \"it is $word\"\r"));
    await prompted;
    terminal.type(Buffer.from(`${secret}\r`));
    await expect.poll(async () => (await terminal.screen()).lines.join("\n"), { timeout: 20_000 }).toContain("it is [hidden]");
    expect((await terminal.screen()).lines.join("\n")).not.toContain(secret);
  });

  test("that the person refuses leaves the program waiting", async () => {
    const { run } = await testTerminal({ askSecret: async () => undefined });
    expect(await run("read -s -p 'Password: ' word")).toMatchObject({ waiting: "password" });
  });
});
