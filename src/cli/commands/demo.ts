/** `karyi demo`: a short tour of real calls in a temporary workspace, which is removed afterwards. */
import type { WiredEngine } from "../../compose/index.ts";
import type { Result, SessionHandle } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { print } from "../front.ts";
import { locale } from "../messages.ts";
import { tellResult } from "../show-result.ts";
import { styled } from "../terminal-style.ts";
import { summaryWords } from "../words.ts";

type Text = readonly [english: string, chinese: string];

interface Step {
  readonly title: Text;
  /** The call as a person would type it. */
  readonly typed: string;
  readonly shows: Text;
  run(): Promise<Result>;
}

export async function demo(): Promise<number> {
  const { createEngine, temporaryWorkspace } = await import("../../compose/index.ts");
  const place = await temporaryWorkspace("karyi-demo");
  const home = await temporaryWorkspace("karyi-demo-home");
  const asked: string[] = [];
  const engine = await createEngine({
    workspace: place.path,
    home: home.path,
    approve: async (card) => {
      asked.push(summaryWords(card));
      return "once";
    },
  });
  try {
    await engine.vault.set({ name: "DEMO_TOKEN", value: demoSecret(), scope: "global" }, { workspace: place.path });
    print(styled("bold", pick(["Karyi — real calls in a temporary workspace", "Karyi——在临时目录中的真实调用"]), process.stdout));
    for (const [index, step] of stepsOf(await engine.openSession()).entries()) await show(index + 1, step, engine);
    print(`\n${pick([`A person was asked ${asked.length} times; the demo said yes:`, `共询问了 ${asked.length} 次，由演示代答“是”：`])}`);
    for (const one of asked) print(`  · ${one}`);
    print(
      pick([
        'Next: karyi --help · karyi doctor · karyi call Bash \'{"command":"ls"}\'   (./bin/karyi.js, or npm link for karyi on your PATH)',
        '接下来：karyi --help · karyi doctor · karyi call Bash \'{"command":"ls"}\'   （即 ./bin/karyi.js；npm link 可把 karyi 加入 PATH）',
      ]),
    );
    return exitCodes.done;
  } finally {
    await engine.close();
    await place.remove();
    await home.remove();
  }
}

function stepsOf(session: SessionHandle): Step[] {
  const call = (tool: string, input: Record<string, unknown>, dryRun = false) => ({
    typed: `karyi call ${tool} '${JSON.stringify(input)}'${dryRun ? " --dry-run" : ""}`,
    run: () => session.call(tool, input, { dryRun }),
  });
  const change = { command: "sed -i s/lazy/sleeping/ fox.txt && mkdir build && date > build/log" };
  return [
    {
      title: ["Write a file. A person is asked first (here the demo says yes).", "写一个文件。先询问人（这里由演示代答“是”）。"],
      ...call("Write", { file_path: "fox.txt", content: "The quick brown fox\njumps over the lazy dog\n" }),
      shows: ["It is written, and can be undone.", "已写入，并且可以撤销。"],
    },
    {
      title: ["Dry run of a shell command: what would it change?", "试运行一条 shell 命令：它会改动什么？"],
      ...call("Bash", change, true),
      shows: ["It ran in a copy-on-write view; the workspace is untouched.", "它在写时复制的视图里运行；工作目录原封未动。"],
    },
    {
      title: ["Now for real.", "现在真正执行。"],
      ...call("Bash", { command: `${change.command} && cat fox.txt` }),
      shows: ["Every file it changed is known.", "它改动的每个文件都有记录。"],
    },
    {
      title: ["Take the command back.", "撤销这条命令。"],
      typed: "karyi undo",
      run: () => session.undo({ last: 1 }),
      shows: ["All its files are as before, without git.", "它动过的文件全部恢复原样，不依赖 git。"],
    },
    {
      title: ["Try to leave the workspace.", "试着越出工作目录。"],
      ...call("Bash", { command: "echo x >> /etc/hosts" }),
      shows: ["The same policy holds for commands and file tools.", "命令与文件工具遵循同一套策略。"],
    },
    {
      title: ["A secret that a model can use and never sees.", "模型能用、却看不到的机密。"],
      ...call("Bash", { command: "printf %s $KARYI{DEMO_TOKEN} | wc -c; echo the token is $KARYI{DEMO_TOKEN}" }),
      shows: ["The command got the value; everything that leaves is masked.", "命令拿到了真实的值；输出中一律遮盖。"],
    },
    {
      title: ["A program that asks a question, in the terminal.", "终端里一个会提问的程序。"],
      ...call("Terminal", { command: 'read -p "Delete 3 files? [y/N] " answer; echo you said $answer' }),
      shows: ["The call ends as soon as the program waits, and says for what.", "程序一开始等待输入，调用就返回，并说明在等什么。"],
    },
    {
      title: ["Answer it.", "回答它。"],
      ...call("TerminalInput", { text: "n\\n" }),
      shows: ["`karyi attach` would let you type yourself.", "用 karyi attach 可以自己输入。"],
    },
  ];
}

async function show(number: number, step: Step, engine: WiredEngine): Promise<void> {
  const result = await step.run();
  const text = tellResult(result, { workspace: engine.places.workspace, stream: process.stdout });
  print(`\n${styled("bold", `${number}. ${pick(step.title)}`, process.stdout)}`);
  print(`   ${styled("dim", `$ ${step.typed}`, process.stdout)}`);
  print(
    text
      .trimEnd()
      .split("\n")
      .map((line) => `   │ ${line}`)
      .join("\n"),
  );
  print(`   → ${pick(step.shows)}`);
}

/** No secret of anybody's. */
function demoSecret(): string {
  return ["demo", "token", "4711", "0815"].join("-");
}

function pick([english, chinese]: Text): string {
  return locale === "zh" ? chinese : english;
}
