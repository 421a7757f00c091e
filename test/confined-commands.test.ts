/** What stands behind the judgement of commands: each way past it that was once open, tried for real. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import type { ApprovalReply, EngineOptions } from "../src/index.ts";
import { outsideDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).includes("E0");
const why = holds ? "" : " (skipped: tier E0 does not hold here)";
const secret = ["canary", "8Kq2Zt", "Wm5"].join("");

async function place(options: EngineOptions = {}) {
  const { engine, workspace, home } = await testEngine(options);
  const session = await engine.openSession();
  const bash = (command: string, more: object = {}) => session.call("Bash", { command, ...more });
  return { engine, workspace, home, session, bash };
}

describe.skipIf(!holds)(`confinement under every command${why}`, { timeout: 60_000 }, () => {
  it("a script changed between question and answer is not run", async () => {
    let workspace = "";
    const approve = async (): Promise<ApprovalReply> => {
      await writeFile(join(workspace, "s.sh"), "echo swapped > made");
      return { answer: "once" };
    };
    const here = await place({ approve, config: { commands: "ask" } });
    workspace = here.workspace;
    await writeFile(join(workspace, "s.sh"), "echo shown > made");
    expect(await here.bash("bash s.sh")).toMatchObject({ error: { code: "tool_conflict", details: { reason: "plan_changed" } } });
    expect(existsSync(join(workspace, "made"))).toBe(false);
  });

  it("a race between judging and reading shows nothing: what is swapped in is hidden where it runs", async () => {
    const { workspace, bash } = await place({ approve: "deny" });
    await writeFile(join(workspace, ".env"), `KEY=${secret}\n`);
    await writeFile(join(workspace, "swap.txt"), "plain\n");
    let swapping = true;
    const swap = async () => {
      for (let round = 0; swapping; round += 1) {
        symlinkSync(round % 2 === 0 ? ".env" : "README", join(workspace, "next"));
        renameSync(join(workspace, "next"), join(workspace, "swap.txt"));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const done = swap();
    const told: string[] = [];
    for (let count = 0; count < 40; count += 1) told.push(JSON.stringify(await bash("cat swap.txt")));
    swapping = false;
    await done;
    expect(told.filter((text) => text.includes(secret))).toEqual([]);
  });

  it.each(["default", "accept-edits"] as const)(
    "in %s a name that leads outside since it was judged leads nowhere, and what was judged outside is there",
    async (mode) => {
      const outside = await outsideDirectory();
      await writeFile(join(outside, "deploy.pem"), `${secret}\n`);
      await writeFile(join(outside, "notes"), "noted\n");
      let from = "";
      const swap = () => {
        symlinkSync(join(outside, "deploy.pem"), `${from}.next`);
        renameSync(`${from}.next`, from);
        return undefined;
      };
      const { workspace, bash } = await place({
        mode,
        approve: "deny",
        hooks: [{ event: "before", run: swap }],
        config: { permissions: { allow: [`Read(${outside}/notes)`] } },
      });
      from = join(workspace, "swap.txt");
      for (const command of ["cat swap.txt", "cp swap.txt copy", `cat swap.txt ${outside}/notes`]) {
        rmSync(from, { force: true });
        await writeFile(from, "plain\n");
        const { output } = await bash(command);
        expect([command, output.includes(secret), output.includes("noted")]).toEqual([command, false, command.endsWith("notes")]);
        const copy = join(workspace, "copy");
        expect(existsSync(copy) ? readFileSync(copy, "utf8") : "").not.toContain(secret);
      }
    },
  );

  it("a link to what a process holds is judged as that, not as what Karyi itself holds", async () => {
    const outside = await outsideDirectory();
    await writeFile(join(outside, "letter"), secret);
    const { workspace, bash, session } = await place({ approve: "deny" });
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(workspace);
    await mkdir(join(workspace, "sub"));
    symlinkSync("/proc/self/cwd", join(workspace, "here"));
    symlinkSync(outside, join(workspace, "sub/out"));
    await bash("cd sub");
    for (const command of ["cat ../here/out/letter", "head -c 99 ../here/out/letter", "cp ../here/out/letter seen && cat seen"]) {
      expect((await session.explain("Bash", { command })).decision.verdict).not.toBe("allow");
      expect(JSON.stringify(await bash(command))).not.toContain(secret);
    }
  });

  it("what a command leaves behind in its environment runs no code later, in auto with nobody asked", async () => {
    const outside = await outsideDirectory();
    const { workspace, bash } = await place({ mode: "auto" });
    execFileSync("git", ["init", "-q", workspace]);
    await mkdir(join(workspace, "cfg/git"), { recursive: true });
    await writeFile(join(workspace, "cfg/git/config"), `[core]\n\tfsmonitor = "touch ${outside}/PWNED"\n`);
    await bash("export XDG_CONFIG_HOME=$PWD/cfg");
    expect((await bash("git status")).status).toBe("ok");
    expect(await readdir(outside)).toEqual([]);
  });

  it.each([".envrc", ".npmrc", ".vscode/tasks.json", ".github/workflows/ci.yml"])(
    "%s is not written by a program in auto, and what it printed is told",
    async (name) => {
      const { workspace, bash } = await place({ mode: "auto" });
      await writeFile(join(workspace, "w.sh"), `mkdir -p "$(dirname ${name})"; echo x > ${name}; echo x > ordinary; echo printed`);
      const refused = await bash("sh w.sh");
      expect(refused).toMatchObject({
        status: "error",
        error: { code: "tool_forbidden_path" },
        output: expect.stringContaining("printed"),
      });
      expect((await readdir(workspace)).sort()).toEqual(["w.sh"]);
    },
  );

  it("a hidden file stays hidden when somebody replaces it by rename, and in a tree of any size", async () => {
    const { workspace, bash } = await place({ mode: "auto" });
    await mkdir(join(workspace, "zz/conf"), { recursive: true });
    await writeFile(join(workspace, "zz/conf/.env"), `KEY=${secret}\n`);
    for (let part = 0; part < 4; part += 1) {
      await mkdir(join(workspace, `many${part}`));
      await Promise.all(Array.from({ length: 600 }, (_, index) => writeFile(join(workspace, `many${part}`, String(index)), "")));
    }
    const read = await bash("python3 -c 'print(open(\"zz/conf/.env\").read())' || cat zz/conf/.env");
    expect([read.status, JSON.stringify(read).includes(secret)]).toEqual(["error", false]);
    await writeFile(join(workspace, "zz/conf/new"), `KEY=${secret}-2\n`);
    renameSync(join(workspace, "zz/conf/new"), join(workspace, "zz/conf/.env"));
    expect(JSON.stringify(await bash("perl -pe1 zz/conf/.env"))).not.toContain(secret);
  });

  it("hidden files are unreadable, not empty: recording them fails, and what is tracked stays as it is", async () => {
    const { workspace, bash } = await place({ mode: "auto" });
    await writeFile(join(workspace, ".env"), `KEY=${secret}\n`);
    await writeFile(join(workspace, "a"), "a\n");
    const git = (...words: string[]) => execFileSync("git", ["-C", workspace, "-c", "user.name=a", "-c", "user.email=a@b", ...words]);
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    expect((await bash("tar cf out.tar .env")).status).toBe("error");
    await bash("echo b >> a; git -c user.name=a -c user.email=a@b commit -qam second");
    expect(git("show", "HEAD:.env").toString()).toContain(secret);
    expect(readFileSync(join(workspace, ".env"), "utf8")).toContain(secret);
  });

  it("no file becomes setuid by a command", async () => {
    const { workspace, bash } = await place({ mode: "auto" });
    expect((await bash("cp /bin/true t && chmod 6755 t")).status).toBe("ok");
    expect(((await stat(join(workspace, "t"))).mode & 0o7777).toString(8)).toBe("755");
  });

  it("in auto a server in the background answers later commands, and the machine's loopback is not there", async () => {
    const { bash } = await place({ mode: "auto" });
    const serve = `require("http").createServer((q, a) => a.end("mine")).listen(5123)`;
    expect((await bash(`node -e '${serve}'`, { run_in_background: true })).status).toBe("ok");
    const asked = await bash("for i in $(seq 100); do curl -s localhost:5123 && break; sleep 0.1; done");
    expect(asked.output).toMatch(/^mine/);
  });

  it("in auto a command that failed without the network says so", async () => {
    const { bash } = await place({ mode: "auto" });
    const failed = await bash(`node -e 'require("net").connect(80, "192.0.2.7").on("error", () => process.exit(3))'`);
    expect(failed.output).toMatch(/wanted the network \d+ time/);
  });

  it("a rehearsal shows nothing of the disk but what it needs, and a path it lacked is withheld", async () => {
    const outside = await outsideDirectory();
    await writeFile(join(outside, "letter"), "dear friend\n");
    const cards: object[] = [];
    const { workspace, bash } = await place({
      approve: async (card) => {
        cards.push(card.rehearsal ?? {});
        return { answer: "deny" };
      },
    });
    await writeFile(join(workspace, "s.sh"), `cat "${outside}/letter"`);
    const refused = await bash("sh s.sh");
    expect(JSON.stringify(refused)).not.toContain("dear friend");
    expect(cards).toMatchObject([{ withheld: [{ kind: "path", name: join(outside, "letter") }], change_set: null }]);
  });

  it("git works in a linked worktree and in a sub-directory, is captured and undone", async () => {
    const main = await outsideDirectory();
    const git = (...words: string[]) => execFileSync("git", ["-C", main, ...words]).toString();
    for (const words of ["init -q -b main", "config user.name a", "config user.email a@b"]) git(...words.split(" "));
    await mkdir(join(main, "sub"));
    await writeFile(join(main, "sub/f"), "one\n");
    await writeFile(join(main, "other"), "other\n");
    git("add", "-A");
    git("commit", "-qm", "first");
    git("worktree", "add", "-q", join(main, "tree"), "-b", "side");
    for (const workspace of [join(main, "tree"), join(main, "sub")]) {
      const { session, bash } = await place({ workspace, mode: "auto" });
      const file = workspace.endsWith("sub") ? "f" : "sub/f";
      const head = execFileSync("git", ["-C", workspace, "rev-parse", "HEAD"]).toString();
      const done = await bash(`echo two >> ${file}; git commit -qam second; git status --short; git log --oneline | wc -l`);
      expect([workspace, done.status, done.output]).toEqual([workspace, "ok", expect.stringMatching(/(^|\n)2\n/)]);
      expect(execFileSync("git", ["-C", workspace, "rev-parse", "HEAD"]).toString()).not.toBe(head);
      expect((await session.undo(done.callId)).status).toBe("ok");
      expect(execFileSync("git", ["-C", workspace, "rev-parse", "HEAD"]).toString()).toBe(head);
      expect(readFileSync(join(workspace, file), "utf8")).toBe("one\n");
    }
  });

  it("a secure variable is used only as its binding says where nobody is asked, and masked however it is taken apart", async () => {
    const { engine, bash, workspace } = await place({ mode: "auto" });
    await engine.vault.set({ name: "FREE", value: secret, scope: "global" }, { workspace });
    await engine.vault.set({ name: "TIED", value: secret, scope: "global", tools: ["Bash"] }, { workspace });
    expect(await bash("rev <<< $KARYI{FREE}")).toMatchObject({ status: "denied", error: { details: { reason: "value_not_bound" } } });
    const told = JSON.stringify(await bash("rev <<< $KARYI{TIED}; fold -w4 <<< $KARYI{TIED}; od -c <<< $KARYI{TIED}"));
    for (const form of [secret, [...secret].reverse().join(""), secret.slice(0, 4), secret.slice(8, 12)]) expect(told).not.toContain(form);
  });
});
