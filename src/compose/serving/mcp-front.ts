/** `/mcp` of the gateway: one session a user, asked through the client where its token may approve. */

import { join } from "node:path";
import type { KaryiEngine, MountedHandler, Principal, SessionHandle } from "../../contract/index.ts";
import type { ValueDesk } from "../../gateway/index.ts";
import { homeKey } from "../../host/index.ts";
import { EngineSurface, HttpFront } from "../../mcp/server/index.ts";
import { skillPrompts } from "../skill-prompts.ts";
import type { WiredEngine } from "../wired-engine.ts";

export interface McpFrontOptions {
  readonly engine: WiredEngine;
  readonly values: ValueDesk;
  readonly version: string;
  readonly maxBodyBytes: number;
  /** Known when the server listens. */
  address(): string;
  log(message: string): void;
}

const channel = "mcp";

export function createMcpFront(options: McpFrontOptions): { readonly handle: MountedHandler; close(): Promise<void> } {
  const { engine, values, version, maxBodyBytes, address, log } = options;
  const sessions = new Map<string, Promise<SessionHandle>>();
  const surfaces = new Map<string, Promise<EngineSurface>>();

  const sessionOf = async (user: string): Promise<SessionHandle> => {
    const key = { id: channel, owner: user, channel };
    const opened = await engine.openSession({ ...key, workspace: engine.workspace, approvals: "record" });
    return engine.openSession({ ...key, workspace: engine.workspace, approvals: "record", askValue: values.askerOf(opened.record) });
  };
  const surfaceOf = async (user: string, mayApprove: boolean): Promise<EngineSurface> => {
    const session = remembered(sessions, user, () => sessionOf(user));
    return new EngineSurface({
      engine: engine as KaryiEngine,
      session: await session,
      version,
      prompts: skillPrompts(engine),
      stateKey: () => homeKey(join(engine.home, "mcp.key")),
      elicitationTimeoutMs: engine.config.effective.mcp.elicitationTimeoutMs,
      modelOutputTokens: engine.config.effective.modelOutputTokens,
      mayApprove,
      valuePage: () => `${address()}/`,
    });
  };
  const front = new HttpFront({
    surface: (who) => remembered(surfaces, who, () => surfaceOf(who.slice(1), who.startsWith("+"))),
    maxBodyBytes,
    now: Date.now,
    log,
  });
  return { handle: (request, principal) => front.handle(request, whoIs(principal)), close: () => front.close() };
}

/** Users with the right to approve and without it have surfaces of their own. */
function whoIs({ user, scopes }: Principal): string {
  return `${scopes.has("approve") || scopes.has("admin") ? "+" : "-"}${user}`;
}

function remembered<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}
