/** What a command turns out to do is judged again: rules hold for what it changed, and what it did not change is not its to undo. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";
const writes = (path: string) => `node -e 'require("fs").writeFileSync("${path}", "x")'`;

const content = "{}\n";

async function workspaceWith(...files: readonly string[]): Promise<string> {
  const workspace = realpathSync(await temporaryDirectory());
  for (const file of files) {
    mkdirSync(join(workspace, file, ".."), { recursive: true });
    writeFileSync(join(workspace, file), content);
  }
  return workspace;
}

describe.skipIf(!holds)(`a captured command${why}`, { timeout: 60_000 }, () => {
  it("that was refused because somebody else was faster changed nothing, and undo does not touch their work", async () => {
    const workspace = await workspaceWith("a.txt");
    const { engine } = await testEngine({ workspace });
    const session = await engine.openSession();
    const theirs = join(workspace, "a.txt");
    const result = await session.call(
      "Bash",
      { command: "sed -i s/{/[/ a.txt; echo begun; sleep 3" },
      { onProgress: (text) => text.includes("begun") && appendFileSync(theirs, "theirs\n") },
    );
    expect(result).toMatchObject({ status: "error", error: { code: "tool_conflict" }, undoable: false });
    expect(await session.undo(result.callId)).not.toMatchObject({ status: "ok", undoable: true });
    expect(readFileSync(theirs, "utf8")).toBe(`${content}theirs\n`);
  });

  it("changes nothing that a rule forbids to edit, nor the project's settings, whoever approved it", async () => {
    const workspace = await workspaceWith("build/out.bin", ".karyi/config.json", "free.txt");
    for (const mode of ["default", "auto"] as const) {
      const { engine } = await testEngine({ workspace, mode, config: { permissions: { deny: ["Edit(build/**)"] } } });
      const session = await engine.openSession();
      for (const path of ["build/out.bin", ".karyi/config.json"]) {
        const refused = await session.call("Bash", { command: writes(path) });
        expect(refused).toMatchObject({ status: "error", error: { code: "tool_forbidden_path" }, undoable: false });
        expect(readFileSync(join(workspace, path), "utf8")).toBe(content);
      }
      expect((await session.call("Bash", { command: writes("free.txt") })).status).toBe("ok");
    }
  });
});

it("git that only reads runs no hook of the repository, and in the terminal it is asked about where there is one", async () => {
  const workspace = await workspaceWith("a.txt");
  const asked: string[] = [];
  const { engine } = await testEngine({
    workspace,
    approve: async ({ summary }) => {
      asked.push(summary);
      return summary.includes("setup.sh") ? "once" : "deny";
    },
  });
  const session = await engine.openSession();
  writeFileSync(
    join(workspace, "setup.sh"),
    "git init -q . && git add a.txt && git -c user.name=n -c user.email=e@x commit -qm x && printf '#!/bin/sh\\necho > hooked\\n' > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change",
  );
  expect((await session.call("Bash", { command: "sh setup.sh" })).status).toBe("ok");
  for (const command of ["git status", "git diff --stat", "git describe --always --dirty"]) {
    // Its time is another one: git looks at it again, and writes that down.
    utimesSync(join(workspace, "a.txt"), 1000, 1000 + asked.length);
    expect([command, (await session.call("Bash", { command })).status]).toEqual([command, "ok"]);
    expect(existsSync(join(workspace, "hooked"))).toBe(false);
  }
  expect(asked).toHaveLength(1);
  expect((await session.call("Terminal", { command: "git status" })).status).toBe("denied");
});

it("credentials in the environment do not reach commands, whatever they are called", async () => {
  const names = [
    "PGPASSWORD",
    "MYSQL_PWD",
    "SMTP_PASS",
    "GITHUB_PAT",
    "SENTRY_DSN",
    "FOO_CREDS",
    "JWT",
    "BEARER",
    "SLACK_HOOK",
    "LOGIN_PIN",
    "DBPASSWORD",
    "clientSecret",
    "GITHUBTOKEN",
    "API_KEY2",
    "STRIPE_SK",
  ];
  const kept = { GIT_AUTHOR_NAME: "kept", GOPRIVATE: "kept", TOKENIZERS_PARALLELISM: "kept", KEYBOARD_LAYOUT: "kept" };
  const env = { ...process.env, ...Object.fromEntries(names.map((name) => [name, "canary"])), ...kept };
  const { engine } = await testEngine({ env });
  const session = await engine.openSession();
  const { output } = await session.call("Bash", { command: "env" });
  expect(output).not.toContain("canary");
  for (const name of Object.keys(kept)) expect(output).toContain(`${name}=kept`);
});
