/** The class of a command (B4) is in `data`, on the card and in events, and decides how its output is cut. */
import { describe, expect, it } from "vitest";
import type { ApprovalCard, KaryiEvent } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";

const classes: readonly [string, string][] = [
  ["grep -r x . || true", "search"],
  ["cat a.txt", "read"],
  ["ls -l", "list"],
  ["echo x > b.txt", "write"],
  ["mkdir made", "silent"],
  ["node -e 0", "general"],
  ["cat a.txt | node -e 0", "general"],
];

async function placed(options: Parameters<typeof testEngine>[0] = {}) {
  const { engine, workspace } = await testEngine(options);
  const session = await engine.openSession();
  await session.call("Write", { file_path: "a.txt", content: "x\n" });
  return { session, workspace };
}

describe("the class of a command", () => {
  it("is in data and in the events of the call", async () => {
    const { session } = await placed();
    for (const [command, kind] of classes) {
      const { data, callId } = await session.call("Bash", { command });
      const own: KaryiEvent[] = [];
      for (const event of await session.readEvents(0, 1000)) if (event.callId === callId) own.push(event);
      const told = own.flatMap(({ type, body }) => ("class" in body ? [[type, body.class]] : []));
      expect([command, (data as { class?: string }).class, told.at(0), told.at(-1)]).toEqual([
        command,
        kind,
        ["tool_call", kind],
        ["tool_result", kind],
      ]);
    }
  });

  it("is on the card and in the question's event, also where nothing is rehearsed", async () => {
    const cards: ApprovalCard[] = [];
    const { session } = await placed({
      config: { commands: "ask" },
      approve: async (card) => {
        cards.push(card);
        return "once";
      },
    });
    await session.call("Bash", { command: "mkdir made" });
    const asked: unknown[] = [];
    for (const event of await session.readEvents(0, 1000)) if (event.type === "permission_request") asked.push(event.body.class);
    expect([cards.at(-1)?.class, asked.at(-1)]).toEqual(["silent", "silent"]);
  });

  it("is in data of a failed, a planned and a background command", async () => {
    const { session } = await placed();
    const results = [
      await session.call("Bash", { command: "ls nothing-here" }),
      await session.call("Bash", { command: "mkdir made" }, { dryRun: true }),
      await session.call("Bash", { command: "node -e 0", run_in_background: true }),
    ];
    expect(results.map(({ status, data }) => [status, (data as { class?: string }).class])).toEqual([
      ["error", "list"],
      ["planned", "silent"],
      ["ok", "general"],
    ]);
  });
});

describe("a long output", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n");

  it("keeps its head alone if the command reads, and head and tail if it does anything else", async () => {
    const { session } = await placed();
    await session.call("Write", { file_path: "long.txt", content: lines(60_000) });
    const read = await session.call("Bash", { command: "cat long.txt" });
    const ran = await session.call("Bash", { command: "node -e 'process.stdout.write(fs.readFileSync(`long.txt`))'" });
    const shape = ({ data }: typeof read) => {
      const { stdout } = data as { stdout: string };
      return [stdout.startsWith("line 0\n"), stdout.endsWith("line 59999"), stdout.includes("left out")];
    };
    expect([shape(read), shape(ran)]).toEqual([
      [true, false, true],
      [true, true, true],
    ]);
    expect([read.truncated?.total, ran.truncated?.total]).toEqual([lines(60_000).length, lines(60_000).length]);
  });

  it("is cut by the same rule below a lower limit of the config", async () => {
    const { session } = await placed({ config: { maxOutputBytes: 2048 } });
    await session.call("Write", { file_path: "long.txt", content: lines(1000) });
    const { output } = await session.call("Bash", { command: "cat long.txt" });
    expect([output.startsWith("line 0\n"), output.includes("line 999")]).toEqual([true, false]);
  });
});
