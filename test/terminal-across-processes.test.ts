/** One terminal a session, used by one built command after the other, each a process of its own (B8, R2). */
import { spawn as spawnProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
// As it is shipped: the keeper is a part of the build.
import { createEngine } from "../dist/index.js";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { isRunning } from "../src/host/terminal/served/shared-terminal.fixture.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";
import { person } from "./support/person.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";
const bin = join(import.meta.dirname, "../bin/karyi.js");

interface CallResult {
  readonly status: string;
  readonly output: string;
  readonly data?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: Record<string, unknown> };
}

interface LiveTerminal {
  readonly session: string;
  readonly pid: number;
  readonly kept: boolean;
  readonly state: string;
  readonly program?: string;
  readonly cwd: string;
}

async function places(env: Record<string, string> = {}) {
  const workspace = await temporaryDirectory();
  const home = await temporaryDirectory();
  const where = ["--workspace", workspace, "--home", home];
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await karyi([...args, "--json", ...where], { env })).stdout) as T;
  const call = (tool: string, input: object = {}) => json<CallResult>("call", tool, JSON.stringify(input), "--approve", "yes");
  onTestFinished(async () => {
    await json("attach", "--close");
  });
  return {
    workspace,
    home,
    call,
    json,
    run: (command: string) => call("Terminal", { command }),
    live: async () => (await json<{ terminals: LiveTerminal[] }>("attach", "--list")).terminals,
    at: (...args: string[]) => person([...args, ...where], env),
    /** A program that Bash runs tries to type into the terminal; answers what it heard. */
    intrude: async () => {
      await writeFile(join(workspace, "intrude.cjs"), intruder);
      const socket = readdirSync(join(home, "run")).find((name) => name.endsWith(".sock")) ?? "";
      const { output } = await call("Bash", { command: `node intrude.cjs '${join(home, "run", socket)}'` });
      return JSON.parse(output.split("\n")[0] ?? "") as unknown;
    },
  };
}

/** Says hello without a token, types, and tells what it heard. */
const intruder = `
const socket = require("node:net").createConnection(process.argv[2]);
const frame = (type, text) => Buffer.concat([Buffer.from([type.charCodeAt(0), 0, 0, 0, text.length]), Buffer.from(text)]);
let heard = "";
socket.on("error", ({ code }) => console.log(JSON.stringify(code)));
socket.on("data", (bytes) => { heard += bytes.subarray(5); });
socket.on("end", () => console.log(heard));
socket.write(frame("h", JSON.stringify({ version: 1, purpose: "watch" })));
socket.write(frame("i", "echo intruded\\r"));
`;

describe("the terminal of a session, from one command to the next", () => {
  test("a question is answered by another process", async () => {
    const { run, call } = await places();
    expect(await run("read -p 'name: ' x; echo hi $x")).toMatchObject({ status: "ok", data: { input_required: { kind: "input" } } });
    expect(await call("TerminalInput", { text: "bob\\n" })).toMatchObject({
      status: "ok",
      output: "bob\nhi bob",
      data: { exit_code: 0 },
    });
  });

  test("text and keys reach the program while the call that started it still waits, from another process too", async () => {
    const { run, call, live, workspace } = await places();
    // It polls its input, so that it never looks like one that waits for somebody to type.
    await writeFile(
      join(workspace, "polls.sh"),
      "until read -t 0; do :; done; read word; echo got $word; touch heard; while :; do :; done\n",
    );
    const waiting = run("bash polls.sh");
    await expect.poll(live, { timeout: 20_000 }).toMatchObject([{ state: "running" }]);
    expect(await call("TerminalInput", { text: "bob\\n" })).toMatchObject({ status: "ok", data: { running: true } });
    await expect.poll(() => readdirSync(workspace), { timeout: 20_000 }).toContain("heard");
    expect(await call("Terminal", { command: "true" })).toMatchObject({ error: { code: "tool_conflict" } });
    expect(await call("TerminalKey", { key: "c" })).toMatchObject({ status: "ok" });
    expect(await waiting).toMatchObject({ output: expect.stringContaining("got bob"), data: { exit_code: 130 } });
  });

  test("in one process, too, a key reaches the program of a call that still waits", async () => {
    const { workspace, home } = await places();
    const { engine } = await testEngine({ workspace, home });
    const session = await engine.openSession();
    const waiting = session.call("Terminal", { command: "touch begun; while :; do :; done" });
    await expect.poll(() => readdirSync(workspace), { timeout: 20_000 }).toContain("begun");
    expect(await session.call("TerminalKey", { key: "c" })).toMatchObject({ status: "ok", data: { exit_code: 130 } });
    expect(await waiting).toMatchObject({ data: { exit_code: 130 } });
  });

  test("directory, variables and functions live on across processes, and Bash follows directory and exports", async () => {
    const { run, call, workspace } = await places();
    await run("mkdir sub && cd sub");
    await run('export SAID=exported; kept=unexported; greet() { echo "hello $1"; }');
    expect(await run("pwd; echo $SAID $kept; greet you")).toMatchObject({
      output: `${join(workspace, "sub")}\nexported unexported\nhello you`,
    });
    expect(await call("Bash", { command: "pwd; echo $SAID" })).toMatchObject({
      output: expect.stringContaining(`${join(workspace, "sub")}\nexported`),
    });
  });

  test("a pager and an editor wait for the next process: its keys reach them, its screen shows them", async () => {
    const { run, call, workspace, live } = await places({ LESS: "" });
    await writeFile(join(workspace, "long.txt"), Array.from({ length: 200 }, (_, index) => `line ${index + 1}\n`).join(""));
    expect(await run("less long.txt")).toMatchObject({ data: { waiting: "pager" } });
    expect(await call("TerminalScreen")).toMatchObject({ output: expect.stringContaining("line 1\n"), data: { waiting: "pager" } });
    expect(await live()).toMatchObject([{ state: "waiting", program: "less", cwd: workspace, kept: true }]);
    expect(await call("TerminalInput", { text: "G" })).toMatchObject({ output: expect.stringContaining("line 200\n") });
    expect(await call("TerminalInput", { text: "q" })).toMatchObject({ data: { exit_code: 0 } });
    expect(await run("vi new.txt")).toMatchObject({ data: { waiting: "editor" } });
    await call("TerminalInput", { text: "ityped from elsewhere" });
    expect(await call("TerminalScreen")).toMatchObject({ output: expect.stringContaining("typed from elsewhere") });
    await call("TerminalKey", { key: "escape" });
    expect(await call("TerminalInput", { text: ":wq\\n" })).toMatchObject({ data: { exit_code: 0 } });
    expect(await readFile(join(workspace, "new.txt"), "utf8")).toBe("typed from elsewhere\n");
    expect(await run("cat")).toMatchObject({ data: { waiting: "input" } });
    expect(await call("TerminalKey", { key: "c" })).toMatchObject({ data: { exit_code: 130 } });
  });

  test("a person attaches, sees it and types; the next call says that a person took over", async () => {
    const { run, at } = await places();
    await run("echo before-the-person");
    const ada = at("attach");
    await ada.sees("before-the-person");
    ada.type("cd /; typed=$((40+2)); echo typed-$typed\r");
    await ada.sees("typed-42");
    ada.type("\x1d");
    expect(await ada.ended).toBe(0);
    expect(await run("pwd; echo $typed")).toMatchObject({ output: expect.stringMatching(/^\/\n42\n/), data: { taken_over: true } });
    expect((await run("true")).data).not.toHaveProperty("taken_over");
  });

  test("a password is asked from the person whose command met it, and is nowhere afterwards", async () => {
    const { at, call, home } = await places();
    const secret = ["open", "sesame", "4711"].join("-");
    const ada = at(
      "call",
      "Terminal",
      JSON.stringify({ command: "read -s -p 'Password: ' word; echo; echo \"<$word>\" ${#word}" }),
      "--approve",
      "yes",
    );
    await ada.sees("A program in the terminal asks: Password:");
    ada.type(`${secret}\r`);
    await ada.sees(`<[hidden]> ${secret.length}`);
    expect(await ada.ended).toBe(0);
    expect((await call("TerminalScreen")).output).toContain("<[hidden]>");
    const kept = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    for (const entry of kept) expect((await readFile(join(entry.parentPath, entry.name))).includes(secret), entry.name).toBe(false);
  });

  test("the value of a secure variable reaches the command, and neither its output nor the keeper's environment", async () => {
    const value = ["plain", "words", "of", "a", "secret"].join("+");
    const { run, json, live } = await places({ SOURCE: value, KARYI_TEST_TOKEN: value });
    await json("var", "set", "WORD", "--from-env", "SOURCE");
    expect(await run('word="$KARYI{WORD}"; echo ${#word} $word; env | grep -c KARYI_TEST')).toMatchObject({
      data: { output: `${value.length} [hidden]\n0` },
    });
    const [{ pid } = { pid: 0 }] = await live();
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain(value);
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(value);
  });

  test("a keeper that was killed is replaced, and the next call says that the terminal was restarted where it was", async () => {
    const { run, live, workspace } = await places();
    await run("mkdir sub && cd sub && export SAID=exported");
    const [{ pid } = { pid: 0 }] = await live();
    process.kill(pid, "SIGKILL");
    expect(await live()).toEqual([]);
    expect(await run("pwd; echo $SAID")).toMatchObject({
      output: expect.stringMatching(/^.*\/sub\nexported\n\[The shell ended; a new one was started/),
      data: { restarted: true, cwd: join(workspace, "sub") },
    });
    expect((await run("true")).data).not.toHaveProperty("restarted");
  });

  test("what a command was given to hold open is closed when it ends, though its terminal lives on", async () => {
    const { workspace, home, live } = await places();
    const args = ["call", "Terminal", '{"command":"true"}', "--approve", "yes", "--workspace", workspace, "--home", home];
    // A number that Node does not take for one of its own.
    const held = 40;
    const command = spawnProcess(process.execPath, [bin, ...args], {
      stdio: Array.from({ length: held + 1 }, (_, fd) => (fd === held ? "pipe" : "ignore")),
    });
    const handedOn = command.stdio[held as 0] as unknown as Readable;
    handedOn.resume();
    await Promise.all([once(command, "exit"), once(handedOn, "close")]);
    expect(await live()).toHaveLength(1);
  });

  test("commands that start at once share one terminal", async () => {
    const { run, live, home } = await places();
    const results = await Promise.all(["a", "b", "c", "d"].map((name) => run(`echo ${name} >> began; ${name}=1`)));
    for (const { status, error } of results) if (status !== "ok") expect(error).toMatchObject({ code: "tool_conflict" });
    expect(results.map(({ status }) => status)).toContain("ok");
    expect(await live()).toHaveLength(1);
    expect(readdirSync(join(home, "run")).sort()).toEqual([expect.stringMatching(/^[0-9a-f]{16}\.sock$/), "token"]);
  });

  test("a terminal that is closed, or whose home is removed, leaves no process and no file", async () => {
    for (const way of ["closed", "removed"]) {
      const { run, json, live, home } = await places();
      const pids = (await run("sleep 1000 & echo $$ $! $PPID")).output.split("\n").at(-1)?.split(" ").map(Number) ?? [];
      expect(pids.map(isRunning), way).toEqual([true, true, true]);
      if (way === "closed") expect(await json("attach", "--close")).toEqual({ closed: true });
      else await rm(home, { recursive: true, force: true });
      await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([]);
      if (way === "closed") expect(readdirSync(join(home, "run"))).toEqual(["token"]);
      expect(await live()).toEqual([]);
      expect(await json("attach", "--close")).toEqual({ closed: false });
    }
  });

  test.skipIf(!holds)(`a program that Bash runs captured does not see the socket${why}`, async () => {
    const { run, intrude } = await places();
    await run("true");
    // The socket's directory is empty there, or nothing outside may be connected to.
    expect(["ENOENT", "EACCES"]).toContain(await intrude());
  });

  test("a program that Bash runs without capture gets nowhere without the token", async () => {
    const { run, call, json, intrude } = await places();
    await run("true");
    await json("config", "set", "sandbox", '{"capture":"off"}');
    expect(await intrude()).toMatchObject({ refused: "token" });
    expect((await call("TerminalScreen")).output).not.toContain("intruded");
  });

  test("a terminal that a library process holds is used by the command, and ends with that process", async () => {
    const { run, live, workspace, home } = await places();
    const { engine } = await testEngine({ workspace, home });
    const session = await engine.openSession();
    expect(await session.call("Terminal", { command: "held=here" })).toMatchObject({ status: "ok" });
    expect(await run("echo $held")).toMatchObject({ output: "here" });
    expect(await live()).toMatchObject([{ pid: process.pid, kept: false, state: "idle" }]);
    await engine.close();
    expect(await live()).toEqual([]);
    expect(await run("echo ${held:-gone}")).toMatchObject({ output: "gone" });
  });

  test("an engine of the library can leave its terminal to a process of its own, too", async () => {
    const { run, live, workspace, home } = await places();
    const engine = await createEngine({ workspace, home, terminal: "kept", approve: async () => "once" });
    onTestFinished(() => engine.close());
    const session = await engine.openSession();
    expect(await session.call("Terminal", { command: "left=here" })).toMatchObject({ status: "ok" });
    await engine.close();
    expect(await live()).toMatchObject([{ kept: true, state: "idle" }]);
    expect(await run("echo $left")).toMatchObject({ output: "here" });
  });

  test("looking at the screen starts no terminal", async () => {
    const { call, live } = await places();
    expect(await call("TerminalScreen")).toMatchObject({
      status: "ok",
      output: expect.stringContaining("(empty screen)"),
      data: { state: "absent" },
    });
    expect(await live()).toEqual([]);
  });
});
