/** `karyi mcp` as clients of both SDK lines see it, over real processes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { karyi } from "./support/command.ts";
import { bin, callOf, mcpPlaces, serverArgs, textOf, v1Client, v2Client } from "./support/mcp.ts";

const write = { name: "Write", arguments: { file_path: "a.txt", content: "new\n" } };

describe("karyi mcp", () => {
  it("lists tools within the limits of real clients, and calls them by name, alias and without arguments", async () => {
    const places = await mcpPlaces();
    const client = await v1Client(places);
    const { tools } = await client.listTools();
    expect(JSON.stringify(tools).length).toBeLessThan(64_000);
    expect(tools.length).toBeLessThanOrEqual(40);
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["Bash", "Read", "ToolSearch", "Undo", "DryRun"]));
    for (const { name, title, description, inputSchema, annotations } of tools) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,48}$/);
      expect(title).toEqual(expect.any(String));
      expect((description ?? "").length).toBeLessThanOrEqual(1024);
      expect(JSON.stringify(inputSchema)).not.toContain('"$ref"');
      expect(Object.keys(inputSchema).filter((key) => ["anyOf", "oneOf", "allOf"].includes(key))).toEqual([]);
      expect(annotations?.readOnlyHint).toEqual(expect.any(Boolean));
    }
    expect(client.getInstructions()?.length).toBeLessThanOrEqual(2_000);
    await writeFile(join(places.workspace, "r.txt"), "hello\n");
    expect(textOf(await client.callTool({ name: "read_file", arguments: { path: "r.txt" } }))).toContain("hello");
    expect(callOf(await client.callTool({ name: "TaskList" })).status).toBe("ok");
    const wrong = await client.callTool({ name: "Reed", arguments: {} });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain("Read");
  });

  it("a command's structured content is its whole answer, a failing one too", async () => {
    const client = await v1Client(await mcpPlaces());
    const good = await client.callTool({ name: "Bash", arguments: { command: "echo out; echo err >&2" } });
    expect(good.structuredContent).toMatchObject({ exit_code: 0, stdout: "out\n", stderr: "err\n" });
    const bad = await client.callTool({ name: "Bash", arguments: { command: "ls missing-file" } });
    expect(bad.isError).toBe(true);
    expect(bad.structuredContent).toMatchObject({ stdout: "", error: { code: "tool_error" } });
  });

  it("without elicitation a question is suspended; after an answer elsewhere the same call gives the result, and Undo takes it back", async () => {
    const places = await mcpPlaces();
    const client = await v1Client(places);
    const asked = await client.callTool(write);
    const { status, approval_id: id = "" } = callOf(asked);
    expect({ status, isError: asked.isError }).toEqual({ status: "suspended", isError: true });
    expect(textOf(asked)).toContain(`karyi approvals answer ${id} once`);
    const answered = await karyi(["approvals", "answer", id, "once", "--home", places.home, "--workspace", places.workspace, "--json"]);
    expect(answered.code).toBe(0);
    const again = await client.callTool(write);
    expect(callOf(again)).toMatchObject({ status: "ok", undoable: true, call_id: callOf(asked).call_id });
    expect(await readFile(join(places.workspace, "a.txt"), "utf8")).toBe("new\n");
    const undone = await client.callTool({ name: "Undo", arguments: { call_id: callOf(again).call_id } });
    expect(callOf(undone).status).toBe("ok");
    expect(existsSync(join(places.workspace, "a.txt"))).toBe(false);
  });

  it.each([
    ["once", { action: "accept", content: { answer: "once" } }, "ok"],
    ["deny", { action: "accept", content: { answer: "deny" } }, "denied"],
    ["a decline", { action: "decline" }, "denied"],
    ["a cancel", { action: "cancel" }, "denied"],
    ["nonsense", { action: "accept", content: { answer: "sure" } }, "denied"],
  ])("elicitation: %s", async (_, reply, status) => {
    const places = await mcpPlaces();
    const seen: string[] = [];
    const client = await v1Client(places, (params) => {
      seen.push(params.message);
      expect(params.requestedSchema).toMatchObject({ properties: { answer: { enum: ["once", "always", "deny"] } } });
      return reply;
    });
    expect(callOf(await client.callTool(write)).status).toBe(status);
    expect(seen).toEqual([expect.stringContaining("+new")]);
    expect(existsSync(join(places.workspace, "a.txt"))).toBe(status === "ok");
    expect(JSON.parse((await karyi(["approvals", "--home", places.home, "--json"])).stdout)).toMatchObject({ approvals: [] });
  });

  it("no answer in time is suspended, and an answer elsewhere ends the form", async () => {
    const slow = await mcpPlaces({ mcp: { elicitationTimeoutMs: 50 } });
    const never = () => new Promise<object>(() => {});
    expect(callOf(await (await v1Client(slow, never)).callTool(write)).status).toBe("suspended");

    const places = await mcpPlaces();
    const client = await v1Client(places, async ({ message }, signal) => {
      expect(message).toContain("a.txt");
      const { approvals } = JSON.parse((await karyi(["approvals", "--home", places.home, "--json"])).stdout);
      await karyi(["approvals", "answer", approvals[0].id, "once", "--home", places.home, "--workspace", places.workspace]);
      if (!signal.aborted) await once(signal, "abort");
      return { action: "cancel" };
    });
    expect(callOf(await client.callTool(write)).status).toBe("ok");
  });

  it("speaks 2026-07-28: an approval is an inputRequired result, signed and good for that call alone", async () => {
    const places = await mcpPlaces();
    const client = await v2Client(places, () => ({ action: "accept", content: { answer: "once" } }));
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    expect(callOf(await client.callTool(write)).status).toBe("ok");
    expect(await readFile(join(places.workspace, "a.txt"), "utf8")).toBe("new\n");

    const other = { name: "Write", arguments: { file_path: "b.txt", content: "b" } };
    const first = (await client.callTool(other, { allowInputRequired: true })) as unknown as { requestState: string };
    const yes = { approval: { action: "accept", content: { answer: "once" } } };
    const exchanged = {
      ...other,
      arguments: { file_path: "evil.txt", content: "b" },
      requestState: first.requestState,
      inputResponses: yes,
    };
    expect(callOf(await client.callTool(exchanged as never)).status).toBe("denied");
    expect(existsSync(join(places.workspace, "evil.txt"))).toBe(false);
    const forged = { ...other, requestState: `${first.requestState}x`, inputResponses: yes };
    await expect(client.callTool(forged as never)).rejects.toThrow(/requestState/);
    expect(existsSync(join(places.workspace, "b.txt"))).toBe(false);
  });

  it("progress goes only to who gave a token, rising; a cancelled call ends its command", async () => {
    const places = await mcpPlaces();
    const client = await v1Client(places, () => ({ action: "accept", content: { answer: "once" } }));
    const seen: number[] = [];
    const slow = { name: "Bash", arguments: { command: "for i in 1 2 3; do echo $i; sleep 0.3; done" } };
    await client.callTool(slow, undefined, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const stop = new AbortController();
    const cancelled = client.callTool({ name: "Bash", arguments: { command: "echo started; sleep 600" } }, undefined, {
      signal: stop.signal,
      onprogress: () => stop.abort(),
    });
    await expect(cancelled).rejects.toThrow();
    expect(callOf(await client.callTool({ name: "TaskList" })).status).toBe("ok");
  });

  it("answers stay under 100,000 characters and the rest is read with ReadOutput", async () => {
    const places = await mcpPlaces();
    const lines = Array.from({ length: 1_900 }, (_, index) => `line ${index} ${"x".repeat(80)}`).join("\n");
    await writeFile(join(places.workspace, "long.txt"), lines);
    const client = await v1Client(places);
    const result = await client.callTool({ name: "Read", arguments: { file_path: "long.txt" } });
    const text = textOf(result);
    expect(text.length).toBeLessThanOrEqual(100_000);
    const { ref, offset } = JSON.parse(/ReadOutput (\{.*?\})/.exec(text)?.[1] ?? "{}");
    expect(textOf(await client.callTool({ name: "ReadOutput", arguments: { ref, offset, limit: 1_000 } }))).toMatch(/line \d+ x/);
  });

  it("DryRun changes nothing; artifacts are resources, each version too", async () => {
    const places = await mcpPlaces();
    const client = await v1Client(places);
    const planned = await client.callTool({ name: "DryRun", arguments: { tool: "Write", input: write.arguments } });
    expect({ ...callOf(planned), call_id: "" }).toEqual({ call_id: "", status: "planned", undoable: false });
    expect(existsSync(join(places.workspace, "a.txt"))).toBe(false);
    await client.callTool({ name: "CreateArtifact", arguments: { id: "plan", title: "Plan", content: "# One" } });
    await client.callTool({ name: "RewriteArtifact", arguments: { id: "plan", content: "# Two" } });
    expect((await client.listResources()).resources).toMatchObject([{ uri: "karyi://artifact/plan", mimeType: "text/markdown" }]);
    expect((await client.readResource({ uri: "karyi://artifact/plan" })).contents).toMatchObject([{ text: "# Two" }]);
    expect((await client.readResource({ uri: "karyi://artifact/plan?version=1" })).contents).toMatchObject([{ text: "# One" }]);
    await expect(client.readResource({ uri: "karyi://artifact/none" })).rejects.toThrow();
  });

  it("skills are prompts of their name", async () => {
    const places = await mcpPlaces();
    const folder = join(places.home, "skills", "greet");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "SKILL.md"), "---\nname: greet\ndescription: Greets.\n---\nSay hello to $ARGUMENTS.\n");
    const client = await v1Client(places);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: "greet", arguments: [{ name: "arguments" }] }]);
    const { messages } = await client.getPrompt({ name: "greet", arguments: { arguments: "Ann" } });
    expect(JSON.stringify(messages)).toContain("Say hello to Ann.");
  });

  it("config --replace prints what turns an agent's own tools off", async () => {
    const said = async (agent: string) => (await karyi(["mcp", "config", agent, "--replace"])).stdout;
    expect(await said("claude-code")).toMatch(/^claude --tools "" --strict-mcp-config/);
    expect(await said("codex")).toContain("shell_tool = false");
    expect(JSON.parse(await said("opencode"))).toMatchObject({ permission: { bash: "deny", edit: "deny" } });
  });

  it("GetValue never uses a form and says karyi var set", async () => {
    const client = await v1Client(await mcpPlaces(), () => {
      throw new Error("a form was shown");
    });
    const result = await client.callTool({ name: "GetValue", arguments: { key: "NPM_TOKEN", reason: "publish" } });
    expect(textOf(result)).toContain("karyi var set NPM_TOKEN");
  });

  it("--tools offers only those, and refuses the others", async () => {
    const client = await v1Client(await mcpPlaces(), undefined, ["--tools", "Read,Grep"]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["Read", "Grep"]);
    expect((await client.callTool({ name: "Bash", arguments: { command: "echo hi" } })).isError).toBe(true);
  });

  it("ends with its stdin, exit code 0, while background work runs", async () => {
    const places = await mcpPlaces({ mode: "auto" });
    const child = spawn(process.execPath, serverArgs(places), { stdio: ["pipe", "pipe", "ignore"] });
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const initialize = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    say({ id: 1, method: "initialize", params: initialize });
    say({ method: "notifications/initialized" });
    const background = { command: "while true; do echo alive >> beat.txt; sleep 0.05; done", run_in_background: true };
    say({ id: 2, method: "tools/call", params: { name: "Bash", arguments: background } });
    let printed = "";
    for await (const chunk of child.stdout) {
      printed += chunk;
      if (printed.includes('"id":2')) break;
    }
    expect(printed).toContain('"protocolVersion":"2024-11-05"');
    expect(printed).toContain("bg_task_1");
    const exited = once(child, "exit");
    child.stdin.end();
    expect((await exited)[0]).toBe(0);
  });

  it("config prints absolute paths for each client", async () => {
    const places = await mcpPlaces();
    const flags = ["--workspace", places.workspace, "--home", places.home];
    const server = { command: process.execPath, args: [bin, "mcp", "--workspace", expect.any(String), "--home", expect.any(String)] };
    for (const client of ["claude-desktop", "claude-code", "cursor"]) {
      expect(JSON.parse((await karyi(["mcp", "config", client, ...flags])).stdout)).toEqual({ mcpServers: { karyi: server } });
    }
    expect(JSON.parse((await karyi(["mcp", "config", "vscode", ...flags])).stdout)).toEqual({
      servers: { karyi: { type: "stdio", ...server } },
    });
    expect((await karyi(["mcp", "config", "emacs", ...flags])).code).toBe(2);
  });
});
