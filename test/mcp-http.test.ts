/** `/mcp` of the gateway, as clients of both SDK lines and our own client see it. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { addToken, serve } from "../src/compose/serving/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";
import { callOf, textOf } from "./support/mcp.ts";

const write = { name: "Write", arguments: { file_path: "a.txt", content: "new\n" } };

async function gateway(places?: { readonly home: string; readonly workspace: string }) {
  const { home, workspace } = places ?? { home: await temporaryDirectory(), workspace: await temporaryDirectory() };
  const serving = await serve({
    home,
    workspace,
    host: "127.0.0.1",
    port: 0,
    enableShell: false,
    consoleFolder: join(home, "no-console"),
    version: "test",
  });
  onTestFinished(() => serving.close());
  const url = new URL(`${serving.address}/mcp`);
  const tokenOf = async (name: string, scopes: string[]) => (await addToken(home, { name, scopes, user: name })).token;
  return { home, workspace, url, token: serving.madeToken ?? "", tokenOf, stop: () => serving.close() };
}

function headers(token: string): { requestInit: RequestInit } {
  return { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
}

async function v1(url: URL, token: string, answer?: string) {
  const client = new Client({ name: "v1", version: "1" }, { capabilities: answer === undefined ? {} : { elicitation: {} } });
  if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept", content: { answer } }));
  const transport = new StreamableHTTPClientTransport(url, headers(token));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}

describe("/mcp", () => {
  it("needs the gateway's token, and refuses another user's session", async () => {
    const { url, token, tokenOf } = await gateway();
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
    const { transport } = await v1(url, token);
    const other = await tokenOf("other", ["call"]);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const send = (key: string) =>
      fetch(url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-session-id": transport.sessionId ?? "",
        },
        body: JSON.stringify(ping),
      });
    expect((await send(token)).status).toBe(200);
    expect((await send(other)).status).toBe(404);
  });

  it("asks by form where the token may approve, else the call waits", async () => {
    const { url, workspace, token, tokenOf } = await gateway();
    const person = await v1(url, token, "once");
    expect(callOf(await person.client.callTool(write)).status).toBe("ok");
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("new\n");
    const program = await v1(url, await tokenOf("program", ["call"]), "once");
    const waits = await program.client.callTool({ name: "Write", arguments: { file_path: "b.txt", content: "b" } });
    expect(callOf(waits).status).toBe("suspended");
  });

  it("speaks 2026-07-28, each request for itself", async () => {
    const { url, workspace, token } = await gateway();
    const client = new ModernClient(
      { name: "v2", version: "1" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
    );
    client.setRequestHandler("elicitation/create", () => ({ action: "accept" as const, content: { answer: "once" } }));
    await client.connect(new ModernHttp(url, headers(token)));
    onTestFinished(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    expect((await client.listTools()).tools.length).toBeGreaterThan(20);
    expect(callOf(await client.callTool(write)).status).toBe("ok");
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("new\n");
  });

  it("an answer to a question of 2026-07-28 outlives a restart of the gateway, and counts once", async () => {
    const before = await gateway();
    const { home, workspace, tokenOf } = before;
    const token = await tokenOf("person", ["call", "approve"]);
    const clientOf = async (url: URL, key = token) => {
      const client = new ModernClient(
        { name: "v2", version: "1" },
        { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
      );
      await client.connect(new ModernHttp(url, headers(key)));
      onTestFinished(() => client.close());
      return client;
    };
    const append = { name: "Bash", arguments: { command: "echo once >> log.txt" } };
    const asked = (await (await clientOf(before.url)).callTool(append, { allowInputRequired: true })) as unknown as {
      resultType: string;
      requestState: string;
    };
    expect(asked.resultType).toBe("input_required");
    await before.stop();
    expect((await stat(join(home, "mcp.key"))).mode & 0o777).toBe(0o600);
    const after = await gateway({ home, workspace });
    const answered = {
      ...append,
      requestState: asked.requestState,
      inputResponses: { approval: { action: "accept", content: { answer: "once" } } },
    } as never;
    const stranger = await clientOf(after.url, await after.tokenOf("stranger", ["call", "approve"]));
    await expect(stranger.callTool(answered)).rejects.toThrow(/requestState/);
    const client = await clientOf(after.url);
    expect(callOf(await client.callTool(answered)).status).toBe("ok");
    expect(callOf(await client.callTool(answered)).status).toBe("ok");
    expect(await readFile(join(workspace, "log.txt"), "utf8")).toBe("once\n");
  });

  it("is a server for our own client, by address and header", async () => {
    const { url, workspace, token } = await gateway();
    await writeFile(join(workspace, "r.txt"), "from afar\n");
    const home = await temporaryDirectory();
    const far = { type: "http", url: url.href, headers: { Authorization: `Bearer ${token}` } };
    await writeFile(join(home, "config.json"), JSON.stringify({ mcpServers: { far } }));
    const { engine } = await testEngine({ home });
    const result = await (await engine.openSession()).call("mcp__far__Read", { file_path: "r.txt" });
    expect(result).toMatchObject({ status: "ok", output: expect.stringContaining("from afar") });
  });

  it("GetValue opens a page where the client can, and never a form", async () => {
    const { url, token } = await gateway();
    const { client } = await v1(url, token, "once");
    expect(textOf(await client.callTool({ name: "GetValue", arguments: { key: "KEY", reason: "r" } }))).toContain("karyi var set KEY");
    const opener = new Client({ name: "url", version: "1" }, { capabilities: { elicitation: { url: {} } } });
    opener.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      expect(params).toMatchObject({ mode: "url", url: expect.stringContaining("http://127.0.0.1") });
      const api = new URL("/api/v1/values", url);
      const authorization = { authorization: `Bearer ${token}` };
      const pending = async (): Promise<string> => {
        const { values } = (await (await fetch(api, { headers: authorization })).json()) as { values: { id: string }[] };
        return values[0]?.id ?? pending();
      };
      await fetch(`${api}/${await pending()}`, {
        method: "POST",
        headers: { ...authorization, "content-type": "application/json" },
        body: JSON.stringify({ value: "a value that nobody sees" }),
      });
      return { action: "accept" as const };
    });
    await opener.connect(new StreamableHTTPClientTransport(url, headers(token)));
    onTestFinished(() => opener.close());
    const given = await opener.callTool({ name: "GetValue", arguments: { key: "KEY", reason: "r" } });
    expect(callOf(given).status).toBe("ok");
    expect(textOf(given)).not.toContain("nobody sees");
  });
});
