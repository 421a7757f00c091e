/** Artifacts (T1): texts of a session that an agent writes and a person reads, every change a version. */
import type { KaryiEvent } from "./event.ts";

export const artifactTypes = ["markdown", "text", "code", "html", "json", "csv", "svg", "mermaid"] as const;
export type ArtifactType = (typeof artifactTypes)[number];

export type ArtifactChangeKind = "create" | "update" | "update_fuzzy" | "rewrite";

export interface ArtifactSummary {
  readonly id: string;
  readonly title: string;
  readonly contentType: ArtifactType;
  /** The latest one; versions count from 1. */
  readonly version: number;
}

export interface ArtifactText extends ArtifactSummary {
  readonly latestVersion: number;
  readonly content: string;
}

export interface ArtifactVersion {
  readonly version: number;
  readonly kind: ArtifactChangeKind;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The call that made it. */
  readonly callId: string;
  /** The agent that made the call; absent if a person or a program did. */
  readonly agent?: string;
  /** From this version on the artifact is gone, because its creation was undone. */
  readonly removed?: true;
}

export interface ArtifactDraft {
  readonly id: string;
  readonly title: string;
  readonly contentType: ArtifactType;
  /** `undefined` removes the artifact; its versions stay. */
  readonly content: string | undefined;
  readonly kind: ArtifactChangeKind;
  readonly callId: string;
  readonly agent?: string;
  /** The version this change was made from; 0 if there is none. Another latest version is a conflict. */
  readonly base: number;
}

/** A version as it was kept, and the event that tells of it. */
export interface SavedArtifact {
  readonly artifact: ArtifactSummary;
  readonly events: readonly KaryiEvent[];
}

export interface Artifacts {
  list(): Promise<readonly ArtifactSummary[]>;
  /** The latest version where none is named; `undefined` if the artifact or the version does not exist. */
  read(id: string, version?: number): Promise<ArtifactText | undefined>;
  /** Oldest first. */
  versions(id: string): Promise<readonly ArtifactVersion[]>;
  /** Adds a version and its `artifact_updated` event in one transaction. Throws `tool_conflict` if `base` is not the latest. */
  save(draft: ArtifactDraft): Promise<ArtifactSummary>;
}

const scheme = "artifact://";

/** The name of an artifact in the journal and among locks, beside the paths of files. */
export function artifactPath(sessionId: string, id: string): string {
  return `${scheme}${encodeURIComponent(sessionId)}/${encodeURIComponent(id)}`;
}

/** The parts of such a name; `undefined` for the path of a file. */
export function parseArtifactPath(path: string): { readonly sessionId: string; readonly id: string } | undefined {
  if (!path.startsWith(scheme)) return undefined;
  const [sessionId = "", id = ""] = path.slice(scheme.length).split("/");
  return { sessionId: decodeURIComponent(sessionId), id: decodeURIComponent(id) };
}
