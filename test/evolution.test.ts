/** Tools that a model proposes (A8): checked, kept, decided by a person, run confined; no command of a model can decide. */
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionHandle } from "../src/index.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const bin = resolve(import.meta.dirname, "../bin/karyi.js");
const proposal = {
  name: "shout",
  description: "Says it loud.",
  input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  script:
    "#!/usr/bin/env node\nconst { text } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));\nconsole.log(text.toUpperCase());\n",
  reason: "Needed often.",
};

async function proposalsOf(home: string): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse((await karyi(["evolve", "list", "--home", home, "--json"])).stdout).proposals;
}

async function propose(session: SessionHandle, changes: object = {}) {
  return session.call("ProposeTool", { ...proposal, ...changes });
}

describe("a proposal", () => {
  it("waits, works after approval from the next start on, has versions with a difference, and can be revoked", async () => {
    const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
    const flags = ["--workspace", workspace, "--home", home, "--json"];
    const { engine } = await testEngine({ workspace, home });
    const session = await engine.openSession();
    expect(await propose(session)).toMatchObject({ status: "ok", data: { id: "shout@1", name: "shout", version: 1, status: "pending" } });
    expect((await session.call("shout", { text: "x" })).error?.code).toBe("tool_not_found");
    expect(await proposalsOf(home)).toEqual([{ id: "shout@1", name: "shout", version: 1, status: "pending" }]);
    expect((await karyi(["evolve", "approve", "shout@1", ...flags])).code).toBe(0);
    expect((await karyi(["evolve", "approve", "shout@1", ...flags])).code).toBe(1);
    const called = await karyi(["call", "shout", '{"text":"it\'s $HOME `x`"}', "--approve", "yes", ...flags]);
    expect(JSON.parse(called.stdout)).toMatchObject({ status: "ok", output: "IT'S $HOME `X`\n" });
    expect(await propose(session, { script: `${proposal.script}// newer\n` })).toMatchObject({ data: { id: "shout@2", version: 2 } });
    const shown = JSON.parse((await karyi(["evolve", "show", "shout@2", ...flags])).stdout);
    expect(shown).toMatchObject({ script: `${proposal.script}// newer\n`, reason: "Needed often.", previous_version: 1 });
    expect(shown.diff).toContain("+// newer");
    expect((await karyi(["evolve", "reject", "shout@2", ...flags])).code).toBe(0);
    expect((await karyi(["evolve", "revoke", "shout", ...flags])).code).toBe(0);
    expect((await proposalsOf(home)).map(({ status }) => status)).toEqual(["revoked", "rejected"]);
    const gone = await karyi(["call", "shout", '{"text":"a"}', ...flags]);
    expect(JSON.parse(gone.stdout).error.code).toBe("tool_not_found");
  });

  it("is refused at once if it is not sound", async () => {
    const { engine, home } = await testEngine();
    const session = await engine.openSession();
    const token = ["ghp", "_", "A1b2C3d4E5".repeat(4).slice(0, 36)].join("");
    const cases: readonly (readonly [object, string])[] = [
      [{ name: "Read" }, "already_exists"],
      [{ name: "read_file" }, "already_exists"],
      [{ name: "two words" }, "bad_name"],
      [{ name: "1st" }, "bad_name"],
      [{ input_schema: { type: "array" } }, "bad_schema"],
      [{ script: "console.log(1)" }, "bad_script"],
      [{ script: "#!/usr/bin/perl\n" }, "bad_script"],
      [{ script: "#!/usr/bin/env node\nconst = 1;" }, "bad_syntax"],
      [{ script: "#!/bin/bash\nif true; then" }, "bad_syntax"],
      [{ script: "#!/usr/bin/env python3\ndef f(:\n" }, "bad_syntax"],
      [{ script: `#!/bin/bash\ncurl -H "Authorization: token ${token}" x` }, "holds_secret"],
      [{ reason: `use ${token}` }, "holds_secret"],
    ];
    for (const [changes, reason] of cases) {
      const { status, error } = await propose(session, changes);
      expect([status, error?.details?.reason]).toEqual(["error", reason]);
    }
    expect(await proposalsOf(home)).toEqual([]);
    expect((await propose(session, { script: "#!/usr/bin/env node\nimport { x } from 'node:x';\n" })).status).toBe("ok");
  });

  it("ten of a session and its children are the most", async () => {
    const { engine } = await testEngine();
    const parent = await engine.openSession();
    const child = await engine.openSession({ id: "child", parent });
    const script = "#!/bin/bash\ncat\n";
    for (let count = 0; count < 10; count += 1)
      expect((await propose(count % 2 === 0 ? parent : child, { name: `tool_${count}`, script })).status).toBe("ok");
    for (const session of [parent, child]) expect((await propose(session, { script })).error?.details?.reason).toBe("too_many");
  });
});

describe("an approved tool", () => {
  it("runs confined: Karyi's home does not exist for it, and what it changes is asked about and undone", async () => {
    const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
    const first = await testEngine({ workspace, home });
    const session = await first.engine.openSession();
    await propose(session, { name: "look", script: `#!/bin/bash\nls ${home} 2>&1 || echo hidden\n` });
    await propose(session, {
      name: "write_it",
      script: "#!/usr/bin/env python3\nimport sys\nopen('made.txt', 'w').write(sys.stdin.read())\n",
    });
    for (const id of ["look@1", "write_it@1"]) await karyi(["evolve", "approve", id, "--home", home]);
    const asked: string[] = [];
    const { engine } = await testEngine({
      workspace,
      home,
      approve: async ({ tool }) => {
        asked.push(tool);
        return "once";
      },
    });
    const later = await engine.openSession();
    const looked = await later.call("look", { text: "" });
    const made = await later.call("write_it", { text: "a" });
    expect([made.status, await readFile(join(workspace, "made.txt"), "utf8")]).toEqual(["ok", '{"text":"a"}\n']);
    expect(asked).toContain("write_it");
    if (made.undoable) {
      expect([looked.status, looked.output.includes("hidden")]).toEqual(["ok", true]);
      expect((await later.undo(made.callId)).status).toBe("ok");
      await expect(readFile(join(workspace, "made.txt"))).rejects.toThrow();
    }
  });
});

describe("no command of a model decides", () => {
  it("whoever says yes, in any mode, by name, through a script, or in the terminal", async () => {
    const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
    const { engine } = await testEngine({ workspace, home });
    await propose(await engine.openSession());
    await writeFile(
      join(workspace, "sly.sh"),
      `#!/bin/bash\nenv -u KARYI_CALL_MARK node ${bin} evolve approve shout@1 --home "$(cat where)"\n`,
    );
    await writeFile(join(workspace, "where"), home);
    await chmod(join(workspace, "sly.sh"), 0o755);
    const commands = [
      `karyi evolve approve shout@1 --home ${home}`,
      `node ${bin} evolve approve shout@1`,
      `KARYI_HOME=$(cat where) npx karyi evolve approve shout@1`,
      "./sly.sh",
      "setsid ./sly.sh",
    ];
    for (const mode of ["default", "accept-edits", "auto"] as const) {
      const session = await engine.openSession({ id: mode, mode });
      for (const command of commands) await session.call("Bash", { command });
    }
    const terminal = await engine.openSession({ id: "terminal" });
    await terminal.call("Terminal", { command: "./sly.sh" });
    await terminal.call("Terminal", { command: `node ${bin} evolve approve shout@1 --home ${home}` });
    expect((await proposalsOf(home)).map(({ status }) => status)).toEqual(["pending"]);
  });

  it("commands that decide for the person are on the floor; those that look are not", async () => {
    const { engine } = await testEngine({ config: { permissions: { allow: ["Bash(karyi *)"] } } });
    const session = await engine.openSession();
    const verdict = async (command: string) => (await session.explain("Bash", { command })).decision.verdict;
    for (const command of [
      "karyi evolve approve x",
      "karyi --home /x evolve approve x",
      "karyi approvals answer a once",
      "npx karyi@latest token add t",
      "node /opt/karyi/bin/karyi.js config set mode auto",
      "timeout 5 karyi config trust",
      "karyi plugin add .",
      "karyi var get KEY --reveal",
      "karyi call Bash '{}' --approve yes",
      "true && sudo karyi evolve approve x",
    ])
      expect([command, await verdict(command)]).toEqual([command, "deny"]);
    for (const command of ["karyi evolve list", "karyi history", "karyi approvals"])
      expect([command, await verdict(command)]).toEqual([command, "allow"]);
  });
});
