/**
 * Artifacts of a session: every change a row of its own, none is ever rewritten. The version and the event that tells
 * of it are one transaction. Refuses a change whose base is not the latest version.
 */
import {
  type ArtifactChangeKind,
  type ArtifactDraft,
  type ArtifactSummary,
  type ArtifactText,
  type ArtifactType,
  type ArtifactVersion,
  type SavedArtifact,
  ToolFailure,
} from "../contract/index.ts";
import type { StoreContext } from "./context.ts";
import type { Database } from "./database.ts";
import { insertEvents } from "./events.ts";
import { optional } from "./json-text.ts";

interface ArtifactRow {
  readonly id: string;
  readonly version: number;
  readonly kind: ArtifactChangeKind;
  readonly time: number;
  readonly call_id: string;
  readonly agent: string | null;
  readonly title: string;
  readonly content_type: ArtifactType;
  readonly content: string | null;
}

/** Inside a write transaction. */
export function saveArtifact({ database, now }: StoreContext, sessionId: string, draft: ArtifactDraft): SavedArtifact {
  const latest = latestVersion(database, sessionId, draft.id);
  if (latest !== draft.base) {
    throw new ToolFailure("tool_conflict", `The artifact '${draft.id}' is at version ${latest} by now, not ${draft.base}.`, {
      hint: "Read it again, then change what is there now.",
      details: { reason: "version_conflict", version: latest, base_version: draft.base },
    });
  }
  const version = latest + 1;
  const time = now();
  const { id, title, contentType, content, kind, callId, agent } = draft;
  database.run(
    `INSERT INTO artifacts (session_id, id, version, kind, time, call_id, agent, title, content_type, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    sessionId,
    id,
    version,
    kind,
    time,
    callId,
    agent ?? null,
    title,
    contentType,
    content ?? null,
  );
  const event = {
    type: "artifact_updated" as const,
    callId,
    ...(agent === undefined ? {} : { agent }),
    body: { artifact_id: id, version, kind },
  };
  return { artifact: { id, title, contentType, version }, events: insertEvents(database, sessionId, [event], time) };
}

export function listArtifacts(database: Database, sessionId: string): ArtifactSummary[] {
  return database
    .all<Pick<ArtifactRow, "id" | "title" | "content_type" | "version">>(
      `SELECT id, title, content_type, version FROM artifacts AS a
       WHERE session_id = ?1 AND content IS NOT NULL
         AND version = (SELECT max(version) FROM artifacts WHERE session_id = ?1 AND id = a.id)
       ORDER BY id`,
      sessionId,
    )
    .map(({ id, title, content_type, version }) => ({ id, title, contentType: content_type, version }));
}

/** A version that is named is found even if the artifact is gone now, because undo may give it back. */
export function findArtifact(database: Database, sessionId: string, id: string, version?: number): ArtifactText | undefined {
  const latest = latestVersion(database, sessionId, id);
  const row = rowOf(database, sessionId, id, version ?? latest);
  if (row?.content == null) return undefined;
  return {
    id,
    title: row.title,
    contentType: row.content_type,
    version: row.version,
    latestVersion: latest,
    content: row.content,
  };
}

export function artifactVersions(database: Database, sessionId: string, id: string): ArtifactVersion[] {
  return database
    .all<Pick<ArtifactRow, "version" | "kind" | "time" | "call_id" | "agent"> & { readonly removed: number }>(
      `SELECT version, kind, time, call_id, agent, content IS NULL AS removed FROM artifacts
       WHERE session_id = ? AND id = ? ORDER BY version`,
      sessionId,
      id,
    )
    .map(({ version, kind, time, call_id, agent, removed }) => ({
      version,
      kind,
      time,
      callId: call_id,
      ...optional("agent", agent),
      ...(removed === 1 ? { removed: true as const } : {}),
    }));
}

function latestVersion(database: Database, sessionId: string, id: string): number {
  const [latest] = database.columns<[number | null]>(
    "SELECT max(version) FROM artifacts WHERE session_id = ? AND id = ?",
    sessionId,
    id,
  ) ?? [null];
  return latest ?? 0;
}

function rowOf(database: Database, sessionId: string, id: string, version: number): ArtifactRow | undefined {
  return database.one<ArtifactRow>("SELECT * FROM artifacts WHERE session_id = ? AND id = ? AND version = ?", sessionId, id, version);
}
