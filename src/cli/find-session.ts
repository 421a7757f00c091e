/** Which session a command means: by its name, its id, or as the latest of the workspace. */
import { randomUUID } from "node:crypto";
import type { WiredEngine } from "../compose/index.ts";
import type { OpenSessionOptions, SessionRecord } from "../contract/index.ts";
import { UsageError } from "./front.ts";
import { say } from "./messages.ts";

/** The session of this name or internal id. */
export async function namedSession(engine: WiredEngine, name: string): Promise<SessionRecord | undefined> {
  const sessions = await engine.listSessions();
  return sessions.find(({ id }) => id === name) ?? sessions.find(({ key }) => key.externalId === name && key.channel === "local");
}

/** How a session that exists is opened again. */
function reopened({ key, workspace }: SessionRecord): OpenSessionOptions {
  return { id: key.externalId, owner: key.owner, channel: key.channel, workspace };
}

/** The session of this workspace in which something happened last. */
export async function latestSession(
  engine: WiredEngine,
  counts: (session: SessionRecord) => Promise<boolean> = async () => true,
): Promise<SessionRecord | undefined> {
  const here = (await engine.listSessions()).filter(
    ({ workspace, state, key }) => workspace === engine.workspace && state.rights?.parent === undefined && key.owner === "local",
  );
  const glances = await engine.store.glanceAt(here.map(({ id }) => id));
  const moved = ({ id, createdAt }: SessionRecord) => glances.get(id)?.updatedAt ?? createdAt;
  for (const session of here.sort((a, b) => moved(b) - moved(a) || b.createdAt - a.createdAt)) if (await counts(session)) return session;
  return undefined;
}

export interface RunSessionFlags {
  readonly session?: string;
  readonly continue?: boolean;
  readonly resume?: boolean;
}

/** The session of a run: the named one, the latest with `--continue`, the latest unfinished with `--resume`, else a new one. */
export async function sessionForRun(engine: WiredEngine, flags: RunSessionFlags): Promise<OpenSessionOptions> {
  if (flags.session !== undefined) {
    const known = await namedSession(engine, flags.session);
    return known === undefined ? { id: flags.session } : reopened(known);
  }
  if (flags.resume) {
    const unfinished = await latestSession(engine, async ({ id }) =>
      (await engine.runner.list(id)).some(({ outcome }) => outcome === undefined),
    );
    if (unfinished === undefined) throw new UsageError(say("nothingToResume"));
    return reopened(unfinished);
  }
  const latest = flags.continue ? await latestSession(engine, async ({ id }) => (await engine.runner.list(id)).length > 0) : undefined;
  return latest === undefined ? { id: `run-${randomUUID()}` } : reopened(latest);
}
