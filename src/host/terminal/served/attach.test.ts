import { chmod, chown, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { personRunning } from "../../../../test/support/person.ts";
import { attachTerminal } from "../index.ts";
import { encodeFrame, encodeJson, FrameReader, protocolVersion } from "./attach-protocol.ts";
import { serveTerminal } from "./attach-server.ts";
import { sharedTerminal } from "./shared-terminal.fixture.ts";

const child = fileURLToPath(new URL("./attach.child.ts", import.meta.url));
const register = join(import.meta.dirname, "../../../../test/support/ts-register.mjs");

const serving = { kept: false, onCloseAsked: () => {} };

async function served(caller: Parameters<typeof sharedTerminal>[0] = {}) {
  const test = await sharedTerminal(caller);
  const server = await serveTerminal(test.shared, join(test.cwd, "run", "t.sock"), serving);
  onTestFinished(() => server.end());
  return { ...test, path: server.path };
}

/** A person at a terminal of their own, in a process of their own. */
const person = (path: string) => personRunning(["--import", register, child, path]);

describe("attach", () => {
  test("a person in another process sees the screen, types, and leaves with Ctrl-]; the agent is told", async () => {
    const { run, terminal, path } = await served();
    await run("echo before-the-person");
    const ada = person(path);
    await ada.sees("before-the-person");
    ada.type("echo typed-by-$((40+2))\r");
    await ada.sees("typed-by-42");
    ada.type("stty size\r");
    await ada.sees("30 100");
    ada.type("\x1d");
    await ada.sees("ended: detached");
    await ada.ended;
    // The size was printed before the shell came back to its prompt.
    await expect.poll(async () => (await terminal.peek()).state).toBe("idle");
    expect(await run("echo after")).toMatchObject({ output: "after\n", takenOver: true });
    expect(await run("echo again")).not.toHaveProperty("takenOver");
    expect(await terminal.peek()).toMatchObject({ state: "idle" });
  });

  test("a person answers a password prompt the agent ran into; it is hidden afterwards", async () => {
    const { run, terminal, path } = await served();
    expect(await run("read -s -p 'Password: ' word; echo; echo \"<$word>\"")).toMatchObject({ waiting: "password" });
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    let seen = "";
    const visit = attachTerminal(path, stdin, stdout);
    const sees = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => seen.includes(text) && resolve();
        stdout.on("data", look);
        look();
      });
    stdout.on("data", (chunk) => {
      seen += chunk;
    });
    await sees("Password:");
    const secret = ["open", "sesame"].join("-");
    stdin.write(`${secret}\r`);
    await sees(`<${secret}>`);
    stdin.write("\x1d");
    expect(await visit).toBe("detached");
    expect((await terminal.screen()).lines.join("\n")).toContain("<[hidden]>");
  });

  test("a notice stands over the painted screen until the first key", async () => {
    const { run, path } = await served();
    await run("echo before-the-person");
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    let seen = "";
    let look = () => {};
    stdout.on("data", (chunk) => {
      seen += chunk;
      look();
    });
    const sees = (text: string) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (seen.includes(text)) resolve();
        };
        look();
      });
    const visit = attachTerminal(path, stdin, stdout, "a key leaves");
    await sees("\x1b7\x1b[1;1H\x1b[7m a key leaves \x1b[m\x1b8");
    expect(seen.indexOf("before-the-person")).toBeLessThan(seen.lastIndexOf("a key leaves"));
    expect(seen).toMatch(/ a key leaves \S+$/);
    seen = "";
    stdin.write("echo typed-by-$((40+2))\r");
    await sees("typed-by-42");
    expect(seen).not.toContain("a key leaves");
    stdin.write("\x1d");
    expect(await visit).toBe("detached");
  });

  test("the socket is for its owner only", async () => {
    const { path, cwd, shared } = await served();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(cwd, "run"))).mode & 0o777).toBe(0o700);
    await mkdir(join(cwd, "open"));
    await chmod(join(cwd, "open"), 0o755);
    await expect(serveTerminal(shared, join(cwd, "open", "t.sock"), serving)).rejects.toMatchObject({
      details: { reason: "open_directory" },
    });
  });

  test.skipIf(process.getuid?.() !== 0)("a place of another user is not used (skipped: only root can make one)", async () => {
    const { cwd, shared } = await sharedTerminal();
    await mkdir(join(cwd, "foreign"), { mode: 0o700 });
    await chown(join(cwd, "foreign"), 65_534, 65_534);
    await expect(serveTerminal(shared, join(cwd, "foreign", "t.sock"), serving)).rejects.toMatchObject({
      details: { reason: "foreign_directory" },
    });
  });

  test("a live socket is left alone, one of a dead process is replaced", async () => {
    const { path, cwd, shared } = await served();
    await expect(serveTerminal(shared, path, serving)).rejects.toMatchObject({ details: { reason: "already_served" } });
    const stale = join(cwd, "run", "stale.sock");
    await writeFile(stale, "");
    const again = await serveTerminal(shared, stale, serving);
    await again.end();
  });

  test("without the home's token, or in another version, nobody gets past the hello", async () => {
    const { path, run, terminal, cwd } = await served();
    await run("true");
    const token = await readFile(join(cwd, "run", "token"), "utf8");
    const said = (hello: object) =>
      new Promise<unknown>((resolve) => {
        const reader = new FrameReader();
        const heard: unknown[] = [];
        const socket = createConnection(path);
        socket.on("data", (chunk) => reader.push(chunk, (type, payload) => heard.push(type, JSON.parse(String(payload)))));
        socket.on("close", () => resolve(heard));
        socket.write(Buffer.concat([encodeJson("hello", hello), encodeFrame("input", Buffer.from("echo typed\n"))]));
      });
    const who = { version: protocolVersion, pid: process.pid, kept: false };
    expect(await said({ version: protocolVersion, purpose: "watch" })).toEqual(["welcome", { ...who, refused: "token" }]);
    expect(await said({ version: protocolVersion, token: "0".repeat(64), purpose: "watch" })).toEqual([
      "welcome",
      { ...who, refused: "token" },
    ]);
    expect(await said({ version: 0, token, purpose: "watch" })).toEqual(["welcome", { ...who, refused: "version" }]);
    expect((await terminal.screen()).lines.join("\n")).not.toContain("typed");
  });

  test("a slow watcher misses output and is painted anew; it never holds the terminal up", async () => {
    const { path, run, cwd } = await served();
    await run("true");
    const token = await readFile(join(cwd, "run", "token"), "utf8");
    const socket = createConnection(path);
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(encodeJson("hello", { version: protocolVersion, token, purpose: "watch" }));
    expect(await run("head -c 12000000 /dev/zero | tr '\\0' x | fold -w 4000; echo; echo the-last-line")).toMatchObject({ exitCode: 0 });
    const reader = new FrameReader();
    reader.trust();
    let bytes = 0;
    let text = "";
    await new Promise<void>((resolve) => {
      socket.on("data", (chunk) =>
        reader.push(chunk, (_, payload) => {
          bytes += payload.length;
          text = (text + payload.toString("latin1")).slice(-10_000);
          if (text.includes("the-last-line")) resolve();
        }),
      );
      socket.resume();
    });
    expect(bytes).toBeLessThan(12_000_000);
  });

  test("bytes that are not the protocol end the connection, and only that", async () => {
    const { path, run } = await served();
    await run("true");
    const socket = createConnection(path);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.resume();
    socket.write("GET / HTTP/1.1\r\n\r\n");
    await closed;
    expect(await run("echo fine")).toMatchObject({ output: "fine\n" });
  });

  test("nobody there is an error that says so; a terminal that closes ends the visit", async () => {
    const { shared, cwd } = await sharedTerminal();
    await expect(attachTerminal(join(cwd, "run", "none.sock"), new PassThrough(), new PassThrough())).rejects.toMatchObject({
      details: { reason: "no_terminal" },
    });
    const server = await serveTerminal(shared, join(cwd, "run", "t.sock"), serving);
    const stdout = new PassThrough();
    const visit = attachTerminal(server.path, new PassThrough(), stdout);
    await new Promise((resolve) => stdout.once("data", resolve));
    await server.end();
    expect(await visit).toBe("closed");
  });

  test("frames are the same however they are cut", () => {
    const bytes = Buffer.concat([
      encodeFrame("input", Buffer.from("ab")),
      encodeFrame("output", Buffer.alloc(0)),
      encodeFrame("size", Buffer.from("cdef")),
    ]);
    for (const step of [1, 2, 3, 7, bytes.length]) {
      const reader = new FrameReader();
      const frames: string[] = [];
      for (let at = 0; at < bytes.length; at += step)
        reader.push(bytes.subarray(at, at + step), (type, payload) => frames.push(`${type}:${payload}`));
      expect(frames).toEqual(["input:ab", "output:", "size:cdef"]);
    }
  });
});
