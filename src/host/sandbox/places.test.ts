/** What holds for special files, several roots, other file systems in the workspace, and the loopback. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { NetworkAccess } from "../../contract/index.ts";
import { BackgroundTasks } from "../processes/background-tasks.ts";
import { ProcessRoom } from "../processes/create-processes.ts";
import { program } from "../programs.ts";
import { sleepersFor } from "./fixtures/attempts.ts";
import { capturingHere, capturingTiers, makeWorld, treeOf, type World, type WorldOptions } from "./fixtures/world.ts";

const register = resolve(import.meta.dirname, "../../../test/support/ts-register.mjs");
const here = await capturingHere();
const worlds: World[] = [];
const open = (options: WorldOptions): World => {
  const world = makeWorld(options);
  worlds.push(world);
  return world;
};
afterEach(() => {
  for (const world of worlds.splice(0)) world.close();
});

/** Temporary directories may be written from inside, so this one has to lie elsewhere. */
function placeToWrite(): string | undefined {
  return [homedir(), "/opt", "/srv", "/var/lib"].find((path) => {
    try {
      accessSync(path, constants.W_OK);
      return !["/tmp", "/var/tmp", realpathSync(tmpdir())].some((temporary) => `${realpathSync(path)}/`.startsWith(`${temporary}/`));
    } catch {
      return false;
    }
  });
}

const isLauncher = (pid: number): boolean => readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("karyi-launcher");

for (const tier of capturingTiers) {
  const holds = here.includes(tier);
  describe.skipIf(!holds)(`tier ${tier}${holds ? "" : " (skipped: it does not hold here)"}`, () => {
    it("named pipes are committed and undone, sockets are left out and named", async () => {
      const world = open({ only: [tier], seed: "mkfifo -m 600 old; echo plain > plain" });
      const before = treeOf(world.workspace);
      const socket = `require("net").createServer().listen("made.sock", () => process.kill(process.pid, "SIGKILL"))`;
      const { outcome } = await world.run(`mkfifo -m 640 made; rm plain; mkfifo plain; rm old; node -e '${socket}'; true`);
      expect(outcome.leftOut).toEqual([join(world.workspace, "made.sock")]);
      expect(outcome.changes?.map(({ path, change }) => `${change} ${path.slice(world.workspace.length + 1)}`)).toEqual([
        "created made",
        "deleted old",
        "modified plain",
      ]);
      expect(lstatSync(join(world.workspace, "made")).mode & 0o170777).toBe(0o010640);
      expect(lstatSync(join(world.workspace, "plain")).isFIFO()).toBe(true);
      expect(existsSync(join(world.workspace, "made.sock"))).toBe(false);
      await world.undo();
      expect(treeOf(world.workspace)).toEqual(before);
    });

    it("device nodes cannot be made", async () => {
      const world = open({ only: [tier], seed: "" });
      const { outcome } = await world.run("mknod null c 1 3; mknod white c 0 0; mknod disk b 8 0; true");
      expect(outcome.changes).toEqual([]);
    });

    it("what is committed carries no mark of the overlay", async () => {
      const world = open({ only: [tier] });
      await world.run("rm -r src; mkdir src; echo x > src/x; echo y >> a.txt; mv docs papers");
      const archive = execFileSync("tar", ["-c", "-f", "-", "--format=posix", "--xattrs", "--xattrs-include=*", "."], {
        cwd: world.workspace,
        maxBuffer: 1 << 26,
      });
      expect(archive.includes("overlay.")).toBe(false);
    });

    it("a command that is told to stop has its time to end", async () => {
      const world = open({ only: [tier], seed: "" });
      const outcome = await world.processes.run({
        command: "trap 'echo saved > saved; exit 3' TERM; echo ready; while :; do sleep 0.05; done",
        cwd: world.workspace,
        env: {},
        timeoutMs: 1_500,
        callId: "call",
        signal: new AbortController().signal,
        onOutput: () => {},
      });
      expect(outcome).toMatchObject({ timedOut: true, exitCode: 3 });
      expect(readFileSync(join(world.workspace, "saved"), "utf8")).toBe("saved\n");
    });

    const endsAtOnce = tier === "E0" || tier === "E1";
    it(`after a kill -9 of Karyi and its launcher no process is left ${endsAtOnce ? "at once" : "at the next start"}`, async () => {
      const token = `97${process.pid}${capturingTiers.indexOf(tier)}`;
      const command = `(setsid sh -c 'exec sleep ${token}' >/dev/null 2>&1 &); echo ready; sleep ${token}`;
      const script = join(import.meta.dirname, "fixtures/lasting.child.mjs");
      const child = spawn(process.execPath, ["--import", register, script, tier, command], { stdio: ["ignore", "pipe", "inherit"] });
      const { pid = 0 } = child;
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      await vi.waitUntil(() => said.includes("ready"), { timeout: 50_000 });
      const base = said.split("\n", 1)[0] ?? "";
      const launchers = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number).filter(isLauncher);
      for (const one of [pid, ...launchers]) process.kill(one, "SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      const { sandbox } = open({ only: [tier], home: join(base, "home"), workspace: join(base, "ws") });
      if (!endsAtOnce) await sandbox.recoverChangeSets();
      await vi.waitUntil(() => sleepersFor(token).length === 0, { timeout: 20_000 });
      await sandbox.recoverChangeSets();
      expect(readdirSync(join(base, "home", "sandbox")).filter((name) => name.length === 16)).toEqual([]);
      rmSync(base, { recursive: true, force: true });
    });

    it("every root is captured and undone, and a root within another is part of it", async () => {
      const world = open({ only: [tier] });
      const extra = join(world.base, "extra root");
      const outside = join(world.base, "outside");
      mkdirSync(extra);
      mkdirSync(outside);
      writeFileSync(join(extra, "kept"), "before\n");
      const roots = [world.workspace, extra, join(world.workspace, "src")];
      const before = [treeOf(world.workspace), treeOf(extra)];
      const processes = world.room.processes(new BackgroundTasks(1, () => {}), undefined, roots);
      const outcome = await processes.run({
        command: `echo after > '${extra}/kept'; echo new > '${extra}/new'; rm -r src/deep; mv a.txt '${extra}/a.txt'; echo x > '${outside}/x'; true`,
        cwd: world.workspace,
        env: {},
        timeoutMs: 20_000,
        callId: "call",
        signal: new AbortController().signal,
        onOutput: () => {},
      });
      expect(outcome).toMatchObject({ exitCode: 0, tier });
      expect(readFileSync(join(extra, "kept"), "utf8")).toBe("after\n");
      expect(existsSync(join(extra, "a.txt"))).toBe(true);
      expect(existsSync(join(world.workspace, "src/deep"))).toBe(false);
      // Without a /tmp of the session the machine's temporary directories may be written.
      expect(existsSync(join(outside, "x"))).toBe(/^\/(?:var\/)?tmp\//.test(world.base));
      await world.undo();
      expect([treeOf(world.workspace), treeOf(extra)]).toEqual(before);
    });

    const place = placeToWrite();
    const where = place === undefined ? " (skipped: nothing outside the temporary directory can be written here)" : "";
    it.skipIf(place === undefined)(
      `a confined background command (E3) writes to the workspace itself and nowhere else, and leaves nothing behind${where}`,
      async () => {
        const world = open({ only: [tier], seed: "echo before > file", place: place ?? "" });
        const room = new ProcessRoom(process.env, { sandbox: world.sandbox, confineBackground: true });
        const tasks = new BackgroundTasks(1, () => {});
        const processes = room.processes(tasks, undefined, [world.workspace]);
        const command = `echo after > file; echo x > ../outside; cat '${world.home}/sandbox/probe.json'; ls -d /proc/[0-9]* | wc -l`;
        const { id } = await processes.background({ command, cwd: world.workspace, env: {}, timeoutMs: 20_000 }, "serve");
        while (tasks.get(id)?.status === "in_progress")
          await tasks.output(id, Number.MAX_SAFE_INTEGER, 1_000, new AbortController().signal);
        const said = (await tasks.output(id, 0, 0, new AbortController().signal))?.text ?? "";
        room.close();
        expect(tasks.get(id)?.status).toBe("done");
        expect(readFileSync(join(world.workspace, "file"), "utf8")).toBe("after\n");
        expect(existsSync(join(world.base, "outside"))).toBe(false);
        expect(said).not.toContain("trials");
        expect(Number(said.trim().split("\n").at(-1))).toBeLessThan(8);
        expect(readdirSync(join(world.home, "sandbox")).filter((name) => name.length === 16)).toEqual([]);
      },
    );

    const canRaise = tier !== "E2u" || ["ip", "ifconfig", "perl"].some((name) => program(name) !== undefined);
    it(`loopback: servers of the command are reached, those of the host are not${canRaise ? "" : "; refused here, since none of ip, ifconfig and perl is installed"}`, async () => {
      let visits = 0;
      const server = createServer((connection) => {
        visits += 1;
        connection.destroy();
      });
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
      const { port } = server.address() as { port: number };
      const script = `const net = require("net");
        net.connect(${port}, "127.0.0.1").on("error", (error) => console.log("host", error.code));
        const own = net.createServer((c) => c.end("hello")).listen(0, "127.0.0.1", () => net.connect(own.address().port, "127.0.0.1").on("data", (d) => { console.log("own", String(d)); own.close(); }));`;
      try {
        const said = rehearsed(open({ only: [tier], seed: "" }), `node -e '${script}' | sort`, "loopback");
        if (canRaise) expect(await said).toBe("host ECONNREFUSED\nown hello\n");
        else await expect(said).rejects.toMatchObject({ details: { reason: "sandbox_failed" } });
        expect(visits).toBe(0);
      } finally {
        server.close();
      }
    });

    const isRoot = process.getuid?.() === 0;
    // In its user namespace a keeper may not look below what another file system covers: the next tier takes such a workspace.
    const taker = tier === "E0" ? here.find((other) => other !== "E0") : tier;
    const canMount = isRoot && taker !== undefined;
    it.skipIf(!canMount)(
      `another file system in the workspace is seen but read-only${canMount ? "" : " (skipped: needs root to mount, and another tier than E0)"}`,
      () => {
        const output = execFileSync(
          program("unshare") ?? "",
          [
            "--mount",
            process.execPath,
            "--import",
            register,
            join(import.meta.dirname, "fixtures/submount.child.mjs"),
            tier,
            taker ?? tier,
          ],
          { encoding: "utf8" },
        );
        expect(JSON.parse(output)).toEqual({
          tier: taker,
          refused: true,
          changes: ["modified own"],
          own: "changed\n",
          inner: ["file: other\n"],
        });
      },
    );
  });
}

async function rehearsed(world: World, command: string, network: NetworkAccess): Promise<string> {
  const chunks: Buffer[] = [];
  await world.processes.rehearse(
    {
      command,
      cwd: world.workspace,
      env: {},
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      onOutput: (_, chunk) => void chunks.push(Buffer.from(chunk)),
    },
    network,
  );
  return Buffer.concat(chunks).toString("utf8");
}
