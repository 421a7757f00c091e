/** The command as a person at a terminal meets it: nothing twice, what changed, colours, their language. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";
import { person } from "./support/person.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: commands cannot be captured here)";

const chinese = { LC_ALL: "", LANG: "zh_CN.UTF-8" };

async function places() {
  const workspace = await temporaryDirectory();
  const where = ["--workspace", workspace, "--home", await temporaryDirectory()];
  await writeFile(join(workspace, "a.txt"), "one\ntwo\nthree\n");
  return {
    workspace,
    at: (args: readonly string[], env?: Record<string, string>) => person([...args, ...where], { TERM: "xterm", NO_COLOR: "", ...env }),
    run: (args: readonly string[], env?: Record<string, string>) => karyi([...args, ...where], env === undefined ? {} : { env }),
  };
}

const command = (text: string) => ["call", "Bash", JSON.stringify({ command: text })];
const slowChange = `echo out; echo err >&2; sleep 1.5; echo later; sed -i s/two/TWO/ a.txt; touch b.txt`;
const count = (text: string, line: string) => text.split("\n").filter((each) => each === line).length;

describe("a command on a terminal", () => {
  it.skipIf(!holds)(`shows each line of a long command once, what it changed, and the way back${why}`, async () => {
    const { at } = await places();
    const seen = at([...command(slowChange), "--approve", "yes"]);
    expect(await seen.ended).toBe(0);
    const text = seen.text();
    for (const line of ["out", "[stderr] err", "later"]) expect([line, count(text, line)]).toEqual([line, 1]);
    expect(text).toMatch(/Changed 2 file\(s\):\n {2}~ a\.txt\n {2}\+ b\.txt\nUndo with: karyi undo \S+\n$/);
  });

  it("shows the error of a long command that failed, and its output once", async () => {
    const { at } = await places();
    const seen = at([...command("echo out; sleep 1.5; exit 3"), "--approve", "yes"]);
    expect(await seen.ended).toBe(1);
    expect([count(seen.text(), "out"), count(seen.text(), "Error (tool_error): The command ended with exit code 3.")]).toEqual([1, 1]);
  });

  it("gives a sign of life while a command is silent", async () => {
    const { at } = await places();
    const seen = at([...command("sleep 2.5; echo done"), "--approve", "yes"]);
    await seen.sees("… 1 s");
    expect(await seen.ended).toBe(0);
    expect(seen.raw().endsWith("\r\u001b[Kdone\r\n")).toBe(true);
  });

  it.skipIf(!holds)(`in a pipe there is neither live text nor a sign of life; the whole is on stdout${why}`, async () => {
    const { run } = await places();
    const { code, stdout, stderr } = await run([...command(slowChange), "--approve", "yes"]);
    expect([code, stdout]).toEqual([0, "out\nlater\n[stderr] err\n"]);
    expect(stderr).toMatch(/^Changed 2 file\(s\):\n {2}~ a\.txt\n {2}\+ b\.txt\nUndo with: karyi undo \S+\n$/);
    expect(stdout + stderr).not.toContain("\u001b");
  });

  it.skipIf(!holds)(`names a few of many changed files and counts the rest${why}`, async () => {
    const { run } = await places();
    const { stderr } = await run([...command("touch f1 f2 f3 f4 f5 f6 f7"), "--approve", "yes"]);
    expect(stderr).toContain("Changed 7 file(s):\n  + f1\n  + f2\n  + f3\n  + f4\n  + f5\n  … and 2 more\n");
  });
});

describe("a background task of the command", () => {
  it("is said to end with it, and what lives on", async () => {
    const { run } = await places();
    const { stderr } = await run(["call", "Bash", '{"command":"sleep 9","run_in_background":true}', "--approve", "yes"]);
    expect(stderr).toContain("karyi call Terminal");
  });
});

describe("a dry run on a terminal", () => {
  it.skipIf(!holds)(`colours the diff, and does not where NO_COLOR is set${why}`, async () => {
    const { at, workspace } = await places();
    for (const call of [
      command("sed -i s/two/TWO/ a.txt"),
      ["call", "Edit", JSON.stringify({ file_path: "a.txt", old_string: "two", new_string: "TWO" })],
    ]) {
      const coloured = at([...call, "--dry-run"]);
      await coloured.ended;
      for (const part of ["\u001b[31m-two", "\u001b[32m+TWO", "\u001b[36m@@"]) expect(coloured.raw()).toContain(part);
      const plain = at([...call, "--dry-run"], { NO_COLOR: "1" });
      await plain.ended;
      expect(plain.raw()).toContain("-two");
      expect(plain.raw()).not.toContain("\u001b[3");
    }
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  });
});

describe("secret files that a command was not shown", () => {
  it.skipIf(!holds)(`are told of in both languages: a dry run cannot say what becomes of them, a run did not see them${why}`, async () => {
    const { run, workspace } = await places();
    await writeFile(join(workspace, ".env"), "PLAIN=canary-in-the-mine\n");
    const deletes = command(`node -e 'require("fs").rmSync(".env", { force: true })' || true`);
    const told: string[] = [];
    for (const env of [{}, chinese]) {
      told.push((await run([...deletes, "--dry-run"], env)).stdout);
      told.push((await run([...deletes, "--mode", "auto"], env)).stdout);
    }
    expect(told.map((text) => text.split("\n").find((line) => line.includes(".env") && /idden from|隐藏/.test(line)))).toEqual([
      "Hidden from the dry run, since nobody was asked about them: .env. What the command would do to them is not shown; the real run may touch them.",
      "[hidden from this command, since nobody was asked about them: .env]",
      "以下文件对试运行隐藏，因为没有人被问过能否读取：.env。这里看不到命令会对它们做什么；真正执行时可能会动到它们。",
      "[以下文件对这条命令隐藏，因为没有人被问过能否读取：.env]",
    ]);
  });
});

describe("in Chinese", () => {
  it.skipIf(!holds)(`a question, its preview, its reason and its result are Chinese${why}`, async () => {
    const { at, run } = await places();
    await run(["config", "set", "commands", "ask"]);
    const seen = at(command("sed -i s/two/TWO/ a.txt"), chinese);
    await seen.sees("Karyi 询问：运行：sed -i s/two/TWO/ a.txt");
    await seen.sees("原因：");
    await seen.sees("允许吗？");
    seen.type("\u001b[B\u001b[B\r");
    await seen.sees("会改动 1 个文件");
    await seen.sees("允许吗？");
    seen.type("\r");
    expect(await seen.ended).toBe(0);
    expect(seen.text()).toContain("改动了 1 个文件：\n  ~ a.txt\n撤销：karyi undo");
    for (const english of ["navigate", "Dry run", "Run:"]) expect(seen.text()).not.toContain(english);
  });

  it("undo, history, approvals, errors, explanations and doctor are Chinese", async () => {
    const { run } = await places();
    await run([...command("touch b.txt"), "--approve", "yes"]);
    const said = async (...args: string[]) => {
      const { stdout, stderr } = await run(args, chinese);
      return stdout + stderr;
    };
    expect(await said("history")).toMatch(/成功 .*运行：touch b\.txt/);
    expect(await said("undo", "--dry-run")).toContain("将撤销 1 次调用：\n  - b.txt");
    expect(await said("undo")).toContain("已撤销 1 次调用：\n  - b.txt");
    expect(await said("undo", "nosuch")).toContain("错误：没有可以撤销的内容");
    expect(await said("commit", "nosuch")).toContain("错误：没有这次保留的试运行");
    expect(await said("policy", "explain", "Bash", '{"command":"touch b.txt"}')).toContain(holds ? "试运行：" : "询问：");
    expect(await said(...command("touch c.txt"))).toContain("提示：在终端里运行");
    expect(await said(...command("touch c.txt"), "--approve", "ask")).toContain("答复：karyi approvals answer");
    expect(await said("approvals")).toContain("运行：touch c.txt");
    expect(await said("doctor")).toContain("使用中");
    expect(await said("call", "Write", '{"file_path":"/etc/hosts","content":""}')).toContain("错误：策略不允许，涉及系统目录（");
  });
});
