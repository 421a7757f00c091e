/**
 * One connection to one server. Reads what servers answer leniently, with shapes of its own, so that one bad tool hides no
 * other. Every failure names the server; after one that leaves its state unknown the connection is over.
 */
import { pathToFileURL } from "node:url";
import type { AuthProvider, Client, Progress, RequestOptions, Transport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { type JsonObject, ToolFailure } from "../../contract/index.ts";
import { limitBody, maxMessageBytes, tooLongText } from "./message-limit.ts";
import { messageOf } from "./message-of.ts";
import { Patience } from "./patience.ts";
import { type Ending, type LineProcess, ProcessTransport } from "./process-transport.ts";
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

/** Who proves to an HTTP server that the person may use it. */
export interface Login extends AuthProvider {
  /** The failure of a call that only a login of the person can help. */
  readonly needed: ToolFailure;
  /** The server wants rights that the login was not for. */
  demand(scope: string | undefined): Promise<void>;
}

/** What became of an HTTP connection, as the SDK does not tell it. */
interface Line {
  ended?: Ending;
  onEnded?(): void;
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
const unauthorized = 401;
/** Of the protocol: a person who does not want to answer. */
const rejected = -1;

export class Connection {
  readonly #name: string;
  readonly #settings: ServerSettings;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #line: Line;
  readonly #login: Login | undefined;
  readonly #underway = new Set<Underway>();
  #isOver = false;

  private constructor(name: string, settings: ServerSettings, client: Client, transport: Transport, line: Line, login: Login | undefined) {
    this.#line = line;
    this.#login = login;
    this.#name = name;
    this.#settings = settings;
    this.#client = client;
    this.#transport = transport;
  }

  static async open(
    name: string,
    settings: ServerSettings,
    ports: ConnectionPorts,
    onToolsChanged: () => void,
    login?: Login,
  ): Promise<Connection> {
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
    const line: Line = {};
    const transport = await transportOf(settings, ports, line, login).catch((error) => {
      throw new ToolFailure("tool_error", `The MCP server '${name}' could not be started: ${messageOf(error)}.`, {
        hint: "`karyi mcp test` shows what it does; its settings are in the config or in .mcp.json.",
        details: { reason: "server_start", server: name },
      });
    });
    const connection = new Connection(name, settings, client, transport, line, login);
    line.onEnded = () => void connection.close();
    connection.#letAsk();
    client.onclose = () => {
      connection.#isOver = true;
    };
    try {
      await client.connect(transport, { timeout: settings.timeoutMs });
      return connection;
    } catch (error) {
      const failure = await connection.#told(error, "did not answer when it was greeted");
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
      const failure = await this.#told(patience.isOver ? { code: "REQUEST_TIMEOUT" } : error, "did not answer");
      // An error that the server itself reported leaves it as it was.
      if (failure.details?.reason !== "server_error") await this.close();
      throw failure;
    } finally {
      this.#underway.delete(underway);
      patience.end();
    }
  }

  async #told(error: unknown, slow: string): Promise<ToolFailure> {
    if (this.#login === undefined) return this.#failure(error, slow);
    const { name, requiredScope } = error as { readonly name?: unknown; readonly requiredScope?: unknown };
    const isLacking = name === "InsufficientScopeError";
    if (isLacking) await this.#login.demand(typeof requiredScope === "string" ? requiredScope : undefined);
    return isLacking || statusOf(error) === unauthorized ? this.#login.needed : this.#failure(error, slow);
  }

  #failure(error: unknown, slow: string): ToolFailure {
    if (error instanceof ToolFailure) return error;
    const server = this.#name;
    const { code } = error as { readonly code?: unknown };
    const transport = this.#transport instanceof ProcessTransport ? this.#transport : undefined;
    const ended = transport?.ended ?? this.#line.ended;
    if (ended !== undefined) {
      return new ToolFailure("tool_error", `The MCP server '${server}' failed: ${ended.why}.`, {
        hint: "The next call starts it again.",
        details: { reason: ended.reason, server },
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
    const reason = typeof code === "number" ? "server_error" : statusOf(error) === 404 ? "session_lost" : "bad_answer";
    return new ToolFailure("tool_error", `The MCP server '${server}' failed: ${messageOf(error)}`, { details: { reason, server } });
  }
}

function statusOf(error: unknown): unknown {
  return (error as { readonly data?: { readonly status?: unknown } }).data?.status;
}

async function transportOf(settings: ServerSettings, ports: ConnectionPorts, line: Line, login: Login | undefined): Promise<Transport> {
  if (settings.kind === "stdio") {
    const { command, args, env, cwd = ports.workspace, confined, network = "on" } = settings;
    const world = confined === true ? { confined: network } : {};
    return new ProcessTransport(await ports.start({ command, args, cwd, env: { ...ports.baseEnv, ...env }, ...world }));
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const endIt = () => {
    line.ended ??= { reason: "too_long", why: tooLongText };
    line.onEnded?.();
  };
  return new StreamableHTTPClientTransport(new URL(settings.url), {
    requestInit: { headers: { ...settings.headers } },
    fetch: async (url, init) => limitBody(await fetch(url, init), maxMessageBytes, endIt),
    ...(login === undefined ? {} : { authProvider: login, onInsufficientScope: "throw" }),
  });
}

function progressText({ progress, total, message }: Progress): string {
  return `${message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`}\n`;
}
