/** Where nobody is asked, a command does nothing outside the sandbox and reads nothing that a person would be asked about. */
import { once } from "node:events";
import { existsSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const tiers = await capturingHere();
const holds = tiers.length > 0;
/** Without a keeper root reads a hidden file as an empty one. */
const isUnreadable = tiers.includes("E0") || process.getuid?.() !== 0;
const why = holds ? "" : " (skipped: no overlay here)";

/** Programs that nobody can see through. */
const shows = (path: string) => `node -e 'process.stdout.write(require("fs").readFileSync("${path}", "utf8"))'`;
const writes = (path: string) => `node -e 'require("fs").appendFileSync("${path}", "x")'`;

async function workspaceWithSecrets(): Promise<string> {
  const workspace = realpathSync(await temporaryDirectory());
  await mkdir(join(workspace, "private/deep"), { recursive: true });
  await writeFile(join(workspace, ".env"), "PLAIN=canary-in-the-mine\n");
  await writeFile(join(workspace, ".env.example"), "PLAIN=\n");
  await writeFile(join(workspace, "private/deep/note.txt"), "private\n");
  await writeFile(join(workspace, "open.txt"), "open\n");
  symlinkSync(".env", join(workspace, "settings"));
  return workspace;
}

describe.skipIf(!holds)(`in auto${why}`, { timeout: 60_000 }, () => {
  it("a command in the background is captured as one in the foreground is, and tells why nothing of it was kept", async () => {
    const workspace = await workspaceWithSecrets();
    const { engine } = await testEngine({ workspace, mode: "auto" });
    const session = await engine.openSession();
    const background = async (command: string) => {
      const started = await session.call("Bash", { command, run_in_background: true });
      const { task_id: id } = started.data as { task_id: string };
      let page = await session.call("TaskOutput", { id, wait_ms: 10_000 });
      while (page.output.includes("[in_progress]")) page = await session.call("TaskOutput", { id, wait_ms: 10_000 });
      return { callId: started.callId, output: page.output };
    };
    const made = await background(`${writes("made.txt")}; ${writes("/usr/karyi-escaped")}; true`);
    expect(existsSync("/usr/karyi-escaped")).toBe(false);
    expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("x");
    expect((await session.undo(made.callId)).status).toBe("ok");
    expect(existsSync(join(workspace, "made.txt"))).toBe(false);
    await mkdir(join(workspace, ".git/hooks"), { recursive: true });
    const hooked = await background(writes(".git/hooks/pre-commit"));
    expect(hooked.output).toContain("[Nothing was changed: ");
    expect(existsSync(join(workspace, ".git/hooks/pre-commit"))).toBe(false);
  });

  it("what does not run in the sandbox is not allowed on its account", async () => {
    const workspace = await workspaceWithSecrets();
    const { engine } = await testEngine({ workspace, mode: "auto" });
    const session = await engine.openSession();
    const inTerminal = await session.call("Terminal", { command: writes("made.txt") });
    expect(inTerminal).toMatchObject({ status: "denied", error: { code: "permission_denied" } });
    expect((await session.call("Terminal", { command: "ls open.txt" })).status).toBe("ok");
    const uncaptured = await testEngine({ workspace, mode: "auto", config: { sandbox: { capture: "off" } } });
    const free = await uncaptured.engine.openSession();
    expect(await free.call("Bash", { command: writes("made.txt") })).toMatchObject({ status: "denied" });
    expect(existsSync(join(workspace, "made.txt"))).toBe(false);
  });

  const unless = isUnreadable ? "" : " (skipped: needs tier E0 as root)";
  it.skipIf(!isUnreadable)(
    `secret files of the workspace cannot be read or written by programs either, and the result names them${unless}`,
    async () => {
      const workspace = await workspaceWithSecrets();
      const { engine } = await testEngine({ workspace, mode: "auto" });
      const session = await engine.openSession();
      for (const path of [".env", "settings"]) {
        const read = await session.call("Bash", { command: shows(path) });
        expect(read).toMatchObject({ status: "error", data: { stdout: "", concealed: [join(workspace, ".env")] } });
        expect(read.output).toContain("EACCES");
        expect(read.output).toContain("[hidden from this command, since nobody was asked about them: .env]");
        expect(await session.call("Bash", { command: writes(path) })).toMatchObject({ status: "error" });
      }
      expect(readFileSync(join(workspace, ".env"), "utf8")).toBe("PLAIN=canary-in-the-mine\n");
      expect((await session.call("Bash", { command: shows("open.txt") })).data).toMatchObject({ stdout: "open\n" });
      const permitted = await testEngine({ workspace, mode: "auto", config: { permissions: { allow: ["Read(.env)"] } } });
      const reader = await permitted.engine.openSession();
      expect((await reader.call("Bash", { command: shows(".env") })).data).toMatchObject({ stdout: "PLAIN=canary-in-the-mine\n" });
    },
  );
});

describe.skipIf(!holds)(`elsewhere${why}`, { timeout: 60_000 }, () => {
  it("a dry run shows nothing of a secret file that nobody was asked about, and all of one that was permitted", async () => {
    const workspace = await workspaceWithSecrets();
    const { engine } = await testEngine({ workspace, approve: async () => "once" });
    const session = await engine.openSession();
    const unseen = await session.call("Bash", { command: `${shows(".env")}; ${shows("open.txt")}` }, { dryRun: true });
    expect(unseen.data).toMatchObject({ stdout: "open\n", concealed: [join(workspace, ".env")] });
    expect(unseen.output).toContain(
      "[hidden from the dry run, since nobody was asked about them: .env; what the command would do to them is not shown, and the real run may touch them]",
    );
    const named = await session.call("Bash", { command: "cat .env" }, { dryRun: true });
    expect(named.data).toMatchObject({ stdout: "PLAIN=canary-in-the-mine\n" });
    expect(named.data).not.toHaveProperty("concealed");
  });

  it("what a rule forbids to read is hidden from a command that a person approved, too", async () => {
    const workspace = await workspaceWithSecrets();
    const config = { permissions: { deny: ["Read(private/**)"] } };
    const { engine } = await testEngine({ workspace, config, approve: async () => "once" });
    const session = await engine.openSession();
    const done = await session.call("Bash", { command: `${shows(".env")}; ${shows("private/deep/note.txt")}` });
    expect(done.data).toMatchObject({ exit_code: 1, stdout: "PLAIN=canary-in-the-mine\n", concealed: [join(workspace, "private")] });
  });

  it("the diff of a secret file is shown to nobody", async () => {
    const workspace = await workspaceWithSecrets();
    const { engine } = await testEngine({ workspace, approve: async () => "once" });
    const session = await engine.openSession();
    const done = await session.call("Bash", { command: "rm .env open.txt" });
    expect(JSON.stringify(done)).not.toContain("canary-in-the-mine");
    expect(JSON.stringify(done)).toContain("-open");
  });
});

it.skipIf(!holds)(`what a captured command reaches is what the config says: nothing, this machine of its own, or all${why}`, async () => {
  const server = createServer((socket) => socket.end("outside")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const dial = (to: number) =>
    `node -e 'const n=require("net");const say=(w)=>{console.log(w);process.exit()};const go=(p)=>n.connect(p,"127.0.0.1").on("data",(d)=>say(String(d))).on("error",(e)=>say(e.code));${
      to === 0
        ? 'const s=n.createServer((c)=>c.end("inside")).listen(0,"127.0.0.1",()=>go(s.address().port)).on("error",(e)=>say(e.code))'
        : `go(${to})`
    }'`;
  const heard: Record<string, readonly (string | undefined)[]> = {};
  for (const network of ["none", "loopback", "on"] as const) {
    const { engine } = await testEngine({ config: { sandbox: { network } } });
    const session = await engine.openSession();
    const say = async (to: number) => (await session.call("Bash", { command: dial(to) })).output.split("\n")[0];
    heard[network] = [await say(port), await say(0)];
  }
  expect(heard).toEqual({
    // Some machines bring the loopback of every new namespace up by themselves.
    none: [expect.stringMatching(/^E[A-Z]+$/), expect.stringMatching(/^E[A-Z]+$|^inside$/)],
    loopback: ["ECONNREFUSED", "inside"],
    on: ["outside", "inside"],
  });
});
