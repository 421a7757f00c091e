/** Real MCP clients of both SDK lines on a real `karyi mcp`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "./engine.ts";

export const bin = join(import.meta.dirname, "../../bin/karyi.js");

export interface McpPlaces {
  readonly workspace: string;
  readonly home: string;
}

export async function mcpPlaces(config: object = {}): Promise<McpPlaces> {
  const places = { workspace: await temporaryDirectory(), home: await temporaryDirectory() };
  await writeFile(join(places.home, "config.json"), JSON.stringify(config));
  return places;
}

export function serverArgs({ workspace, home }: McpPlaces, more: readonly string[] = []): string[] {
  return [bin, "mcp", "--workspace", workspace, "--home", home, ...more];
}

type Elicited = { readonly message: string; readonly requestedSchema?: unknown };
export type AnswerForm = (params: Elicited, signal: AbortSignal) => Promise<object> | object;

/** A client of the first SDK line; with `answer` it can show forms. */
export async function v1Client(places: McpPlaces, answer?: AnswerForm, more: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: "v1", version: "1" }, { capabilities: answer === undefined ? {} : { elicitation: {} } });
  if (answer) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => (await answer(params as Elicited, signal)) as never);
  }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: serverArgs(places, more), stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

/** A client of the second SDK line that speaks 2026-07-28. */
export async function v2Client(places: McpPlaces, answer?: AnswerForm): Promise<ModernClient> {
  const client = new ModernClient(
    { name: "v2", version: "1" },
    { capabilities: answer === undefined ? {} : { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
  );
  if (answer) {
    client.setRequestHandler(
      "elicitation/create",
      async ({ params }) => (await answer(params as Elicited, new AbortController().signal)) as never,
    );
  }
  await client.connect(new ModernStdio({ command: process.execPath, args: serverArgs(places), stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

/** `_meta["karyi/call"]` of a result. */
export function callOf(result: object): { call_id: string; status: string; undoable: boolean; approval_id?: string } {
  return (result as { _meta: Record<string, never> })._meta["karyi/call"] as never;
}

export function textOf(result: object): string {
  const { content } = result as { content: { type: string; text?: string }[] };
  return content.map(({ text }) => text ?? "").join("\n");
}
