/**
 * One connection to one server. Reads what servers answer leniently, with shapes of its own, so that one bad tool hides no
 * other. Every failure names the server; after one that leaves its state unknown the connection is over.
 */
import { pathToFileURL } from "node:url";
import type { Client, Progress, RequestOptions, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { type JsonObject, ToolFailure } from "../../contract/index.ts";
import { Patience } from "./patience.ts";
import { type LineProcess, ProcessTransport } from "./process-transport.ts";
import { elicited, type Person, sampled } from "./questions.ts";
import type { ServerSettings } from "./server-settings.ts";

export interface ConnectionPorts {
  start(options: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    /** Its network where it is confined; absent: it is not. */
    readonly confined?: "none" | "on";
  }): Promise<LineProcess>;
  /** What every server gets of the environment. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly version: string;
}

export interface Asking {
  readonly signal?: AbortSignal;
  onProgress?(text: string): void;
  /** Whom the server may ask while it works on this. */
  readonly person?: Person;
  /** Sent beside those of the protocol, over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that the server works on. */
interface Underway {
  readonly person: Person | undefined;
  readonly patience: Patience;
}

const loose = z.record(z.string(), z.unknown());
const page = (list: string) => z.looseObject({ [list]: z.array(z.unknown()), nextCursor: z.string().optional() });
const maxPages = 200;
const maxItems = 20_000;
const maxProbeMs = 3_000;
/** Of the SDK, which cannot stop its clock: more than any limit, so that `Patience` decides. */
const sdkTimeoutMs = 2_000_000_000;
/** Of the protocol: a person who does not want to answer. */
const rejected = -1;

export class Connection {
  readonly #name: string;
  readonly #settings: ServerSettings;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #underway = new Set<Underway>();
  #isOver = false;

  private constructor(name: string, settings: ServerSettings, client: Client, transport: Transport) {
    this.#name = name;
    this.#settings = settings;
    this.#client = client;
    this.#transport = transport;
  }

  static async open(name: string, settings: ServerSettings, ports: ConnectionPorts, onToolsChanged: () => void): Promise<Connection> {
    const { Client: SdkClient } = await import("@modelcontextprotocol/client");
    const probe = { timeoutMs: Math.max(50, Math.min(maxProbeMs, Math.floor(settings.timeoutMs / 3))) };
    const client = new SdkClient(
      { name: "karyi", version: ports.version },
      {
        capabilities: { roots: {}, elicitation: { form: { applyDefaults: true }, url: {} }, sampling: {} },
        versionNegotiation: { mode: "auto", ...(settings.kind === "stdio" ? { probe } : {}) },
      },
    );
    const root = { uri: pathToFileURL(ports.workspace).href, name: "workspace" };
    client.setRequestHandler("roots/list", () => ({ roots: [root] }));
    client.setNotificationHandler("notifications/tools/list_changed", () => onToolsChanged());
    const transport = await transportOf(settings, ports).catch((error) => {
      throw new ToolFailure("tool_error", `The MCP server '${name}' could not be started: ${messageOf(error)}.`, {
        hint: "`karyi mcp test` shows what it does; its settings are in the config or in .mcp.json.",
        details: { reason: "server_start", server: name },
      });
    });
    const connection = new Connection(name, settings, client, transport);
    connection.#letAsk();
    client.onclose = () => {
      connection.#isOver = true;
    };
    try {
      await client.connect(transport, { timeout: settings.timeoutMs });
      return connection;
    } catch (error) {
      const failure = connection.#failure(error, "did not answer when it was greeted");
      await connection.close();
      throw failure;
    }
  }

  /** True if nothing more can be asked here. */
  get isOver(): boolean {
    return this.#isOver;
  }

  tools(asking?: Asking): Promise<readonly unknown[]> {
    return this.#all("tools/list", "tools", asking);
  }

  async resources(asking?: Asking): Promise<readonly unknown[]> {
    return this.#client.getServerCapabilities()?.resources === undefined ? [] : this.#all("resources/list", "resources", asking);
  }

  async read(uri: string, asking?: Asking): Promise<JsonObject> {
    return (await this.#ask("resources/read", { uri }, loose, asking)) as JsonObject;
  }

  async call(tool: string, args: JsonObject, asking?: Asking): Promise<JsonObject> {
    return (await this.#ask("tools/call", { name: tool, arguments: args }, loose, asking)) as JsonObject;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#client.close().catch(() => {});
    await this.#transport.close().catch(() => {});
  }

  async prompts(asking?: Asking): Promise<readonly unknown[]> {
    return this.#client.getServerCapabilities()?.prompts === undefined ? [] : this.#all("prompts/list", "prompts", asking);
  }

  async prompt(name: string, args: JsonObject, asking?: Asking): Promise<JsonObject> {
    return (await this.#ask("prompts/get", { name, arguments: args }, loose, asking)) as JsonObject;
  }

  #letAsk(): void {
    this.#client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
      this.#withPerson((person) => elicited(params, person, mcpReq.signal)),
    );
    this.#client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
      const text = await this.#withPerson((person) => sampled(params, person, mcpReq.signal));
      if (text === undefined) throw Object.assign(new Error("The person did not answer."), { code: rejected });
      return { role: "assistant" as const, model: "person", stopReason: "endTurn", content: { type: "text" as const, text } };
    });
  }

  /** A server does not say which call it asks for, so nobody is asked while it works for more than one session. */
  async #withPerson<T>(work: (person: Person | undefined) => Promise<T>): Promise<T> {
    const waiting = [...this.#underway];
    const people = waiting.map(({ person }) => person);
    const [first] = people;
    for (const { patience } of waiting) patience.pause();
    try {
      return await work(people.every((person) => person?.sessionId === first?.sessionId) ? first : undefined);
    } finally {
      for (const { patience } of waiting) patience.resume();
    }
  }

  async #all(method: string, list: string, asking: Asking | undefined): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < maxPages && items.length < maxItems; pages += 1) {
      const answer = await this.#ask(method, cursor === undefined ? {} : { cursor }, page(list), asking);
      items.push(...(answer[list] as unknown[]));
      if (answer.nextCursor === undefined || answer.nextCursor === cursor) break;
      cursor = answer.nextCursor as string;
    }
    return items.slice(0, maxItems);
  }

  async #ask<T extends z.ZodType>(method: string, params: JsonObject, shape: T, asking: Asking = {}): Promise<z.infer<T>> {
    const { signal, onProgress, person, headers } = asking;
    const patience = new Patience(this.#settings.timeoutMs);
    const underway: Underway = { person, patience };
    const options: RequestOptions = {
      timeout: sdkTimeoutMs,
      ...(headers === undefined ? {} : { headers: { ...headers } }),
      signal: signal === undefined ? patience.signal : AbortSignal.any([signal, patience.signal]),
      ...(onProgress === undefined ? {} : { onprogress: (progress) => onProgress(progressText(progress)) }),
    };
    this.#underway.add(underway);
    try {
      return (await this.#client.request({ method, params: { ...params } }, shape, options)) as z.infer<T>;
    } catch (error) {
      if (signal?.aborted === true) throw new ToolFailure("cancelled", `The call to the MCP server '${this.#name}' was cancelled.`);
      const failure = this.#failure(patience.isOver ? { code: "REQUEST_TIMEOUT" } : error, "did not answer");
      // An error that the server itself reported leaves it as it was.
      if (failure.details?.reason !== "server_error") await this.close();
      throw failure;
    } finally {
      this.#underway.delete(underway);
      patience.end();
    }
  }

  #failure(error: unknown, slow: string): ToolFailure {
    const server = this.#name;
    const { code, data } = error as { readonly code?: unknown; readonly data?: { readonly status?: unknown } };
    const transport = this.#transport instanceof ProcessTransport ? this.#transport : undefined;
    if (transport?.ended !== undefined) {
      const reason = transport.ended.startsWith("it answered nonsense") ? "nonsense" : "server_ended";
      return new ToolFailure("tool_error", `The MCP server '${server}' failed: ${transport.ended}.`, {
        hint: "The next call starts it again.",
        details: { reason, server },
      });
    }
    if (code === "REQUEST_TIMEOUT") {
      if (transport?.nonsense !== undefined) {
        return new ToolFailure("tool_error", `The MCP server '${server}' answered nonsense: ${transport.nonsense}`, {
          details: { reason: "nonsense", server },
        });
      }
      return new ToolFailure("timeout", `The MCP server '${server}' ${slow} within ${this.#settings.timeoutMs} ms.`, {
        hint: "Try again, or give it more time with timeoutMs in its settings.",
        details: { reason: "timeout", server, timeout_ms: this.#settings.timeoutMs },
      });
    }
    const reason = typeof code === "number" ? "server_error" : data?.status === 404 ? "session_lost" : "bad_answer";
    return new ToolFailure("tool_error", `The MCP server '${server}' failed: ${messageOf(error)}`, { details: { reason, server } });
  }
}

async function transportOf(settings: ServerSettings, ports: ConnectionPorts): Promise<Transport> {
  if (settings.kind === "stdio") {
    const { command, args, env, cwd = ports.workspace, confined, network = "on" } = settings;
    const world = confined === true ? { confined: network } : {};
    return new ProcessTransport(await ports.start({ command, args, cwd, env: { ...ports.baseEnv, ...env }, ...world }));
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return new StreamableHTTPClientTransport(new URL(settings.url), { requestInit: { headers: { ...settings.headers } } });
}

function progressText({ progress, total, message }: Progress): string {
  return `${message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`}\n`;
}

function messageOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: { readonly message?: unknown } };
  const said = typeof message === "string" ? message : String(error);
  const why = typeof cause?.message === "string" && !said.includes(cause.message) ? `${said}: ${cause.message}` : said;
  return why.split("\n", 3).join(" ").slice(0, 500);
}
