/** `POST /agent/process` (H1), against a real server: the four tools, their codes, and the boundaries of S4. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readEvents, startGateway, type TestGateway } from "./support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ enableShell: true, config: { permissions: { deny: ["Read(closed/**)"] } } });
  await writeFile(join(gateway.workspace, "a.txt"), "hello\n");
  await mkdir(join(gateway.workspace, "sub"));
});

afterAll(() => gateway.close());

const request = (tool: unknown, more: object = {}) => ({
  input: [{ role: "user", type: "message", content: [{ type: "text", text: "please" }] }],
  session_id: "s1",
  user_id: "u1",
  channel: "console",
  stream: false,
  biz_params: { tool },
  ...more,
});
const call = (name: string, input: unknown, more?: object) => gateway.request("POST", "/agent/process", request({ name, input }, more));
const inWorkspace = (name: string) => join(gateway.workspace, name);
const codeOf = async (answer: ReturnType<typeof call>) => {
  const { status, body } = await answer;
  return `${status} ${body?.error?.code}`;
};

describe("read_file", () => {
  test("answers content, size and text, with the events of the call", async () => {
    const { status, body } = await call("read_file", { path: "a.txt" });
    expect(status).toBe(200);
    expect(body.tool_result).toEqual({ ok: true, path: "a.txt", size: 6, truncated: false, content: "hello\n", text: "hello\n" });
    expect(body.reply).toBe("hello\n");
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(["tool_call", "tool_result"]);
    expect(body.events[0]).toMatchObject({ session_id: "s1", tool: "Read" });
  });

  test("takes absolute paths inside the roots", async () => {
    const path = inWorkspace("a.txt");
    expect((await call("read_file", { path })).body.tool_result).toMatchObject({ ok: true, path, content: "hello\n" });
  });

  test("gives the first 64 KiB, never half a character, and the whole size", async () => {
    await writeFile(inWorkspace("long.txt"), `x${"中".repeat(30_000)}`);
    const { tool_result: result } = (await call("read_file", { path: "long.txt" })).body;
    expect(result).toMatchObject({ ok: true, size: 90_001, truncated: true });
    expect(result.content).toBe(`x${"中".repeat(Math.floor((65_536 - 1) / 3))}`);
    expect(result.text).toBe(result.content);
  });

  test("reads an empty file", async () => {
    await writeFile(inWorkspace("empty.txt"), "");
    expect((await call("read_file", { path: "empty.txt" })).body.tool_result).toMatchObject({ ok: true, size: 0, content: "" });
  });

  test("refuses what is not text, a directory, and what is not there", async () => {
    await writeFile(inWorkspace("image.bin"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1]));
    await writeFile(inWorkspace("noise.bin"), Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x02, 0x00, 0x80]));
    expect(await codeOf(call("read_file", { path: "image.bin" }))).toBe("400 invalid_tool_input");
    expect(await codeOf(call("read_file", { path: "noise.bin" }))).toBe("400 invalid_tool_input");
    expect(await codeOf(call("read_file", { path: "sub" }))).toBe("400 invalid_tool_input");
    expect(await codeOf(call("read_file", { path: "none.txt" }))).toBe("404 tool_not_found");
  });

  test("a deny rule is 403", async () => {
    await mkdir(inWorkspace("closed"), { recursive: true });
    await writeFile(inWorkspace("closed/x.txt"), "x");
    expect(await codeOf(call("read_file", { path: "closed/x.txt" }))).toBe("403 permission_denied");
  });
});

describe("boundaries", () => {
  test.each(["../a.txt", "sub/../a.txt", "/tmp/../etc/passwd", "sub/.."])("`..` is refused: %s", async (path) => {
    expect(await codeOf(call("read_file", { path }))).toBe("403 tool_forbidden_path");
    expect(await codeOf(call("create_file", { path, content: "" }))).toBe("403 tool_forbidden_path");
    expect(await codeOf(call("update_file", { path, content: "" }))).toBe("403 tool_forbidden_path");
    expect(await codeOf(call("shell", { command: "pwd", cwd: path }))).toBe("403 tool_forbidden_path");
  });

  test.each([
    "/bin/ls",
    "/sbin/x",
    "/usr/bin/env",
    "/lib/x",
    "/lib64/x",
    "/etc/hostname",
    "/proc/self/environ",
    "/sys/x",
    "/dev/null",
    "/boot/x",
    "/run/x",
    "/var/run/x",
    "//etc/hostname",
    "/./etc/hostname",
  ])("system directories are refused, for reading too: %s", async (path) => {
    expect(await codeOf(call("read_file", { path }))).toBe("403 tool_forbidden_path");
    expect(await codeOf(call("create_file", { path: `${path}-new`, content: "" }))).toBe("403 tool_forbidden_path");
  });

  test("a path outside the roots is refused for reading too", async () => {
    expect(await codeOf(call("read_file", { path: `${gateway.workspace}-other/x` }))).toBe("403 tool_forbidden_path");
    expect(await codeOf(call("read_file", { path: gateway.home }))).toBe("403 tool_forbidden_path");
    expect(await codeOf(call("read_file", { path: "~/x" }))).toBe("404 tool_not_found");
  });

  test("links are followed first, also of parents that do not hold the file yet", async () => {
    await symlink("/etc/hostname", inWorkspace("link")).catch(() => {});
    await symlink("/etc", inWorkspace("etc-link")).catch(() => {});
    await symlink(gateway.home, inWorkspace("home-link")).catch(() => {});
    for (const path of ["link", "etc-link/hostname", "home-link/x"]) {
      expect(await codeOf(call("read_file", { path }))).toBe("403 tool_forbidden_path");
      expect(await codeOf(call("update_file", { path, content: "x" }))).toBe("403 tool_forbidden_path");
    }
    expect(await codeOf(call("create_file", { path: "etc-link/new", content: "x" }))).toBe("403 tool_forbidden_path");
  });
});

describe("create_file and update_file", () => {
  test("creates once, with parents, and says so", async () => {
    const made = await call("create_file", { path: "deep/new.txt", content: "中文" });
    expect(made.body.tool_result).toEqual({ ok: true, path: "deep/new.txt", size: 6, text: "created deep/new.txt (6 bytes)" });
    expect(await readFile(inWorkspace("deep/new.txt"), "utf8")).toBe("中文");
    expect(await codeOf(call("create_file", { path: "deep/new.txt", content: "again" }))).toBe("409 tool_conflict");
    expect(await readFile(inWorkspace("deep/new.txt"), "utf8")).toBe("中文");
  });

  test("of many at once exactly one creates", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => call("create_file", { path: "race.txt", content: `${index}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  test("overwrites by default, appends on demand, and never creates", async () => {
    await writeFile(inWorkspace("u.txt"), "one");
    const { body } = await call("update_file", { path: "u.txt", content: "two" });
    expect(body.tool_result).toEqual({ ok: true, path: "u.txt", mode: "overwrite", size: 3, text: "updated u.txt with mode=overwrite" });
    const added = await call("update_file", { path: "u.txt", content: " three", mode: "append" });
    expect(added.body.tool_result).toEqual({ ok: true, path: "u.txt", mode: "append", size: 9, text: "updated u.txt with mode=append" });
    expect(await readFile(inWorkspace("u.txt"), "utf8")).toBe("two three");
    expect(await codeOf(call("update_file", { path: "absent.txt", content: "x" }))).toBe("404 tool_not_found");
    expect(await codeOf(call("update_file", { path: "absent.txt", content: "x", mode: "append" }))).toBe("404 tool_not_found");
  });

  test("many appends at once lose nothing, and a placeholder in the file stays text", async () => {
    await writeFile(inWorkspace("log.txt"), "$KARYI{X}\n");
    await Promise.all(
      Array.from({ length: 6 }, (_, index) => call("update_file", { path: "log.txt", content: `${index}\n`, mode: "append" })),
    );
    const lines = (await readFile(inWorkspace("log.txt"), "utf8")).trimEnd().split("\n");
    expect(lines[0]).toBe("$KARYI{X}");
    expect(lines.slice(1).sort()).toEqual(["0", "1", "2", "3", "4", "5"]);
  });
});

describe("shell", () => {
  test("answers exit code and output of both streams", async () => {
    const { body } = await call("shell", { command: "pwd", cwd: "sub" });
    expect(body.tool_result).toEqual({
      ok: true,
      command: "pwd",
      exit_code: 0,
      output: `${inWorkspace("sub")}\n`,
      text: `${inWorkspace("sub")}\n`,
    });
    const both = await call("shell", { command: "echo out; echo err >&2" });
    expect(both.body.tool_result.output).toContain("out");
    expect(both.body.tool_result.output).toContain("err");
  });

  test("begins in the workspace, whatever the command before did", async () => {
    await call("shell", { command: "cd sub" });
    expect((await call("shell", { command: "pwd" })).body.tool_result.output.trim()).toBe(gateway.workspace);
  });

  test("a non-zero exit is an answer", async () => {
    const { status, body } = await call("shell", { command: "echo no; exit 3" });
    expect(status).toBe(200);
    expect(body.tool_result).toMatchObject({ ok: false, exit_code: 3, command: "echo no; exit 3" });
    expect(body.tool_result.output).toContain("no");
  });

  test("writes without asking inside the roots", async () => {
    expect((await call("shell", { command: "echo made > made.txt" })).body.tool_result).toMatchObject({ ok: true });
    expect(await readFile(inWorkspace("made.txt"), "utf8")).toBe("made\n");
  });

  test("paths that its text names obey the boundaries; devices without content do not count", async () => {
    for (const command of [
      "cat /etc/hostname",
      "ls /usr",
      "wc -l < /proc/cpuinfo",
      "x=/etc/passwd; unknown-program $x",
      `cat ${gateway.home}/config.json`,
      "ls '/etc'",
    ]) {
      expect(await codeOf(call("shell", { command }))).toBe("403 tool_forbidden_path");
    }
    expect((await call("shell", { command: "echo gone > /dev/null 2>&1; echo kept" })).body.tool_result).toMatchObject({
      ok: true,
      output: "kept\n",
    });
  });

  test("cwd: missing is 404, a file is 400, outside or a system directory is 403", async () => {
    expect(await codeOf(call("shell", { command: "pwd", cwd: "nowhere" }))).toBe("404 tool_not_found");
    expect(await codeOf(call("shell", { command: "pwd", cwd: "a.txt" }))).toBe("400 invalid_tool_input");
    expect(await codeOf(call("shell", { command: "pwd", cwd: "/etc" }))).toBe("403 tool_forbidden_path");
    expect(await codeOf(call("shell", { command: "pwd", cwd: gateway.home }))).toBe("403 tool_forbidden_path");
  });

  test("its time is limited: over is 504, too much is 400", async () => {
    expect(await codeOf(call("shell", { command: "sleep 30", timeout_seconds: 0.3 }))).toBe("504 timeout");
    expect(await codeOf(call("shell", { command: "pwd", timeout_seconds: 121 }))).toBe("400 invalid_tool_input");
    expect(await codeOf(call("shell", { command: "pwd", timeout_seconds: 0 }))).toBe("400 invalid_tool_input");
  });

  test("is off unless it is turned on", async () => {
    const other = await startGateway();
    try {
      const { status, body } = await other.request("POST", "/agent/process", request({ name: "shell", input: { command: "pwd" } }));
      expect([status, body.error.code]).toEqual([403, "tool_disabled"]);
    } finally {
      await other.close();
    }
  });

  test("ends if the client goes away", async () => {
    const stop = new AbortController();
    const beats = inWorkspace("beats");
    const asked = fetch(`${gateway.url}/agent/process`, {
      method: "POST",
      signal: stop.signal,
      headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
      body: JSON.stringify(
        request(
          { name: "shell", input: { command: `touch beats; trap 'touch ended; exit' TERM; while true; do sleep 0.05; done` } },
          { session_id: "gone" },
        ),
      ),
    });
    const session = await waitFor(async () => {
      const { body } = await gateway.api("GET", "/sessions");
      return body.sessions.find(({ title }: { title: string }) => title.includes("beats"));
    });
    stop.abort();
    await expect(asked).rejects.toThrow();
    const events = await readEvents(gateway, `/api/v1/sessions/${session.id}/events`, (all) => all.at(-1)?.event === "tool_result");
    expect(events.at(-1)?.data).toMatchObject({ tool: "Bash", status: "cancelled" });
    expect(beats).toContain("beats");
  });
});

describe("the request", () => {
  test.each([
    ["no session_id", { session_id: undefined }],
    ["a session_id that is no text", { session_id: 7 }],
    ["no user_id", { user_id: undefined }],
    ["no channel", { channel: null }],
    ["input that is no list", { input: "hello" }],
    ["no input", { input: undefined }],
    ["stream that is no boolean", { stream: "yes" }],
    ["biz_params that is no object", { biz_params: 5 }],
  ])("%s is 400 invalid_request", async (_, more) => {
    expect(await codeOf(call("read_file", { path: "a.txt" }, more))).toBe("400 invalid_request");
  });

  test.each([
    ["no object", "read_file"],
    ["null", null],
    ["a list", []],
    ["no name", { input: {} }],
    ["a name that is no text", { name: 1, input: {} }],
    ["no input", { name: "read_file" }],
    ["input that is a list", { name: "read_file", input: [] }],
    ["no path", { name: "read_file", input: {} }],
    ["an unknown field", { name: "read_file", input: { path: "a.txt", lines: 3 } }],
    ["a wrong mode", { name: "update_file", input: { path: "a.txt", content: "", mode: "replace" } }],
    ["a NUL in the path", { name: "read_file", input: { path: "a\0b" } }],
  ])("a tool with %s is 400 invalid_tool_input", async (_, tool) => {
    expect(await codeOf(gateway.request("POST", "/agent/process", request(tool)))).toBe("400 invalid_tool_input");
  });

  test("an unknown tool is 404, also one that the registry knows", async () => {
    expect(await codeOf(call("Read", { file_path: "a.txt" }))).toBe("404 tool_not_found");
    expect(await codeOf(call("delete_file", { path: "a.txt" }))).toBe("404 tool_not_found");
  });

  test("no JSON is 400, another type 415, another method 405, no token 401", async () => {
    expect(await codeOf(gateway.request("POST", "/agent/process", "{"))).toBe("400 invalid_request");
    expect(await codeOf(gateway.request("POST", "/agent/process", "a=b", { "content-type": "text/plain" }))).toBe(
      "415 unsupported_media_type",
    );
    expect((await gateway.request("GET", "/agent/process")).status).toBe(405);
    expect(await codeOf(gateway.request("POST", "/agent/process", request({}), { authorization: "Bearer wrong" }))).toBe(
      "401 unauthorized",
    );
  });

  test("a body over the limit is 413", async () => {
    const small = await startGateway({ config: { gateway: { maxBodyBytes: 2000 } } });
    try {
      const body = request({ name: "create_file", input: { path: "x", content: "y".repeat(3000) } });
      expect(await codeOf(small.request("POST", "/agent/process", body))).toBe("413 payload_too_large");
      expect(
        (await small.request("POST", "/agent/process", request({ name: "create_file", input: { path: "x", content: "y" } }))).status,
      ).toBe(200);
    } finally {
      await small.close();
    }
  });

  test("with stream, events come one by one and the last is run_end with reply and tool_result", async () => {
    const body = JSON.stringify(request({ name: "read_file", input: { path: "a.txt" } }, { stream: true }));
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    const events = await readEvents(gateway, "/agent/process", () => false, init);
    expect(events.map(({ event }) => event)).toEqual(["tool_call", "tool_result", "run_end"]);
    expect(events.at(-1)?.data).toMatchObject({ reply: "hello\n", tool_result: { ok: true, content: "hello\n" } });
  });

  test("with stream, a failed call is told in the stream", async () => {
    const body = JSON.stringify(request({ name: "read_file", input: { path: "none.txt" } }, { stream: true }));
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    const events = await readEvents(gateway, "/agent/process", () => false, init);
    expect(events.at(-1)).toMatchObject({
      event: "run_end",
      data: { status: "failed", tool_result: { ok: false, error: { code: "tool_not_found" } } },
    });
  });

  test("sessions are told apart by user_id, channel and session_id", async () => {
    for (const more of [
      { session_id: "t1" },
      { session_id: "t1", user_id: "u2" },
      { session_id: "t1", channel: "other" },
      { session_id: "t1" },
    ]) {
      expect((await call("read_file", { path: "a.txt" }, more)).status).toBe(200);
    }
    const { body } = await gateway.api("GET", "/sessions?limit=500");
    const mine = body.sessions.filter(({ channel }: { channel: string }) => channel === "other");
    expect(mine).toHaveLength(1);
  });
});

async function waitFor<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
  }
}
