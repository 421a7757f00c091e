/** A rehearsal as the command tells it: on the terminal's card, in the list of approvals, as JSON, and when it is interrupted. */
import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";
import { person } from "./support/person.ts";

const [tier] = await capturingHere();
const skipped = tier === undefined ? " (skipped: no overlay here)" : "";

const bin = join(import.meta.dirname, "../bin/karyi.js");
const chinese = { LC_ALL: "", LANG: "zh_CN.UTF-8" };
const down = "\u001b[B";

async function places(script = "echo ran; echo two >> a.txt") {
  const workspace = await temporaryDirectory();
  const home = await temporaryDirectory();
  const where = ["--workspace", workspace, "--home", home];
  await writeFile(join(workspace, "a.txt"), "one\n");
  await writeFile(join(workspace, "s.sh"), script);
  const call = ["call", "Bash", JSON.stringify({ command: "bash s.sh" })];
  return {
    workspace,
    call,
    run: (args: readonly string[], env?: Record<string, string>) => karyi([...args, ...where], env === undefined ? {} : { env }),
    at: (args: readonly string[], env?: Record<string, string>) => person([...args, ...where], { TERM: "xterm", NO_COLOR: "1", ...env }),
    /** Interrupts the command as soon as its script made `begun`. */
    interrupted: (args: readonly string[]) =>
      new Promise<number | null>((resolve) => {
        const child = spawn(process.execPath, [bin, ...args, ...where], { stdio: "ignore", env: { ...process.env, LC_ALL: "C" } });
        const look = async (): Promise<void> => {
          // The command makes and removes directories in its home meanwhile; a look that meets one of them is made again.
          const names = await readdir(home, { recursive: true }).catch(() => []);
          if (names.some((name) => name.endsWith("upper0/begun"))) child.kill("SIGINT");
          else if (child.exitCode === null) setImmediate(look);
        };
        void look();
        child.on("close", resolve);
      }),
    text: () => readFile(join(workspace, "a.txt"), "utf8"),
    /** Change sets and layers, and files of the command wherever they lie. The session's own `/tmp` and caches stay with it (B6). */
    left: async () =>
      (await readdir(home, { recursive: true })).filter((name) => /^sandbox\/[0-9a-f]{16}(\/|$)|\/(begun|a\.txt)$/.test(name)),
  };
}

describe.skipIf(tier === undefined)(`a rehearsal at the command${skipped}`, { timeout: 60_000 }, () => {
  test("notes are codes in the data, and words in the person's language; what the command printed itself stays as it is", async () => {
    const note = "[only caches changed, and were not kept: __pycache__]";
    const { run, call, workspace } = await places(`mkdir -p __pycache__; touch __pycache__/a.pyc; echo '${note}'`);
    const told = JSON.parse((await run([...call, "--json"])).stdout);
    expect(told.data.notes).toEqual([{ code: "caches_dropped", names: [join(workspace, "__pycache__")], names_total: 1 }]);
    const { stdout } = await run(call, chinese);
    expect(stdout.split("\n").filter((line) => line.includes("__pycache__"))).toEqual([note, "[只改动了缓存，没有保留：__pycache__]"]);
  });

  test("without anybody to ask, and with --approve no, it is denied with exit code 3 and tells what it would have changed", async () => {
    const { run, call, text } = await places();
    for (const flags of [[], ["--approve", "no"]]) {
      const { code, stderr } = await run([...call, ...flags]);
      expect([code, stderr.split("\n").slice(0, 2)]).toEqual([3, ["It would have changed 1 file(s):", "  ~ a.txt"]]);
      const asked = await run([...call, ...flags, "--json"]);
      expect(JSON.parse(asked.stdout)).toMatchObject({
        status: "denied",
        data: { rehearsed: { exit_code: 0, changes_total: 1, change_set: null } },
      });
    }
    const { stderr } = await run(call, chinese);
    expect(stderr).toContain("本来会改动 1 个文件：\n  ~ a.txt\n");
    expect(await text()).toBe("one\n");
  });

  test("in plan it says that nothing was changed", async () => {
    const { run, call, text } = await places();
    const { code, stdout } = await run([...call, "--mode", "plan"]);
    expect([code, stdout.split("\n").at(-2)]).toEqual([0, "Nothing was changed: in plan mode what a command changes is dropped."]);
    expect((await run([...call, "--mode", "plan"], chinese)).stdout).toContain("plan 模式下命令的改动都会被丢弃");
    expect(await text()).toBe("one\n");
  });

  test("a suspended one is listed, shown with its diff, and committed by whoever answers", async () => {
    const { run, call, text, workspace } = await places();
    const suspended = await run([...call, "--approve", "ask", "--json"]);
    const { approvalId } = JSON.parse(suspended.stdout) as { approvalId: string };
    const shortId = approvalId.slice(0, 8);
    expect(suspended.code).toBe(3);
    expect((await run(["approvals"])).stdout).toBe(`${shortId}  pending  Bash: Run: bash s.sh (exit code 0, 1 file(s) would change)\n`);
    const shown = (await run(["approvals", "show", shortId])).stdout;
    expect(shown.split("\n")).toEqual([
      `${approvalId}  pending`,
      "Run: bash s.sh",
      "Why: bash runs a script",
      "What it would do:",
      "  rehearse run bash s.sh: bash runs a script",
      "  allow    read s.sh: s.sh is inside the workspace",
      "It was run where nothing counts, without a network: exit code 0.",
      "Output:",
      "ran",
      "It would change 1 file(s); nothing is changed yet:",
      "  ~ a.txt",
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -1,1 +1,2 @@",
      " one",
      "+two",
      '"Always" would store these rules:',
      "  Bash(bash s.sh)",
      "    would also allow: bash s.sh 2>/dev/null · bash s.sh | head -n 20 · cd src && bash s.sh",
      "    would still ask for: bash s.sh --one-more · bash s.sh && sh install.sh · sudo bash s.sh",
      `Answer with: karyi approvals answer ${shortId} once|always|deny`,
      "",
    ]);
    expect((await run(["approvals", "show", approvalId], chinese)).stdout).toContain("会改动 1 个文件");
    const record = JSON.parse((await run(["approvals", "show", approvalId, "--json"])).stdout);
    expect(record.card).toMatchObject({ rehearsal: { changes_total: 1 }, output: "ran\n", changes: [{ path: join(workspace, "a.txt") }] });
    await writeFile(join(workspace, "s.sh"), "echo a second run >> a.txt");
    const answered = await run(["approvals", "answer", approvalId, "once"]);
    expect([answered.code, answered.stdout, await text()]).toEqual([0, "ran\n", "one\ntwo\n"]);
  });

  test("the card shows how it ended, what it printed and its diff, and the output is not shown twice", async () => {
    const { at, call, text } = await places();
    const seen = at(call);
    await seen.sees("Yes: make exactly these changes");
    seen.type("\r");
    expect(await seen.ended).toBe(0);
    const lines = seen.text().split("\n");
    const from = lines.indexOf("It was run where nothing counts, without a network: exit code 0.");
    expect(lines.slice(from + 1, from + 10)).toEqual([
      "Output:",
      "ran",
      "It would change 1 file(s); nothing is changed yet:",
      "  ~ a.txt",
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -1,1 +1,2 @@",
      " one",
      "+two",
    ]);
    expect(lines.filter((line) => line === "ran")).toHaveLength(1);
    expect(await text()).toBe("one\ntwo\n");
  });

  test("the card fits the screen and says where the rest is, in Chinese too", async () => {
    const { at, call, text } = await places("seq 1 200; seq 1 200 > b.txt; for i in $(seq 1 60); do echo $i > f$i; done");
    const seen = at(call, chinese);
    await seen.sees("不同意：丢弃这些改动");
    const lines = seen.text().split("\n");
    const card = lines.slice(lines.findIndex((line) => line.startsWith("Karyi 询问")));
    expect(card.length).toBeLessThanOrEqual(30);
    expect(card.filter((line) => /^… .*karyi approvals show /.test(line))).toHaveLength(2);
    seen.type(`${down}${down}\r`);
    await seen.sees("希望模型改做什么");
    seen.type("\r");
    expect(await seen.ended).toBe(3);
    expect(await text()).toBe("one\n");
  });

  test("interrupted it ends with 130, and nothing of it is left", async () => {
    const { interrupted, call, text, left } = await places("touch begun; echo two >> a.txt; sleep 60");
    for (const flags of [["--approve", "ask"], ["--dry-run"]]) expect(await interrupted([...call, ...flags])).toBe(130);
    expect([await text(), await left()]).toEqual(["one\n", []]);
  });

  test("Ctrl-C while a command shows what it would change ends that too", async () => {
    const { at, call, text, left, run } = await places("echo begun; sleep 60");
    await run(["config", "set", "commands", "ask"]);
    const seen = at(call);
    await seen.sees("Show what it would change first");
    seen.type(`${down}${down}\r`);
    await seen.sees("\u001b[?25h");
    seen.type("\u0003");
    expect(await seen.ended).not.toBe(0);
    expect([await text(), await left()]).toEqual(["one\n", []]);
  });
});
