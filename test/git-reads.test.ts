/** Git that only reads runs nothing that a repository's config names, wherever that config lies. */
import { execFileSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

/** Where a command of the config leaves a trace if it runs. */
const setups: Readonly<Record<string, { readonly seed: string; readonly command: string }>> = {
  "a monitor in the config of a worktree that lies among plain files": {
    seed: `mkdir -p sub store/objects store/refs; echo 'ref: refs/heads/main' > sub/HEAD; echo ../store > sub/commondir
printf '[core]\\n\\trepositoryformatversion = 1\\n[extensions]\\n\\tworktreeConfig = true\\n' > store/config
printf '[core]\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = "echo code-was-here >&2; touch %s"\\n' "$MARK" > sub/config.worktree`,
    command: "cd sub && git status; true",
  },
  "a hook that runs when the index is written anew": {
    seed: `mkdir -p .git/hooks; printf '#!/bin/sh\\necho code-was-here >&2; touch %s\\n' "$MARK" > .git/hooks/post-index-change; chmod 755 .git/hooks/post-index-change; touch -d @1 file`,
    command: "git status; true",
  },
};

it.each(Object.entries(setups))("%s", { timeout: 60_000 }, async (_, { seed, command }) => {
  const base = realpathSync(await temporaryDirectory());
  const workspace = join(base, "ws");
  const mark = join(base, "MARK");
  const script = `set -e; mkdir ws; cd ws; git init -q -b main; echo one > file; git add -A; git -c user.name=a -c user.email=a@b.c commit -qm one; ${seed}`;
  execFileSync("bash", ["-c", script], { cwd: base, env: { PATH: process.env.PATH, HOME: base, MARK: mark } });
  const { engine } = await testEngine({ workspace, approve: async () => "once" });
  const session = await engine.openSession();
  const { output } = await session.call("Bash", { command });
  expect({ ran: output.includes("code-was-here"), marked: existsSync(mark) }).toEqual({ ran: false, marked: false });
});
