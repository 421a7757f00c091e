/** Bash through the engine: figures of B1 and B2, judged by effects, nothing left behind. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Result } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";
import { ownProcesses } from "./support/processes.ts";

const data = (result: Result) =>
  result.data as { exit_code: number; stdout: string; stderr: string; duration_ms: number; task_id?: string; cwd: string };

/** Seconds that no other process sleeps for: another run of this suite may go on beside this one. */
const seconds = Math.floor(Math.random() * 1e9) + 1e9;

/** Processes whose command line holds this text. */
function running(text: string): string[] {
  const own = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return own.split("\n").filter((line) => line.includes(text) && !line.includes("ps -eo"));
}

describe("a command", () => {
  it("returns output, exit code, and keeps directory and exported variables from call to call", async () => {
    const { engine, workspace } = await testEngine();
    await mkdir(join(workspace, "sub dir"));
    const session = await engine.openSession();
    const first = await session.call("Bash", {
      command: "cd 'sub dir' && export GREETING=$'hi \"there\"\\n!' && echo out && echo err >&2",
    });
    expect(first.status).toBe("ok");
    expect(data(first)).toMatchObject({ exit_code: 0, stdout: "out\n", stderr: "err\n" });
    expect(first.output).toBe("out\n[stderr] err\n");
    const second = await session.call("Bash", { command: 'pwd; printf %s "$GREETING"' });
    expect(data(second).stdout).toBe(`${join(workspace, "sub dir")}\nhi "there"\n!`);
    expect(session.cwd).toBe(join(workspace, "sub dir"));
  });

  it("does not run elsewhere when its directory was removed, and the next one can run", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    await session.call("Bash", { command: "mkdir -p a/b/c && cd a/b/c" });
    await rm(join(workspace, "a", "b"), { recursive: true });
    for (const more of [{ run_in_background: true }, {}]) {
      const gone = await session.call("Bash", { command: "touch made", ...more });
      expect(gone).toMatchObject({ status: "error", error: { code: "tool_conflict", details: { reason: "cwd_gone" } } });
      expect(session.cwd).toBe(join(workspace, "a"));
      await session.call("Bash", { command: "mkdir b && cd b" });
      await rm(join(workspace, "a", "b"), { recursive: true });
    }
    await session.call("Bash", { command: "pwd" });
    expect(data(await session.call("Bash", { command: "pwd; ls" })).stdout).toBe(`${join(workspace, "a")}\n`);
  });

  it("a non-zero exit is an error with the whole output", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    const result = await session.call("Bash", { command: "echo before; echo why >&2; exit 3" });
    expect(result).toMatchObject({ status: "error", error: { code: "tool_error", details: { reason: "exit_nonzero", exit_code: 3 } } });
    expect(result.output).toContain("before\n[stderr] why");
    expect(data(result)).toMatchObject({ exit_code: 3, stdout: "before\n", stderr: "why\n" });
  });

  it("ended by a signal, captured or not, has the exit code a shell gives, and only its own words", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    for (const command of ["echo mine >&2; kill -9 $$", "touch made; echo mine >&2; kill -9 $$"]) {
      expect(data(await session.call("Bash", { command }))).toMatchObject({ exit_code: 137, stderr: "mine\n" });
    }
  });

  it("no variable it exports keeps the next one from running", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    const large = await session.call("Bash", { command: "export PATH=/nowhere BIG=$(printf %0200000d 1)" });
    expect(large.output).toBe("[too large to carry over to the next command: BIG]");
    const next = await session.call("Bash", { command: 'echo "$PATH ${BIG-none}"; touch made' });
    expect(data(next)).toMatchObject({ stdout: "/nowhere none\n", stderr: "bash: line 1: touch: command not found\n" });
  });

  it("completion is the exit of the command, and no process survives its call", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    const marks = [seconds + 1, seconds + 2, seconds + 3];
    const result = await session.call("Bash", {
      command: `sleep ${marks[0]} & (setsid sleep ${marks[1]} >/dev/null 2>&1 &); (setsid sh -c 'sleep ${marks[2]} & exit' &); echo started`,
    });
    expect(result.status).toBe("ok");
    expect(data(result).stdout).toBe("started\n");
    expect(marks.flatMap((mark) => running(`sleep ${mark}`))).toEqual([]);
  });

  it("at the time limit everything ends, with what was printed so far", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    const result = await session.call("Bash", { command: `echo so far; sleep ${seconds + 4}`, timeout: 300 });
    expect(result).toMatchObject({ status: "error", error: { code: "timeout" } });
    expect(result.output).toContain("so far");
    expect(running(`sleep ${seconds + 4}`)).toEqual([]);
  });

  it("can be cancelled, and a command that reads stdin does not hang", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    const stop = new AbortController();
    const cancelled = await session.call(
      "Bash",
      { command: `echo up; sleep ${seconds + 5}` },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    expect(cancelled).toMatchObject({ status: "cancelled" });
    expect(running(`sleep ${seconds + 5}`)).toEqual([]);
    expect(data(await session.call("Bash", { command: "cat; read x; echo done" })).stdout).toBe("done\n");
  });

  it("bounds its output, counts what was cut, and keeps the whole", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    const result = await session.call("Bash", { command: "seq 1 200000" });
    const whole = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(result.truncated?.total).toBe(whole.length);
    expect(data(result).stdout.length).toBeLessThan(210 * 1024);
    expect(result.output).toContain("1\n2\n3\n");
    expect(result.output).toContain("199999\n200000\n");
    const page = await session.call("ReadOutput", { ref: result.truncated?.ref, offset: 600_000, limit: 100 });
    expect(page.output).toContain(whole.slice(600_000, 600_090));
  });

  it("replaces binary output by a note", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    for (const [bytes, name] of [
      ["\\x7fELF\\x02", "ELF"],
      ["\\x89PNG\\r\\n", "PNG"],
      ["\\xff\\xd8\\xff\\xe0", "JPEG"],
      ["%%PDF-1.7", "PDF"],
      ["GIF89a", "GIF"],
      ["\\x1f\\x8b\\x08", "GZIP"],
      ["PK\\x03\\x04", "ZIP"],
      ["\\x00asm\\x01", "WASM"],
      ["\\xcf\\xfa\\xed\\xfe", "Mach-O 64-bit"],
      ["\\xfe\\xed\\xfa\\xce", "Mach-O 32-bit"],
      ["RIFFaaaaWEBPVP8", "WEBP"],
      ["BMaaaa\\x00\\x00\\x00\\x00", "BMP"],
      ["abc\\x00def", "NUL"],
      ["caf\\xe9 au lait", "UTF-8"],
    ]) {
      const result = await session.call("Bash", { command: `printf '${bytes}'` });
      expect(result.output, name).toContain(name);
      expect(result.output, name).toContain("binary");
    }
    const tar = await session.call("Bash", { command: "printf '%257s' '' | tr ' ' a; printf ustar" });
    expect(tar.output).toContain("TAR");
    expect((await session.call("Bash", { command: "printf 'ü 漢字 🎉'" })).output).toBe("ü 漢字 🎉");
  });

  it("writes through /dev/stdout and /dev/stderr arrive", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    expect(
      data(await session.call("Bash", { command: "echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr" })),
    ).toMatchObject({ stdout: "a\nc\n", stderr: "b\nc\n" });
  });

  it("does not see secrets of the environment", async () => {
    const env = {
      ...process.env,
      ANTHROPIC_API_KEY: "secret-1",
      OPENAI_API_KEY: "secret-2",
      MY_SERVICE_TOKEN: "secret-3",
      DB_PASSWORD: "secret-4",
      HARMLESS: "fine",
    };
    const { engine } = await testEngine({ env });
    const session = await engine.openSession();
    const result = await session.call("Bash", { command: "env" });
    expect(result.output).toContain("HARMLESS=fine");
    expect(result.output).not.toContain("secret-");
  });
});

describe("judged by what it would do", () => {
  it("reading does not ask, writing does, the floor denies", async () => {
    const asked: string[] = [];
    const { engine, workspace } = await testEngine({
      approve: async ({ summary }) => {
        asked.push(summary);
        return "deny";
      },
    });
    await writeFile(join(workspace, "a.txt"), "x\n");
    await writeFile(join(workspace, ".env"), "TOKEN=1\n");
    const session = await engine.openSession();
    const statuses: Record<string, string> = {};
    for (const command of [
      "ls -la | head -5",
      "cat a.txt && wc -l a.txt",
      "touch pwned",
      "cat .env",
      "echo x > pwned",
      "rm -rf /",
      "rm -rf ~",
      "curl http://127.0.0.1/",
      "cat /etc/shadow",
      "echo x >> .git/hooks/pre-commit",
      ":(){ :|:& };:",
    ]) {
      statuses[command] = (await session.call("Bash", { command })).status;
    }
    expect(statuses).toMatchObject({
      "ls -la | head -5": "ok",
      "cat a.txt && wc -l a.txt": "ok",
      "touch pwned": "denied",
      "cat .env": "denied",
      "echo x > pwned": "denied",
      "rm -rf /": "denied",
      "rm -rf ~": "denied",
    });
    expect(asked.some((summary) => summary.includes("touch pwned"))).toBe(true);
    expect(asked.some((summary) => summary.includes("rm -rf"))).toBe(false);
    expect((await readdir(workspace)).sort()).toEqual([".env", "a.txt"]);
  });

  it("a program in the workspace with a known name is not that program", async () => {
    const { engine, workspace } = await testEngine({ approve: async () => "deny" });
    await writeFile(join(workspace, "cat"), "#!/bin/sh\ntouch pwned\n", { mode: 0o755 });
    const session = await engine.openSession();
    expect((await session.call("Bash", { command: "./cat a.txt" })).status).toBe("denied");
    expect((await session.call("Bash", { command: "PATH=.:$PATH cat a.txt" })).status).toBe("denied");
    expect(await readdir(workspace)).toEqual(["cat"]);
  });
});

describe("in the background", () => {
  it("returns a task at once; it can be read, waited for and stopped, and the next result tells of its end", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    const started = await session.call("Bash", {
      command: "echo one; read -t 0.2 x < <(sleep 9); echo two; exit 5",
      run_in_background: true,
    });
    const id = data(started).task_id ?? "";
    expect(id).toBe("bg_task_1");
    let text = "";
    let offset = 0;
    for (let status = "in_progress"; status === "in_progress"; ) {
      const page = (await session.call("TaskOutput", { id, offset, wait_ms: 5_000 })).data as {
        text: string;
        next: number;
        status: string;
      };
      text += page.text;
      offset = page.next;
      status = page.status;
    }
    expect(text).toBe("one\ntwo\n");
    const list = await session.call("TaskList", {});
    expect(list.output).toContain("bg_task_1 [failed, exit code 5]");
    const long = data(await session.call("Bash", { command: `sleep ${seconds + 6}`, run_in_background: true })).task_id ?? "";
    expect(long).toBe("bg_task_2");
    expect((await session.call("TaskStop", { id: long })).data).toMatchObject({ status: "cancelled" });
    expect(running(`sleep ${seconds + 6}`)).toEqual([]);
    expect((await session.call("TaskList", {})).output).toContain("ended");
  });

  it("dies with the engine and is lost after a crash; its time limit holds, and is said to have ended it", async () => {
    const { engine, workspace, home } = await testEngine();
    const session = await engine.openSession();
    await session.call("Bash", { command: `sleep ${seconds + 7}`, run_in_background: true });
    const limited =
      data(await session.call("Bash", { command: `sleep ${seconds + 8}`, run_in_background: true, timeout: 100 })).task_id ?? "";
    let told = "";
    let page = { status: "in_progress", next: 0 };
    while (page.status === "in_progress") {
      const result = await session.call("TaskOutput", { id: limited, offset: page.next, wait_ms: 20_000 });
      page = result.data as typeof page;
      told += result.output;
    }
    expect(page).toMatchObject({ status: "failed", exit_code: 143, timed_out: true });
    told += (await session.call("TaskList", {})).output;
    expect(told).toContain("bg_task_2 [failed, ended by its time limit, exit code 143]");
    expect(told).toContain("[bg_task_2 ended by its time limit with exit code 143 (failed); ");
    await engine.close();
    expect(running(`sleep ${seconds + 7}`)).toEqual([]);
    const again = await testEngine({ workspace, home });
    expect((await (await again.engine.openSession()).call("TaskList", {})).output).toContain("bg_task_1 [cancelled");
  });

  it("a foreground command over its budget goes on as a task, and the result says so", async () => {
    const { engine } = await testEngine({ config: { foregroundBudgetMs: 300 } });
    const session = await engine.openSession();
    const result = await session.call("Bash", { command: "echo early; echo oh >&2; sleep 1; echo late; echo no >&2" });
    expect(result.output).toContain("moved to the background as bg_task_1");
    let page = (await session.call("TaskOutput", { id: "bg_task_1", wait_ms: 5_000 })).data as { text: string; status: string };
    while (page.status === "in_progress")
      page = (await session.call("TaskOutput", { id: "bg_task_1", offset: 0, wait_ms: 5_000 })).data as { text: string; status: string };
    page = (await session.call("TaskOutput", { id: "bg_task_1" })).data as { text: string; status: string };
    // The two streams come by two pipes: which is read first is not said.
    expect(page.text.split("\n").sort()).toEqual(["", "[stderr] no", "[stderr] oh", "early", "late"]);
  });
});

describe("load", () => {
  it("many calls in a row leave no process and no descriptor behind", async () => {
    const { engine } = await testEngine();
    const session = await engine.openSession();
    await session.call("Bash", { command: "true" });
    const before = (await readdir("/proc/self/fd")).length;
    const processes = (await ownProcesses()).length;
    const rounds = process.env.KARYI_FULL === "1" ? 1000 : 60;
    for (let round = 0; round < rounds; round++) expect((await session.call("Bash", { command: "true" })).status).toBe("ok");
    expect((await readdir("/proc/self/fd")).length).toBeLessThanOrEqual(before + 3);
    await expect.poll(async () => (await ownProcesses()).length, { timeout: 20_000 }).toBeLessThanOrEqual(processes);
  });

  it("many background commands at once all end", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    const count = process.env.KARYI_FULL === "1" ? 200 : 30;
    for (let index = 0; index < count; index++) await session.call("Bash", { command: `echo ${index}`, run_in_background: true });
    for (let index = 1; index <= count; index++) {
      let page = (await session.call("TaskOutput", { id: `bg_task_${index}`, wait_ms: 10_000 })).data as {
        status: string;
        text: string;
        next: number;
      };
      while (page.status === "in_progress")
        page = (await session.call("TaskOutput", { id: `bg_task_${index}`, offset: page.next, wait_ms: 10_000 })).data as typeof page;
      expect(page.status).toBe("done");
    }
    expect(await readdir(workspace)).toEqual([]);
    expect(await readFile("/proc/self/status", "utf8")).toContain("Threads");
  });
});
