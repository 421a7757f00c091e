/** The terminal as part of its session: it begins where the session is, hands changes back, and tells who waits. */
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type EngineOptions } from "../../compose/index.ts";

async function opened(options: EngineOptions = {}) {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "karyi-terminal-session-")));
  const engine = await createEngine({ approve: async () => "once", ...options, workspace, home: join(workspace, ".karyi") });
  onTestFinished(async () => {
    await engine.close();
    await rm(workspace, { recursive: true, force: true });
  });
  await mkdir(join(workspace, "sub"));
  const session = await engine.openSession();
  const run = async (tool: "Bash" | "Terminal", command: string) => {
    const result = await session.call(tool, { command });
    expect([command, result.status, result.output]).toEqual([command, "ok", expect.any(String)]);
    return result.output.trimEnd();
  };
  return { session, workspace, run };
}

describe("a terminal", () => {
  test("begins in the session's directory, with its variables", async () => {
    const { run, workspace } = await opened();
    await run("Bash", "cd sub; export COLOUR=blue");
    expect(await run("Terminal", "echo $PWD $COLOUR")).toBe(`${join(workspace, "sub")} blue`);
  });

  test("hands its directory and exported variables back to the session, as Bash does", async () => {
    const { run, workspace, session } = await opened();
    await run("Terminal", "cd sub; export COLOUR=blue; plain=1");
    expect(session.cwd).toBe(join(workspace, "sub"));
    expect(await run("Bash", "echo $PWD $COLOUR ${plain-none}")).toBe(`${join(workspace, "sub")} blue none`);
    await run("Terminal", "cd ..; unset COLOUR");
    expect(await run("Bash", "echo $PWD ${COLOUR-none}")).toBe(`${workspace} none`);
  });

  test("does not undo what Bash changed meanwhile", async () => {
    const { run, workspace } = await opened();
    await run("Terminal", "export COLOUR=blue");
    await run("Bash", "cd sub; export COLOUR=red SIZE=3");
    await run("Terminal", "true");
    expect(await run("Bash", "echo $PWD $COLOUR $SIZE")).toBe(`${join(workspace, "sub")} red 3`);
  });

  test("what a shell changed before it ended is handed back too", async () => {
    const { run, session } = await opened();
    const result = await session.call("Terminal", { command: "export COLOUR=green; exit 0" });
    expect(result.data).toMatchObject({ restarted: true });
    expect(await run("Bash", "echo $COLOUR")).toBe("green");
  });

  test("a program that waits is an event of the session, with the call that ran into it", async () => {
    const { session } = await opened();
    const result = await session.call("Terminal", { command: "read -p 'Go on? [y/n] ' answer; echo got $answer" });
    expect(result.data).toMatchObject({ waiting: "confirm" });
    const seen = [];
    for await (const event of session.events()) {
      seen.push(event);
      if (event.type === "tool_result") break;
    }
    expect(seen.filter(({ type }) => type === "input_required")).toMatchObject([
      { callId: result.callId, body: { kind: "confirm", program: "bash", question: "Go on? [y/n]" } },
    ]);
    expect((await session.call("TerminalInput", { text: "y\\n" })).output).toContain("got y");
  });

  test("is refused where the config demands a sandbox, before anybody is asked", async () => {
    const asked: string[] = [];
    const { session } = await opened({
      config: { sandbox: { require: "E3" } },
      approve: async ({ summary }) => {
        asked.push(summary);
        return "once";
      },
    });
    for (const [tool, input] of [
      ["Terminal", { command: "touch made" }],
      ["TerminalInput", { text: "ls\\n" }],
      ["TerminalKey", { key: "enter" }],
      ["TerminalScreen", {}],
    ] as const) {
      const result = await session.call(tool, input);
      expect([tool, result.error?.code, result.error?.details]).toMatchObject([tool, "tool_disabled", { reason: "tier_missing" }]);
    }
    expect(asked).toEqual([]);
  });
});
