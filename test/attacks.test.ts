/**
 * Attacks, run for real: nothing outside changes, no secret is printed, no foreign code leaves a mark, nobody is reached. Once with
 * everything in force, once with the judgement switched off, where every command counts as understood and confinement stands alone.
 * `npm test` tries half of them in one mode each; KARYI_FULL=1 tries each in all four.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isSecretPath } from "../src/contract/index.ts";
import { BackgroundTasks } from "../src/host/processes/background-tasks.ts";
import { ProcessRoom } from "../src/host/processes/create-processes.ts";
import { capturingHere, makeWorld } from "../src/host/sandbox/fixtures/world.ts";
import { type Attack, attacks } from "./attacks/table.ts";
import { outsideDirectory, testEngine, treeOf } from "./support/engine.ts";

const holds = (await capturingHere()).includes("E0");
const why = holds ? "" : " (skipped: tier E0 does not hold here)";
const full = process.env.KARYI_FULL === "1";
const modes = ["default", "auto", "plan", "accept-edits"] as const;

const canary = ["canary", "Q7vX2mK9", "pT4zR8sW"].join("");
const leaks = [canary, [...canary].reverse().join(""), Buffer.from(canary).toString("base64").slice(0, 24)];

/** A workspace with secrets, hostile repositories and scripts that leave a mark outside. */
function plant(workspace: string, outside: string): void {
  const mark = `touch ${outside}/PWNED`;
  const put = (name: string, text: string, mode = 0o644) => writeFileSync(join(workspace, name), text, { mode });
  for (const name of ["src", "conf", "bin", "hooks", "cfg/git", "evil"]) mkdirSync(join(workspace, name), { recursive: true });
  put("README", "read me\n");
  put("src/a.js", "1\n");
  execFileSync("bash", ["-c", "git init -q -b main . && git add -A && git -c user.name=a -c user.email=a@b commit -qm x"], {
    cwd: workspace,
  });
  put(".env", `API_KEY=${canary}\n`);
  put("conf/prod.pem", `${canary}\n`);
  put("names", ".env\n");
  put("read.sh", "cat .env conf/*\n");
  put("secret.mk", "all:\n\t@cat .env\n");
  put("net.sh", "exec 3<>/dev/tcp/127.0.0.1/$1; echo x >&3\n");
  put("run.sh", `#!/bin/sh\n${mark}\n`, 0o755);
  put("evil.py", `import os; os.system("${mark}")\n`);
  put("evil.js", `require("child_process").execSync("${mark}")\n`);
  put("evil.pm", `system("${mark}"); 1;\n`);
  put("evil.mk", `all:\n\t@${mark}\n`);
  put("bin/ls", `#!/bin/sh\n${mark}\n`, 0o755);
  put("bin/git-status", `#!/bin/sh\n${mark}\n`, 0o755);
  put("hooks/post-checkout", `#!/bin/sh\n${mark}\n`, 0o755);
  put("cfg/git/config", `[core]\n\tfsmonitor = "${mark}"\n`);
  put("cfg/.gitconfig", `[core]\n\tfsmonitor = "${mark}"\n`);
  const repository = `git init -q -b main . && echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -qm x && echo y >> f
git config core.fsmonitor '${mark}' && git config diff.external '${mark}' && git config core.pager '${mark}' && git config gpg.program '${mark}'
git config filter.x.clean '${mark}' && git config diff.x.textconv '${mark}' && echo '* filter=x diff=x' > .gitattributes
printf '#!/bin/sh\\n${mark}\\n' > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change`;
  execFileSync("bash", ["-c", repository], { cwd: join(workspace, "evil") });
  mkdirSync(join(workspace, "linked"));
  writeFileSync(join(workspace, "linked/f"), "y\n");
  symlinkSync("../evil/.git", join(workspace, "linked/.git"));
  symlinkSync(outside, join(workspace, "link-out"));
  symlinkSync(".env", join(workspace, "link-to-secret"));
  mkdirSync(join(outside, ".ssh"), { recursive: true });
  mkdirSync(join(outside, "project"));
  writeFileSync(join(outside, "project/.env"), `API_KEY=${canary}\n`);
  writeFileSync(join(outside, "letter"), "dear friend\n");
  writeFileSync(join(outside, ".ssh/id_rsa"), `${canary}\n`);
}

async function listener(): Promise<{ readonly port: number; reached(): number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on("error", () => {});
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as { port: number }).port, reached: () => count };
}

const filled = ({ command }: Attack, outside: string, port: number): string =>
  command.replaceAll("@OUT", outside).replaceAll("@PORT", String(port));
const leaked = (text: string): boolean => leaks.some((leak) => text.includes(leak));

it("there are more than three hundred", () => {
  expect(new Set(attacks.map(({ command }) => command)).size).toBeGreaterThan(300);
});

describe.skipIf(!holds)(`attacks${why}`, () => {
  it.each(modes)("none gets through in %s", { timeout: 600_000 }, async (mode) => {
    const outside = await outsideDirectory();
    const { engine, workspace } = await testEngine({ mode, approve: "deny" });
    plant(workspace, outside);
    const before = await treeOf(outside);
    const { port, reached } = await listener();
    const through: string[] = [];
    for (const [index, attack] of attacks.entries()) {
      // In the short form every second attack, each in one mode.
      if (!full && (modes[index % modes.length] !== mode || (index >> 2) % 2 === 1)) continue;
      const command = filled(attack, outside, port);
      // What one leaves behind must not spare many others.
      const session = await engine.openSession({ id: `attack-${index >> 5}` });
      const result = await session.call("Bash", { command, timeout: 10_000 });
      const told = JSON.stringify(result);
      if (leaked(told)) through.push(`printed: ${attack.command}`);
      if (reached() > 0) through.push(`reached: ${attack.command}`);
      if (JSON.stringify(await treeOf(outside)) !== JSON.stringify(before)) through.push(`changed: ${attack.command}`);
      expect(through).toEqual([]);
    }
  });

  it("none gets through by confinement alone, with the judgement switched off", { timeout: 600_000 }, async () => {
    const outside = await outsideDirectory();
    const world = makeWorld({ seed: "", only: ["E0"], userHome: outside });
    plant(world.workspace, outside);
    const hides = (path: string, isDirectory: boolean) => isSecretPath(path.slice(world.workspace.length + 1), isDirectory);
    const room = new ProcessRoom({ PATH: process.env.PATH }, { sandbox: world.sandbox, hides: () => hides, session: "mutant" });
    onTestFinished(() => {
      room.close();
      world.close();
    });
    const processes = room.processes(new BackgroundTasks(1, () => {}), undefined, [world.workspace]);
    const before = await treeOf(outside);
    const { port, reached } = await listener();
    for (const [index, attack] of attacks.entries()) {
      if (!full && index % 5 !== 0) continue;
      const chunks: Uint8Array[] = [];
      await processes.run({
        ...{ command: filled(attack, outside, port), cwd: world.workspace, env: {}, timeoutMs: 10_000, purpose: "read", touches: [] },
        signal: new AbortController().signal,
        onOutput: (_, chunk) => void chunks.push(chunk),
      });
      const got = {
        attack: attack.command,
        leaked: leaked(Buffer.concat(chunks).toString("latin1")),
        reached: reached(),
        changed: JSON.stringify(await treeOf(outside)) !== JSON.stringify(before),
      };
      expect(got).toEqual({ attack: attack.command, leaked: false, reached: 0, changed: false });
    }
  });
});
