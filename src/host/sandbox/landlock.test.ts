import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ordinaryUser } from "../../../test/support/ordinary-user.ts";
import type { NetworkAccess } from "../../contract/index.ts";
import { ProcessRoom } from "../processes/create-processes.ts";
import { landlockFindings } from "./fixtures/landlock.ts";
import { makeWorld, type World, type WorldOptions } from "./fixtures/world.ts";

const register = resolve(import.meta.dirname, "../../../test/support/ts-register.mjs");
const isRoot = process.getuid?.() === 0;

const holds = await (async () => {
  const world = makeWorld({ seed: "" });
  const report = await world.sandbox.tierReport();
  world.close();
  return report.some(({ tier, holds }) => tier === "E4" && holds);
})();
const why = holds
  ? isRoot
    ? ""
    : " (skipped: needs root to make a place outside the temporary directories)"
  : " (skipped: tier E4 does not hold here)";

function outOfTheWay(): string {
  const place = mkdtempSync("/var/lib/karyi-test-");
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

function open(options: WorldOptions): World {
  const world = makeWorld({ only: ["E4"], seed: "", ...options });
  onTestFinished(() => world.close());
  return world;
}

const confined = {
  tier: "E4",
  containment: "group",
  undo: { kind: "snapshot" },
  exitCode: 0,
  printed: ["notes", "seen", "to stderr", "told"],
  changed: true,
  undone: true,
  outside: { file: "before", new: false, moved: false },
  survivors: [],
  rehearsal: "tool_disabled",
};

describe.skipIf(!holds || !isRoot)(`a command confined by Landlock${why}`, () => {
  it("writes in the workspace alone, reads no secret, leaves nobody behind and is undone, as root", async () => {
    expect(await landlockFindings(outOfTheWay())).toEqual(confined);
  });

  const ordinary = `writes in the workspace alone, reads no secret, leaves nobody behind and is undone, as an ordinary user${ordinaryUser.why}`;
  it.skipIf(!ordinaryUser.holds)(ordinary, () => {
    const place = outOfTheWay();
    chownSync(place, 65534, 65534);
    const output = execFileSync(
      "setpriv",
      [
        ...["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, "--import", register],
        ...[join(import.meta.dirname, "fixtures/as-user.child.mjs"), "landlock", place],
      ],
      { env: { PATH: process.env.PATH, HOME: "/nonexistent", KARYI_TEST_PLACE: place }, encoding: "utf8" },
    );
    expect(JSON.parse(output)).toEqual(confined);
  });

  it("a secret within a root cannot be left out: then it is not confined, and says so", async () => {
    const place = outOfTheWay();
    const world = open({ place, userHome: place, seed: "mkdir ../.ssh" });
    const around = world.room.processes({ start: () => expect.unreachable() } as never, undefined, [place]);
    const outcome = await around.run({
      command: "true",
      cwd: place,
      env: {},
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      callId: "call",
      onOutput: () => {},
    });
    expect(outcome.tier).toBe("E5");
  });

  it("that only reads changes nothing, not even a mode or a time, and its shell says where it ended", async () => {
    const place = outOfTheWay();
    // What its shell begins with has no name any more: without a rule of its own nothing of the shell's end would be heard.
    const { sandbox, workspace } = open({ place, seed: "echo one > a; chmod 600 a; touch -d @1000000000 a" });
    const room = new ProcessRoom({ PATH: process.env.PATH }, { sandbox });
    onTestFinished(() => room.close());
    let text = "";
    const { tier, cwd } = await room.run(
      {
        command: "chmod 777 a; touch -d @5 a; chown 1:1 a; echo two > a; touch b; cd /usr; sort <<< last",
        ...{ cwd: workspace, env: {}, timeoutMs: 30_000, signal: new AbortController().signal, purpose: "read" },
        onOutput: (_, chunk) => {
          text += Buffer.from(chunk).toString();
        },
      },
      [workspace],
    );
    const { mode, mtimeMs, uid } = statSync(join(workspace, "a"));
    expect([tier, cwd, text.includes("last"), text.includes("/dev/fd/")]).toEqual(["E4", "/usr", true, false]);
    expect([mode & 0o777, mtimeMs, uid]).toEqual([0o600, 1_000_000_000_000, process.getuid?.()]);
    expect([readFileSync(join(workspace, "a"), "utf8"), existsSync(join(workspace, "b"))]).toEqual(["one\n", false]);
  });

  it("has the session's folder for temporary files, which another command of the session finds again", async () => {
    const place = outOfTheWay();
    const { sandbox, workspace, home } = open({ place });
    const room = new ProcessRoom({ PATH: process.env.PATH }, { sandbox, session: "mine" });
    onTestFinished(() => room.close());
    const run = async (command: string, more: object) => {
      let text = "";
      const onOutput = (_: string, chunk: Uint8Array) => {
        text += Buffer.from(chunk).toString();
      };
      const signal = new AbortController().signal;
      const { env } = await room.run({ command, cwd: workspace, env: {}, timeoutMs: 30_000, signal, onOutput, ...more }, [workspace]);
      expect(env ?? {}).toEqual({});
      return text;
    };
    const folder = await run('echo kept > "$TMPDIR/f"; echo "$TMPDIR"', { callId: "call" });
    expect(folder.startsWith(join(home, "temporary/"))).toBe(true);
    expect(await run('cat "$TMPDIR/f"', { purpose: "read" })).toBe("kept\n");
  });

  it("without a network reaches neither the machine's services nor a socket in the file system, and the loopback alone is refused", async () => {
    const place = outOfTheWay();
    const server = createServer((socket) => socket.end("reached"));
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { sandbox, workspace } = open({ place });
    const ask = async (network: NetworkAccess) => {
      const room = new ProcessRoom(process.env, { sandbox, network });
      onTestFinished(() => room.close());
      let text = "";
      await room.run(
        {
          command: `cat </dev/tcp/127.0.0.1/${port}; perl -MSocket -e 'print " $_->[0]" x !!socket(my $s, $_->[1], $_->[2], 0) for ["unix", AF_UNIX, SOCK_STREAM], ["udp", AF_INET, SOCK_DGRAM]'`,
          cwd: workspace,
          env: {},
          timeoutMs: 30_000,
          signal: new AbortController().signal,
          callId: "call",
          onOutput: (stream, chunk) => {
            if (stream === "stdout") text += Buffer.from(chunk).toString();
          },
        },
        [workspace],
      );
      return text;
    };
    expect([await ask("none"), await ask("on")]).toEqual(["", "reached unix udp"]);
    await expect(ask("loopback")).rejects.toMatchObject({ code: "tool_disabled" });
  });
});
