/**
 * All configured servers: started when first needed, each on its own, ended with the engine. Remembers what tools a server has,
 * so that they are known without starting it. One that is dead, hangs or talks nonsense hurts no other.
 */
import { createHash } from "node:crypto";
import { type Tool, ToolFailure } from "../../contract/index.ts";
import { headerDeclarations, parameterHeaders } from "../parameter-headers.ts";
import { Connection, type ConnectionPorts, type Login } from "./connection.ts";
import { expanded, expandText } from "./expand.ts";
import { fullName, importedTool, type RememberedTool, remembered } from "./imported-tool.ts";
import { Bearer, loginNeeded } from "./login/bearer.ts";
import { type HeldValues, LoginShelf } from "./login/kept-login.ts";
import { type Challenge, type LoginDesk, logIn, logInAlone } from "./login/log-in.ts";
import { type NamedServer, type ServerSettings, usualOAuth } from "./server-settings.ts";

/** What is kept of servers between starts, by name. */
export type ServerMemory = Readonly<Record<string, { readonly key: string; readonly tools: readonly RememberedTool[] }>>;

export interface McpClientsOptions extends ConnectionPorts {
  readonly servers: readonly NamedServer[];
  readonly env: Readonly<Record<string, string | undefined>>;
  reveal(server: string, name: string, hosts: readonly string[]): Promise<string>;
  /** Where logins are kept. */
  readonly held: HeldValues;
  listen: LoginDesk["listen"];
  readonly memory: ServerMemory;
  remember(memory: ServerMemory): Promise<void>;
  /** The tools of a server are these from now on. */
  onTools(server: string, tools: readonly Tool[]): void;
  log(message: string): void;
}

export class McpClients {
  readonly #options: McpClientsOptions;
  readonly #servers: ReadonlyMap<string, NamedServer>;
  readonly #open = new Map<string, Promise<Connection>>();
  #memory: ServerMemory;
  #closed = false;

  constructor(options: McpClientsOptions) {
    this.#options = options;
    this.#servers = new Map(options.servers.map((server) => [server.name, server]));
    this.#memory = options.memory;
  }

  /** Names of the servers that can be asked. */
  usable(): readonly string[] {
    return [...this.#servers.values()].filter(({ settings, trusted }) => settings !== undefined && trusted).map(({ name }) => name);
  }

  get longestTimeoutMs(): number {
    return Math.max(60_000, ...[...this.#servers.values()].map(({ settings }) => settings?.timeoutMs ?? 0));
  }

  /** Tools that are known from the last time; starts nothing. */
  knownTools(): readonly Tool[] {
    return this.usable().flatMap((name) => {
      const settings = this.#settingsOf(name);
      const known = this.#memory[name];
      return known?.key === keyOf(settings) ? known.tools.map((tool) => this.#imported(name, tool)) : [];
    });
  }

  /** Servers whose tools are not known yet. */
  unknown(): readonly string[] {
    return this.usable().filter((name) => this.#memory[name]?.key !== keyOf(this.#settingsOf(name)));
  }

  /** The server that a tool's full name belongs to, if there is one. */
  serverOf(tool: string): string | undefined {
    return this.usable()
      .filter((name) => tool.startsWith(`mcp__${name}__`))
      .sort((a, b) => b.length - a.length)[0];
  }

  /** Asks the server for its tools, remembers them, and answers their full names. */
  async learn(server: string, signal?: AbortSignal): Promise<readonly string[]> {
    const listed = await this.with(server, (connection) => connection.tools(signal === undefined ? {} : { signal }));
    const tools = new Map<string, RememberedTool>();
    const isHttp = this.#settingsOf(server).kind === "http";
    for (const tool of listed.flatMap((item) => remembered(item) ?? [])) {
      const isUsable = !isHttp || headerDeclarations(tool.schema) !== undefined;
      if (!isUsable)
        this.#options.log(`The tool '${tool.name}' of the MCP server '${server}' is left out: its headers are not well declared.`);
      else if (!tools.has(tool.name)) tools.set(tool.name, tool);
    }
    await this.#remember(server, [...tools.values()]);
    return [...tools.keys()].map((name) => fullName(server, name));
  }

  async #remember(server: string, tools: readonly RememberedTool[]): Promise<void> {
    const settings = this.#settingsOf(server);
    const entry = { key: keyOf(settings), tools };
    if (JSON.stringify(this.#memory[server]) === JSON.stringify(entry)) return;
    this.#memory = { ...this.#memory, [server]: entry };
    this.#options.onTools(
      server,
      tools.map((tool) => this.#imported(server, tool)),
    );
    await this.#options.remember(this.#memory);
  }

  /**
   * Logs the person in to an HTTP server, and answers its tools. Never called for a model: it shows the person a link.
   * @example await engine.servers.login("docs", { show: (link) => console.log(link), signal })
   */
  async login(server: string, { show, signal }: Pick<LoginDesk, "show" | "signal">): Promise<readonly string[]> {
    const settings = this.#settingsOf(server);
    const filled = await this.#filled(server, settings);
    const way = this.#loginWay(server, filled);
    if (way === undefined) {
      throw new ToolFailure("invalid_tool_input", `The MCP server '${server}' takes no login: it has no address, or a header of its own.`, {
        details: { reason: "login_failed", server },
      });
    }
    const shelf = new LoginShelf(this.#options.held, server, way.url);
    const kept = await shelf.read();
    const challenge = await this.#challengeOf(server, filled);
    const issuer = kept.from === undefined ? {} : { issuer: kept.from.issuer };
    const scopes = [way.oauth.scopes, ...(kept.demanded === undefined ? [] : [kept.scope, kept.demanded])];
    const whole = { ...way, ...issuer, challenge, scopes };
    const { listen } = this.#options;
    const login = way.oauth.grant === "client_credentials" ? await logInAlone(whole, signal) : await logIn(whole, { listen, show, signal });
    await shelf.change(() => login);
    await this.#leave(server);
    return this.learn(server, signal);
  }

  /** Forgets the person's login; false if there was none. */
  async logout(server: string): Promise<boolean> {
    const way = this.#loginWay(server, await this.#filled(server, this.#settingsOf(server)));
    if (way === undefined) return false;
    const shelf = new LoginShelf(this.#options.held, server, way.url);
    const had = (await shelf.read()).tokens !== undefined;
    await shelf.change(() => undefined);
    await this.#leave(server);
    return had;
  }

  /** What the server says to who has no login; nothing if it lets anybody in. */
  async #challengeOf(server: string, filled: ServerSettings): Promise<Challenge> {
    const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
    let challenge: Challenge = {};
    const stranger: Login = {
      needed: loginNeeded(server),
      token: async () => undefined,
      demand: async () => {},
      async onUnauthorized({ response }) {
        challenge = extractWWWAuthenticateParams(response);
        throw loginNeeded(server);
      },
    };
    try {
      const connection = await Connection.open(server, filled, this.#options, () => {}, stranger);
      await connection.tools().finally(() => connection.close());
    } catch (error) {
      if (!(error instanceof ToolFailure) || error.details?.reason !== "login_needed") throw error;
    }
    return challenge;
  }

  async #leave(server: string): Promise<void> {
    const open = this.#open.get(server);
    this.#open.delete(server);
    await open?.then((connection) => connection.close()).catch(() => {});
  }

  /** `undefined` if the server is no HTTP server, or its settings name a token. */
  #loginWay(server: string, filled: ServerSettings) {
    if (filled.kind !== "http" || Object.keys(filled.headers).some((name) => name.toLowerCase() === "authorization")) return undefined;
    const { env, reveal, version } = this.#options;
    return {
      server,
      url: new URL(filled.url).href,
      oauth: filled.oauth ?? usualOAuth,
      version,
      reveal: (text: string, hosts: readonly string[]) => expandText(text, { env, reveal: (name) => reveal(server, name, hosts) }),
    };
  }

  /** A connection that was lost before anything was asked is made again, once. */
  async with<T>(server: string, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#connection(server);
    try {
      return await work(connection);
    } catch (error) {
      const lost = error instanceof ToolFailure && error.details?.reason === "session_lost";
      if (!lost) throw error;
      return work(await this.#connection(server));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map((opening) => opening.then((connection) => connection.close()).catch(() => {})));
  }

  #imported(server: string, tool: RememberedTool): Tool {
    const isHttp = this.#settingsOf(server).kind === "http";
    return importedTool(server, tool, (name, args, asking) => {
      const headers = isHttp ? { headers: parameterHeaders(tool.schema, args) } : {};
      return this.with(server, (connection) => connection.call(name, args, { ...asking, ...headers }));
    });
  }

  async #connection(server: string): Promise<Connection> {
    const settings = this.#settingsOf(server);
    const known = await this.#open.get(server)?.catch(() => undefined);
    if (known !== undefined && !known.isOver) return known;
    if (this.#closed) throw new ToolFailure("cancelled", "The engine is closed.");
    // Somebody else may have begun while this one waited.
    const begun = this.#open.get(server);
    if (begun !== undefined && (await begun.catch(() => undefined)) !== known) return this.#connection(server);
    const opening = this.#start(server, settings);
    this.#open.set(server, opening);
    try {
      return await opening;
    } catch (error) {
      if (this.#open.get(server) === opening) this.#open.delete(server);
      throw error;
    }
  }

  async #start(server: string, settings: ServerSettings): Promise<Connection> {
    const { log, held } = this.#options;
    await this.#servers.get(server)?.beforeStart?.();
    const filled = await this.#filled(server, settings);
    const relist = () =>
      void this.learn(server).catch((error: Error) => {
        // A server that ends with the engine is not missed.
        if (!this.#closed) log(error.message);
      });
    const way = this.#loginWay(server, filled);
    const login = way === undefined ? undefined : new Bearer(way, new LoginShelf(held, server, way.url));
    return Connection.open(server, filled, this.#options, relist, login);
  }

  async #filled(server: string, settings: ServerSettings): Promise<ServerSettings> {
    const { env, reveal } = this.#options;
    try {
      return await expanded(settings, { env, reveal: (name) => reveal(server, name, hostsOf(settings)) });
    } catch (error) {
      if (error instanceof ToolFailure) throw error;
      throw new ToolFailure("tool_error", `The MCP server '${server}' could not be started: ${(error as Error).message}.`, {
        details: { reason: "server_start", server },
      });
    }
  }

  #settingsOf(name: string): ServerSettings {
    const server = this.#servers.get(name);
    if (server?.settings !== undefined && server.trusted) return server.settings;
    if (server === undefined) {
      const names = [...this.#servers.keys()].join(", ");
      throw new ToolFailure("tool_not_found", `There is no MCP server '${name}'. There is: ${names === "" ? "none" : names}.`, {
        hint: "`karyi mcp add` adds one.",
        details: { reason: "unknown_server", server: name },
      });
    }
    if (server.error !== undefined) throw new ToolFailure("tool_error", server.error, { details: { reason: "bad_server", server: name } });
    throw new ToolFailure("permission_denied", `The MCP server '${name}' is named by a project that is not trusted.`, {
      hint: "Look at its .mcp.json, then: karyi config trust",
      details: { reason: "untrusted_project", server: name },
    });
  }
}

function hostsOf(settings: ServerSettings): readonly string[] {
  if (settings.kind !== "http") return [];
  try {
    return [new URL(settings.url).hostname];
  } catch {
    return [];
  }
}

/** What was learned of other settings says nothing about these. */
function keyOf(settings: ServerSettings): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16);
}
