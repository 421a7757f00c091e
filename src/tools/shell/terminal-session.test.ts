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

  test("follows what Bash changed later: the last one who changed directory or variables wins", async () => {
    const { run, workspace, session } = await opened();
    await run("Terminal", "export COLOUR=blue OWN=1; plain=2");
    await run("Bash", "cd sub; export COLOUR=red SIZE=3");
    const there = join(workspace, "sub");
    expect(await run("Terminal", "echo $PWD $COLOUR $SIZE $OWN $plain")).toBe(`${there} red 3 1 2`);
    await run("Terminal", "cd ..; export COLOUR=green");
    expect(await run("Bash", "echo $PWD $COLOUR")).toBe(`${workspace} green`);
    await run("Bash", "cd sub; unset SIZE");
    expect(await run("Terminal", "echo $PWD ${SIZE-none}; (exit 0)")).toBe(`${there} none`);
    expect(session.cwd).toBe(there);
    await run("Terminal", "cd ..");
    expect(session.cwd).toBe(workspace);
  });

  test("a command is judged where it will run once the shell has followed", async () => {
    const { run, session, workspace } = await opened();
    await run("Terminal", "true");
    await run("Bash", "cd sub");
    const planned = await session.call("Terminal", { command: "touch here" }, { dryRun: true });
    expect(JSON.stringify(planned)).toContain(join(workspace, "sub"));
    await run("Terminal", "touch here");
    expect(await run("Bash", "ls $PWD")).toBe("here");
  });

  test("does not run a command where it cannot follow", async () => {
    const { run, session, workspace } = await opened();
    await run("Terminal", "readonly FIXED=1");
    await run("Bash", "export FIXED=2");
    expect(await session.call("Terminal", { command: "touch made" })).toMatchObject({
      status: "error",
      output: expect.stringContaining("FIXED: readonly variable"),
    });
    expect(await run("Bash", `ls ${workspace}`)).toBe("sub");
    // It was told once; from then on the shell's own counts.
    expect(await run("Terminal", "echo $FIXED")).toBe("1");
  });

  test("an exported variable is there for Bash as soon as the command is answered", async () => {
    const { run } = await opened();
    for (let n = 0; n < 20; n++) {
      await run("Terminal", `export N=${n}`);
      expect(await run("Bash", "echo $N")).toBe(String(n));
    }
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
