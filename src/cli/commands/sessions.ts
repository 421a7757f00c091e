/** `karyi sessions`: lists the sessions of this home, shows, forks and removes one, and prints its events. */
import { randomUUID } from "node:crypto";
import type { WiredEngine } from "../../compose/index.ts";
import { eventToWire, type SessionRecord, ToolFailure } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { latestSession, namedSession } from "../find-session.ts";
import { type GlobalFlags, print, printJson, UsageError, withEngine } from "../front.ts";
import { localTime } from "../local-time.ts";
import { say } from "../messages.ts";

const pageSize = 500;

export function listSessions(_: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const sessions = await engine.listSessions();
    if (flags.json) printJson({ sessions });
    else
      print(
        sessions.map(({ id, key, workspace, createdAt }) => `${id}  ${localTime(createdAt)}  ${key.externalId}  ${workspace}`).join("\n"),
      );
    return exitCodes.done;
  });
}

/** The events of a session as JSON lines: of the named one, else of the latest. */
export function exportSession([id]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const session = await meantSession(engine, id ?? flags.session);
    for (let after = 0; ; ) {
      const page = await engine.store.readEvents(session.id, after, pageSize);
      for (const event of page) print(JSON.stringify(eventToWire(event)));
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return exitCodes.done;
      after = last.seq;
    }
  });
}

/** What a session is and where it stands: of the named one, else of the latest. */
export function showSession([id]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const session = await meantSession(engine, id ?? flags.session);
    const glance = (await engine.store.glanceAt([session.id])).get(session.id);
    const events = (await engine.store.eventHeads([session.id])).get(session.id)?.last ?? 0;
    const { state } = session;
    if (flags.json) {
      printJson({
        id: session.id,
        name: session.key.externalId,
        user_id: session.key.owner,
        channel: session.key.channel,
        workspace: session.workspace,
        created_at: new Date(session.createdAt).toISOString(),
        updated_at: new Date(glance?.updatedAt ?? session.createdAt).toISOString(),
        title: glance?.title ?? "",
        cwd: state.cwd,
        is_busy: glance?.isBusy ?? false,
        events,
      });
      return exitCodes.done;
    }
    const lines: readonly (readonly [string, string])[] = [
      [say("sessionName"), session.key.externalId],
      [say("sessionTitle"), glance?.title ?? ""],
      [say("sessionWorkspace"), session.workspace],
      [say("sessionCwd"), state.cwd ?? session.workspace],
      [say("sessionBegan"), localTime(session.createdAt)],
      [say("sessionMoved"), localTime(glance?.updatedAt ?? session.createdAt)],
      [say("sessionEvents"), String(events)],
    ];
    print([session.id, ...lines.filter(([, value]) => value !== "").map(([label, value]) => `  ${label}: ${value}`)].join("\n"));
    return exitCodes.done;
  });
}

/** A new session that has read the same files and tells the same story so far; its name is made up unless one is given. */
export function forkSession([id, name]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const source = await meantSession(engine, id ?? flags.session);
    const externalId = name ?? `fork-${randomUUID()}`;
    const key = { ...source.key, externalId };
    if ((await engine.store.sessionByKey(key)) !== undefined) throw new UsageError(say("sessionTaken", externalId));
    const made = await engine.store.forkSession(source.id, key);
    if (flags.json) printJson({ id: made.id, name: externalId, forked_from: source.id, workspace: made.workspace });
    else print(say("sessionForked", source.key.externalId, externalId));
    return exitCodes.done;
  });
}

/** Removes a session with its calls, events, outputs and temporary files: what it did can then not be undone any more. */
export function deleteSession([id = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const session = await meantSession(engine, id);
    await engine.removeSession(session.id);
    if (flags.json) printJson({ deleted: session.id });
    else print(say("sessionDeleted", session.key.externalId));
    return exitCodes.done;
  });
}

/** The session of this name or id, by default the latest of the workspace. */
async function meantSession(engine: WiredEngine, name: string | undefined): Promise<SessionRecord> {
  const session = name === undefined ? await latestSession(engine) : await namedSession(engine, name);
  if (session !== undefined) return session;
  throw new ToolFailure("tool_not_found", name === undefined ? say("noSession") : say("noSuchSession", name), {
    details: { reason: "session_not_found" },
  });
}
