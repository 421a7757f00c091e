/** `karyi serve`: one process with an engine, a gateway and a port. Owns the order of starting and stopping. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type JsonObject, ToolFailure } from "../../contract/index.ts";
import {
  createGateway,
  hashOfToken,
  type KeptBrowserSession,
  makeToken,
  ownTokenName,
  type TokenEntry,
  ValueDesk,
  type Webhook,
} from "../../gateway/index.ts";
import { claimServing, PrivateEntries, postJson, StaticFiles, serveHttp } from "../../host/server/index.ts";
import { createEngine } from "../create-engine.ts";
import type { EngineOptions } from "../engine-options.ts";
import { createDesk } from "./desk.ts";
import { createServerLog } from "./log.ts";
import { createMcpFront } from "./mcp-front.ts";
import { tokenFiles } from "./tokens.ts";
import { createTraces } from "./traces.ts";

export interface ServeOptions extends Pick<EngineOptions, "workspace" | "home" | "mode" | "config" | "env"> {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** A token of user `local` with scope `admin`; one is made where none is given. */
  readonly token?: string;
  /** The file it came from: no tool may read it. */
  readonly tokenFile?: string;
  readonly enableShell: boolean;
  /** Folder of the built console. */
  readonly consoleFolder: string;
  readonly version: string;
  /** How long a webhook that failed waits before each further try. */
  readonly webhookRetriesMs?: readonly number[];
  /** Told when the server could not go on. */
  readonly logTo?: NodeJS.WritableStream;
}

export interface Serving {
  readonly address: string;
  readonly loginLink: string;
  /** Present if it was made here. */
  readonly madeToken?: string;
  readonly workspace: string;
  readonly home: string;
  readonly shell: boolean;
  /** The configured model; absent: chat is played by the demo agent. */
  readonly model?: string;
  close(): Promise<void>;
}

const closeGraceMs = 3000;
const arrivalMs = 30_000;
const pingMs = 15_000;
const maxHeaderBytes = 16 * 1024;

export async function serve(options: ServeOptions): Promise<Serving> {
  const log = createServerLog(options.logTo);
  const { workspace, home, mode, config, env } = options;
  const engine = await createEngine({
    ...(workspace === undefined ? {} : { workspace }),
    ...(home === undefined ? {} : { home }),
    ...(mode === undefined ? {} : { mode }),
    ...(config === undefined ? {} : { config }),
    ...(env === undefined ? {} : { env }),
    approvals: "record",
    log: (message, cause) => log.warn(cause instanceof Error ? { cause: cause.message } : {}, message),
  });
  try {
    const claim = await claimServing(join(engine.home, "run", "serve.json"));
    if ("owner" in claim) throw alreadyServing(claim.owner.pid, claim.address);
    try {
      return await listen(options, engine, claim, log);
    } catch (error) {
      await claim.release();
      throw error;
    }
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function listen(
  options: ServeOptions,
  engine: Awaited<ReturnType<typeof createEngine>>,
  claim: { setAddress(address: string): Promise<void>; release(): Promise<void> },
  log: ReturnType<typeof createServerLog>,
): Promise<Serving> {
  const { gateway: settings } = engine.config.effective;
  const token = options.token ?? makeToken();
  const own: TokenEntry = {
    name: ownTokenName,
    hash: hashOfToken(token),
    scopes: ["admin"],
    user: "local",
    createdAt: Date.now(),
    isRemade: options.token === undefined,
  };
  const values = new ValueDesk(randomUUID, Date.now);
  const traces = createTraces(options.env ?? process.env, options.version);
  let port = options.port;
  const origin = () => `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;
  const mcp = createMcpFront({
    engine,
    values,
    version: options.version,
    maxBodyBytes: settings.maxBodyBytes,
    address: origin,
    log: (message) => log.warn({}, message),
  });
  const gateway = createGateway({
    engine,
    mcp: mcp.handle,
    desk: createDesk(engine, values),
    values,
    host: options.host,
    port: () => port,
    hostNames: settings.hostNames,
    tokens: tokenFiles(engine.home),
    ownTokens: [own],
    browserSessions: new PrivateEntries<KeptBrowserSession>(join(engine.home, "browsers")),
    console: new StaticFiles(options.consoleFolder),
    limits: { requestsPerMinute: settings.requestsPerMinute, maxBodyBytes: settings.maxBodyBytes, stallMs: 60_000 },
    enableShell: options.enableShell,
    version: options.version,
    log,
    webhooks: {
      files: new PrivateEntries<Webhook>(join(engine.home, "webhooks")),
      post: postJson,
      retriesMs: options.webhookRetriesMs ?? [1000, 5000, 30_000, 120_000, 600_000],
    },
    residentBytes: () => process.memoryUsage.rss(),
    ...(traces === undefined ? {} : { onSpan: (span) => traces.note(span) }),
    now: Date.now,
    newId: randomUUID,
  });
  const server = await serveHttp({
    host: options.host,
    port: options.port,
    maxHeaderBytes,
    arrivalMs,
    pingMs,
    fetch: (request, connection) => gateway.fetch(request, connection),
    upgrade: (request) => gateway.upgrade(request),
    malformed: (status) => gateway.malformed(status),
  }).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, options);
  });
  port = server.port;
  const address = origin();
  await claim.setAddress(address);
  log.info({ address }, "listening");
  await gateway.goOn().catch((err: unknown) => log.error({ err }, "the runs of an earlier server could not be looked up"));
  return {
    address,
    loginLink: gateway.loginLink(ownTokenName),
    ...(options.token === undefined ? { madeToken: token } : {}),
    workspace: engine.workspace,
    home: engine.home,
    shell: options.enableShell,
    ...(engine.config.effective.model === undefined ? {} : { model: engine.config.effective.model }),
    async close() {
      const closed = server.close(closeGraceMs);
      await mcp.close();
      await gateway.close();
      await closed;
      await engine.close();
      await traces?.close();
      await claim.release();
      log.info({}, "stopped");
    },
  };
}

function alreadyServing(pid: number, address: string): ToolFailure {
  const details: JsonObject = { reason: "already_serving", pid, address };
  return new ToolFailure("tool_conflict", `Karyi already serves this home: process ${pid}${address === "" ? "" : ` at ${address}`}.`, {
    hint: "Use that one, stop it, or choose another --home.",
    details,
  });
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: ServeOptions): Error {
  if (error.code === "EADDRINUSE") {
    return new ToolFailure("tool_conflict", `Port ${port} of ${host} is taken by another program.`, {
      hint: "Choose another one with --port, or --port 0 for any free one.",
      details: { reason: "port_taken", port },
    });
  }
  if (error.code === "EACCES" || error.code === "EADDRNOTAVAIL") {
    return new ToolFailure("tool_error", `Karyi cannot listen at ${host}:${port} (${error.code}).`, {
      hint: "Choose another --host or --port.",
      details: { reason: "cannot_listen" },
    });
  }
  return error;
}
