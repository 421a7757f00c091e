/** `karyi demo`: a short tour of real calls in a temporary workspace, which is removed afterwards. */
import type { Result } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { print } from "../front.ts";
import { locale } from "../messages.ts";

interface Step {
  readonly title: readonly [string, string];
  readonly shows: readonly [string, string];
  run(): Promise<Result | string>;
}

export async function demo(): Promise<number> {
  const { createEngine, temporaryWorkspace } = await import("../../compose/index.ts");
  const place = await temporaryWorkspace("karyi-demo");
  const cards: string[] = [];
  const engine = await createEngine({
    workspace: place.path,
    home: `${place.path}/.karyi-home`,
    approve: async (card) => {
      cards.push(card.summary);
      return "once";
    },
  });
  try {
    const session = await engine.openSession();
    const text = "The quick brown fox\njumps over the lazy dog\n";
    const steps: Step[] = [
      {
        title: ["A dry run first: what would Write do?", "先演练：Write 会做什么？"],
        shows: ["Nothing was written; the policy says it would ask.", "什么都没写；策略表示需要询问。"],
        run: () => session.call("Write", { file_path: "notes/fox.txt", content: text }, { dryRun: true }),
      },
      {
        title: ["Now for real, approved by a person (here: the demo says yes).", "现在真正执行，由人批准（这里由演示代答“是”）。"],
        shows: ["The file is there, and the call can be undone.", "文件已写入，这次调用可以撤销。"],
        run: () => session.call("Write", { file_path: "notes/fox.txt", content: text }),
      },
      {
        title: ["Read it back.", "读回来。"],
        shows: ["Reading inside the workspace needs no approval.", "读取工作目录内的文件无需批准。"],
        run: () => session.call("Read", { file_path: "notes/fox.txt" }),
      },
      {
        title: ["Change one word, byte for byte.", "只改一个词，其余字节不变。"],
        shows: ["Only the matched bytes change.", "只有匹配到的字节被修改。"],
        run: () => session.call("Edit", { file_path: "notes/fox.txt", old_string: "lazy", new_string: "sleeping" }),
      },
      {
        title: ["Try to leave the workspace.", "试着越出工作目录。"],
        shows: ["Refused by the policy, with the reason.", "被策略拒绝，并说明原因。"],
        run: () => session.call("Write", { file_path: "/etc/karyi-was-here", content: "" }),
      },
      {
        title: ["A call with a mistake in it.", "一次写错的调用。"],
        shows: ["The answer says what to do instead.", "回答会告诉模型该怎么改。"],
        run: () => session.call("Read", { file: "notes/fx.txt" }),
      },
      {
        title: ["Take everything back.", "全部撤销。"],
        shows: ["The workspace is as before.", "工作目录恢复原样。"],
        run: () => session.undo({ last: 2 }),
      },
    ];
    print(pick(["Karyi — real calls in a temporary workspace", "Karyi——在临时目录中的真实调用"]));
    for (const [index, step] of steps.entries()) {
      const result = await step.run();
      const status = typeof result === "string" ? "ok" : result.status;
      const output = typeof result === "string" ? result : result.output;
      print(`\n${index + 1}. ${pick(step.title)}\n   [${status}]`);
      print(
        output
          .trimEnd()
          .split("\n")
          .map((line) => `   │ ${line}`)
          .join("\n"),
      );
      print(`   → ${pick(step.shows)}`);
    }
    print(`\n${pick([`A person was asked ${cards.length} time(s).`, `共询问了 ${cards.length} 次。`])}`);
    print(
      pick([
        'Next: karyi --help, karyi tools, karyi call Read \'{"file_path":"README.md"}\'',
        '接下来：karyi --help、karyi tools、karyi call Read \'{"file_path":"README.md"}\'',
      ]),
    );
    return exitCodes.done;
  } finally {
    await engine.close();
    await place.remove();
  }
}

function pick([english, chinese]: readonly [string, string]): string {
  return locale === "zh" ? chinese : english;
}
