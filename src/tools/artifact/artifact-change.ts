/** What the artifact tools share: effects, failures that name what there is, the diff of a change, and its answer. */
import {
  type ArtifactChangeKind,
  type ArtifactDraft,
  type Artifacts,
  type ArtifactText,
  artifactPath,
  type JsonObject,
  type Plan,
  type Preview,
  type StateEffect,
  ToolFailure,
  type ToolOutput,
} from "../../contract/index.ts";
import { unifiedDiff } from "../file/diff.ts";
import { codecOf } from "../file/match/codec.ts";

/** How a place was found that is not exactly the text asked for. */
interface Match {
  readonly similarity: number;
  readonly text: string;
  /** 1-based. */
  readonly line: number;
}

/** A change as it was planned; `run` keeps exactly this. */
export interface PlannedChange {
  readonly draft: Omit<ArtifactDraft, "callId" | "agent">;
  readonly match?: Match;
}

export const readEffect: StateEffect = { kind: "state", area: "artifacts" };

export async function planChange(
  sessionId: string,
  summary: string,
  before: ArtifactText | undefined,
  change: PlannedChange,
): Promise<Plan<PlannedChange>> {
  const { id, content = "" } = change.draft;
  const preview = await previewOf(id, before?.content, content);
  const { draft, match } = change;
  return {
    summary,
    effects: [{ kind: "state", area: "artifacts", record: artifactPath(sessionId, id) }],
    ...(preview === undefined ? {} : { preview }),
    data: change,
    report: dataOf(id, draft.base + 1, draft.kind, match),
  };
}

async function previewOf(id: string, before: string | undefined, after: string): Promise<Preview | undefined> {
  const document = (text: string) => ({ bytes: Buffer.from(text), codec: codecOf("utf-8", 0) });
  const text = await unifiedDiff({ before: id, after: id }, before === undefined ? undefined : document(before), document(after));
  return text === undefined ? undefined : { type: "diff", text };
}

interface Maker {
  readonly artifacts: Artifacts;
  readonly callId: string;
  readonly agent?: string;
}

export async function saveChange({ artifacts, callId, agent }: Maker, plan: Plan<PlannedChange>): Promise<ToolOutput> {
  if (plan.data === undefined) throw new ToolFailure("tool_error", "The change of the artifact was not planned.");
  const { draft, match } = plan.data;
  const { id, version } = await artifacts.save({ ...draft, callId, ...(agent === undefined ? {} : { agent }) });
  return { output: sentence(id, version, draft.kind, match), data: dataOf(id, version, draft.kind, match) };
}

function dataOf(id: string, version: number, kind: ArtifactChangeKind, match: Match | undefined): JsonObject {
  return { id, version, kind, ...(match === undefined ? {} : { match: { ...match } }) };
}

const verbs = { create: "Created", update: "Updated", update_fuzzy: "Updated", rewrite: "Rewrote" } as const;

function sentence(id: string, version: number, kind: ArtifactChangeKind, match: Match | undefined): string {
  const told = `${verbs[kind]} artifact '${id}', now version ${version}.`;
  if (match === undefined) return told;
  const per = `${(match.similarity * 100).toFixed(1).replace(/\.0$/, "")}%`;
  return `${told}\nold_str was not there exactly; the most similar text (${per}), at line ${match.line}, was replaced:\n${match.text}`;
}

/** The latest version, or the failure that names the artifacts there are. */
export async function latestOf(artifacts: Pick<Artifacts, "read" | "list">, id: string): Promise<ArtifactText> {
  const artifact = await artifacts.read(id);
  if (artifact !== undefined) return artifact;
  const known = (await artifacts.list()).map((one) => one.id);
  throw new ToolFailure(
    "tool_not_found",
    `There is no artifact '${id}'. ${known.length === 0 ? "There are none yet." : `There are: ${known.join(", ")}.`}`,
    {
      hint: known.length === 0 ? "Make it with CreateArtifact." : "Use one of these ids, or make a new one with CreateArtifact.",
      details: { reason: "artifact_not_found", artifacts: known },
    },
  );
}

export function checkBase(artifact: ArtifactText, base: number | undefined): void {
  if (base === undefined || base === artifact.latestVersion) return;
  throw new ToolFailure(
    "tool_conflict",
    `The artifact '${artifact.id}' is at version ${artifact.latestVersion} by now, not ${base}: somebody changed it.`,
    {
      hint: "Read it again, then change what is there now.",
      details: { reason: "version_conflict", version: artifact.latestVersion, base_version: base },
    },
  );
}
