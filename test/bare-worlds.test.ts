/** Worlds that nobody was asked about (B9, `auto`): what is there for a command, what is not, and how the result says so. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join, relative } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import type { EngineOptions, RehearsedBody } from "../src/index.ts";
import { outsideDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).includes("E0");
const why = holds ? "" : " (skipped: tier E0 does not hold here)";

async function place(options: EngineOptions = {}) {
  const { engine, workspace } = await testEngine({ approve: "deny", ...options });
  const session = await engine.openSession();
  const bash = (command: string) => session.call("Bash", { command });
  return { workspace, bash };
}

/** A program outside that listens at each of these; how often one was reached. */
async function listening(...paths: string[]): Promise<() => number> {
  let reached = 0;
  for (const path of paths) {
    const server: Server = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
  }
  return () => reached;
}

describe.skipIf(!holds)(`worlds that nobody was asked about${why}`, { timeout: 60_000 }, () => {
  it("of /etc there is what programs need and what tells about the machine, and nothing else", async () => {
    const { bash } = await place();
    const listed = await bash(`node -e 'console.log(JSON.stringify(require("fs").readdirSync("/etc")))'`);
    const names = JSON.parse(listed.output.split("\n")[0] ?? "") as string[];
    const closed = ["shadow", "gshadow", "fstab", "sudoers", "pam.d", "ssh", "nginx", "machine-id", "crontab", "systemd", "security"];
    expect(names.filter((name) => closed.includes(name))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(["hosts", "passwd", ...["os-release", "ld.so.cache"].filter((n) => existsSync(`/etc/${n}`))]),
    );
    const accounts = await bash(`node -e 'console.log(require("fs").readFileSync("/etc/passwd", "utf8").trim().split("\\n").length)'`);
    expect(Number(accounts.output.split("\n")[0])).toBeLessThanOrEqual(4);
  });

  it.each(["default", "auto"] as const)("programs speak by Unix sockets of their own in %s", async (mode) => {
    const { bash } = await place({ mode });
    const talk = `const n=require("net");const s=n.createServer((c)=>c.end("spoken")).listen("/tmp/own.sock",()=>n.connect("/tmp/own.sock").on("data",(d)=>{console.log(String(d));s.close()}))`;
    expect((await bash(`node -e '${talk}'`)).output).toMatch(/^spoken/);
  });

  it.each(["default", "auto"] as const)("sockets of programs outside are not reached in %s, and the result names them", async (mode) => {
    const outside = await outsideDirectory();
    const { workspace, bash } = await place({ mode });
    // By a relative name the kernel's table of sockets does not say where it lies.
    const within = join(workspace, "dev.sock");
    const reached = await listening(join(outside, "x.sock"), relative(process.cwd(), within));
    const dial = (path: string) => `node -e 'require("net").connect("${path}").on("error",(e)=>{console.log(e.message);process.exit(3)})'`;
    for (const path of [join(outside, "x.sock"), "dev.sock"]) {
      const { data } = await bash(dial(path));
      const { withheld, rehearsed } = data as { withheld?: RehearsedBody["withheld"]; rehearsed?: RehearsedBody };
      expect(rehearsed?.withheld ?? withheld).toEqual([{ kind: "socket", name: path === "dev.sock" ? within : path }]);
    }
    expect(reached()).toBe(0);
  });

  it("in auto the result says what was withheld, also where the command went on without it", async () => {
    const outside = await outsideDirectory();
    await writeFile(join(outside, "letter"), "dear friend\n");
    const { bash } = await place({ mode: "auto" });
    const letter = join(outside, "letter");
    const read = await bash(`cat ${letter} || true`);
    expect(read).toMatchObject({ status: "ok", data: { withheld: [{ kind: "path", name: letter }] } });
    expect(read.output).toContain(`[not there for commands here: ${letter}]`);
    expect(read.output).not.toContain("dear friend");
    const sent = await bash(`node -e 'require("net").connect(80, "192.0.2.7").on("error", () => {})'`);
    expect(sent).toMatchObject({ status: "ok", data: { withheld: [{ kind: "network" }] } });
    expect(sent.output).toMatch(/wanted the network \d+ time/);
  });

  it("what a tracked secret holds stays as it is while the rest is committed, in auto", async () => {
    const { workspace, bash } = await place({ mode: "auto" });
    const git = (...words: string[]) => execFileSync("git", ["-C", workspace, ...words]).toString();
    for (const words of ["init -q -b main", "config user.name a", "config user.email a@b"]) git(...words.split(" "));
    await mkdir(join(workspace, "conf"));
    const secrets = [".env", "conf/prod.pem"];
    for (const name of [...secrets, "a"]) await writeFile(join(workspace, name), `${name}\n`);
    // Git reads a file again that is not older than its index.
    for (const name of secrets) await utimes(join(workspace, name), 1_600_000_000, 1_600_000_000);
    git("add", "-A", "-f");
    git("commit", "-qm", "first");
    expect(await bash("echo b >> a; git add -A && git commit -qm second")).toMatchObject({ status: "ok" });
    expect(git("show", "--name-only", "--format=%s", "HEAD").split("\n").filter(Boolean)).toEqual(["second", "a"]);
    expect(git("status", "--short")).toBe("");
  });
});
