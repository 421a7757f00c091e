/**
 * The guide of the gateway (S4), case by case against a real server: the four tools with the guide's own inputs and
 * outputs, the six codes, and the boundaries.
 */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "./support/gateway.ts";

let gateway: TestGateway;
let parent: string;
const at = (name: string) => join(gateway.workspace, name);

beforeAll(async () => {
  // In a directory of its own: others may make a file "x" among the temporary ones.
  parent = await realpath(await mkdtemp(join(tmpdir(), "karyi-guide-")));
  const workspace = join(parent, "workspace");
  await mkdir(workspace);
  gateway = await startGateway({ enableShell: true, workspace });
  await mkdir(at("docs"));
  await mkdir(at("apps/gateway"), { recursive: true });
  await mkdir(at("relative"));
  await writeFile(at("docs/contracts.md"), "# 合同\n");
  await writeFile(at("relative/there.txt"), "old");
  await symlink("/etc/hostname", at("to-file"));
  await symlink("/etc", at("to-directory"));
  await symlink("to-directory", at("to-link"));
  await symlink("/etc/no-such-file", at("to-nothing"));
  await symlink(join(gateway.workspace, ".."), at("to-outside"));
  await symlink("docs/contracts.md", at("to-inside"));
  await symlink("round", at("round"));
});

afterAll(async () => {
  await gateway.close();
  await rm(parent, { recursive: true, force: true });
});

/** The request of the guide, with another tool in it. */
const ask = (tool: unknown) =>
  gateway.request("POST", "/agent/process", {
    input: [{ role: "user", type: "message", content: [{ type: "text", text: "请读取 docs/contracts.md" }] }],
    session_id: "s1",
    user_id: "u1",
    channel: "console",
    stream: false,
    biz_params: { tool },
  });
const call = (name: string, input: unknown) => ask({ name, input });
const refusal = async (name: string, input: unknown) => {
  const { status, body, headers } = await call(name, input);
  expect(headers.get("x-request-id")).toMatch(/\S/);
  expect(body).toEqual({
    error: { code: expect.any(String), message: expect.any(String), ...(body.error.details && { details: expect.any(Object) }) },
  });
  return `${status} ${body.error.code}`;
};

describe("outputs, as the guide prints them", () => {
  test.each([
    [
      "read_file",
      { path: "docs/contracts.md" },
      { ok: true, path: "docs/contracts.md", size: 9, truncated: false, content: "# 合同\n", text: "# 合同\n" },
    ],
    [
      "create_file",
      { path: "relative/path.txt", content: "x".repeat(123) },
      { ok: true, path: "relative/path.txt", size: 123, text: "created relative/path.txt (123 bytes)" },
    ],
    [
      "update_file",
      { path: "relative/path.txt", content: "y".repeat(455), mode: "overwrite" },
      { ok: true, path: "relative/path.txt", mode: "overwrite", size: 455, text: "updated relative/path.txt with mode=overwrite" },
    ],
    [
      "update_file",
      { path: "relative/path.txt", content: "z", mode: "append" },
      { ok: true, path: "relative/path.txt", mode: "append", size: 456, text: "updated relative/path.txt with mode=append" },
    ],
    [
      "update_file",
      { path: "relative/path.txt", content: "again" },
      { ok: true, path: "relative/path.txt", mode: "overwrite", size: 5, text: "updated relative/path.txt with mode=overwrite" },
    ],
    ["shell", { command: "true" }, { ok: true, command: "true", exit_code: 0, output: "", text: "" }],
    [
      "shell",
      { command: "basename $PWD", cwd: "apps/gateway", timeout_seconds: 20 },
      { ok: true, command: "basename $PWD", exit_code: 0, output: "gateway\n", text: "gateway\n" },
    ],
    ["shell", { command: "echo a; exit 3" }, { ok: false, command: "echo a; exit 3", exit_code: 3, output: "a\n", text: "a\n" }],
    ["shell", { command: "printf a; false" }, { ok: false, command: "printf a; false", exit_code: 1, output: "a", text: "a" }],
    ["shell", { command: "false" }, { ok: false, command: "false", exit_code: 1, output: "", text: "" }],
    [
      "shell",
      { command: "printf '(no output)'" },
      { ok: true, command: "printf '(no output)'", exit_code: 0, output: "(no output)", text: "(no output)" },
    ],
  ])("%s %j", async (name, input, expected) => {
    const { status, body } = await call(name, input);
    expect({ status, keys: Object.keys(body).sort() }).toEqual({ status: 200, keys: ["events", "reply", "tool_result"] });
    expect(body.tool_result).toEqual(expected);
    expect(body.reply).toBe(expected.text);
  });

  test("what was written is on the disk, and a link inside the roots is followed", async () => {
    expect(await readFile(at("relative/path.txt"), "utf8")).toBe("again");
    expect((await call("read_file", { path: "to-inside" })).body.tool_result.content).toBe("# 合同\n");
  });
});

describe("codes", () => {
  test.each([
    ["invalid_tool_input 400", "read_file", {}],
    ["invalid_tool_input 400", "read_file", { path: "" }],
    ["invalid_tool_input 400", "read_file", { path: 5 }],
    ["invalid_tool_input 400", "read_file", { path: "a\0b" }],
    ["invalid_tool_input 400", "read_file", { path: "docs" }],
    ["invalid_tool_input 400", "read_file", { path: "docs/contracts.md/" }],
    ["invalid_tool_input 400", "read_file", { path: "n".repeat(256) }],
    ["invalid_tool_input 400", "create_file", { path: "n".repeat(256), content: "" }],
    ["invalid_tool_input 400", "create_file", { path: `${"中".repeat(86)}/x`, content: "" }],
    ["invalid_tool_input 400", "create_file", { path: "folder/", content: "" }],
    ["invalid_tool_input 400", "create_file", { path: "q" }],
    ["invalid_tool_input 400", "create_file", { path: "docs/contracts.md/x", content: "" }],
    ["invalid_tool_input 400", "update_file", { path: "docs", content: "" }],
    ["invalid_tool_input 400", "update_file", { path: "relative/there.txt", content: "", mode: "prepend" }],
    ["invalid_tool_input 400", "shell", {}],
    ["invalid_tool_input 400", "shell", { command: " " }],
    ["invalid_tool_input 400", "shell", { command: "true", timeout_seconds: 121 }],
    ["invalid_tool_input 400", "shell", { command: "true", timeout_seconds: 0 }],
    ["invalid_tool_input 400", "shell", { command: "true", cwd: "docs/contracts.md" }],
    ["tool_not_found 404", "write_file", { path: "x" }],
    ["tool_not_found 404", "Read", { path: "docs/contracts.md" }],
    ["tool_not_found 404", "__proto__", {}],
    ["tool_not_found 404", "read_file", { path: "absent.txt" }],
    ["tool_not_found 404", "read_file", { path: "docs/contracts.md/x" }],
    ["tool_not_found 404", "update_file", { path: "absent.txt", content: "" }],
    ["tool_not_found 404", "shell", { command: "true", cwd: "absent" }],
    ["tool_conflict 409", "create_file", { path: "relative/there.txt", content: "" }],
    ["tool_conflict 409", "create_file", { path: "docs", content: "" }],
    ["tool_conflict 409", "create_file", { path: "round", content: "" }],
    ["tool_error 500", "read_file", { path: "round" }],
  ])("%s: %s %j", async (expected, name, input) => {
    expect(await refusal(name, input)).toBe(expected.split(" ").toReversed().join(" "));
  });

  test("tool_disabled 403: whatever its input, where the server was started without it", async () => {
    const off = await startGateway();
    try {
      for (const input of [{ command: "pwd" }, {}, undefined]) {
        const answer = await off.request("POST", "/agent/process", {
          ...{ input: [], session_id: "s1", user_id: "u1", channel: "console" },
          biz_params: { tool: { name: "shell", input } },
        });
        expect([answer.status, answer.body.error.code]).toEqual([403, "tool_disabled"]);
      }
    } finally {
      await off.close();
    }
  });

  test("a file that is not text is invalid_tool_input, one in an older encoding is read", async () => {
    const noise = [
      [0x7f, 0x45, 0x4c, 0x46, 0, 0],
      [0xff, 0xfe, 0xfd],
      [0x80, 0x81, 0x82],
      [0xc3, 0x28],
      [0xde, 0xad, 0xbe, 0xef, 0xca, 0xfe, 0xba, 0xbe],
      [1, 2, 3, 4],
      [0, 1, 2, 0x62, 0x69, 0x6e],
    ];
    for (const bytes of noise) {
      await writeFile(at("noise"), Buffer.from(bytes));
      expect(await refusal("read_file", { path: "noise" })).toBe("400 invalid_tool_input");
    }
    await writeFile(at("gbk.txt"), Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0xca, 0xc0, 0xbd, 0xe7, 0x0a]));
    expect((await call("read_file", { path: "gbk.txt" })).body.tool_result).toMatchObject({ size: 9, content: "你好世界\n" });
    await writeFile(at("wide.txt"), Buffer.from("一 wide\n", "utf16le"));
    expect((await call("read_file", { path: "wide.txt" })).body.tool_result).toMatchObject({ content: "一 wide\n" });
  });
});

describe("boundaries", () => {
  const system = ["/bin", "/sbin", "/usr", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev", "/boot", "/run", "/var/run"];
  const hidden = ["..", "../x", "docs/../relative/there.txt", "docs/..", "/..", "docs\\..\\x"];
  const links = ["to-file", "to-directory", "to-directory/hostname", "to-link/hostname", "to-nothing", "to-outside/x"];
  const everyTool = (path: string) =>
    [
      ["read_file", { path }],
      ["create_file", { path, content: "" }],
      ["update_file", { path, content: "" }],
      ["shell", { command: "true", cwd: path }],
    ] as const;

  test.each([...system, ...system.map((one) => `${one}/x`), ...system.map((one) => `/.${one}//`), ...hidden, ...links, "/srv/x", "/"])(
    "%s is tool_forbidden_path for all four tools",
    async (path) => {
      for (const [name, input] of everyTool(path)) expect(await refusal(name, input)).toBe("403 tool_forbidden_path");
    },
  );

  test("nothing was made outside or through a link", async () => {
    expect(await readdir(parent)).toEqual(["workspace"]);
    await expect(stat("/etc/no-such-file")).rejects.toThrow();
  });
});
