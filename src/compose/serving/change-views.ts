/**
 * What a session changed and what an undo would change, as data by file: from the journal's images and the files as they
 * are. Shows no content of secret files, of sealed images, or of files that are long or no text.
 */
import { relative } from "node:path";
import {
  type FileImage,
  isSecretPath,
  type JournalEntry,
  type JsonObject,
  parseArtifactPath,
  type SessionRecord,
} from "../../contract/index.ts";
import { createFiles } from "../../host/index.ts";
import { makeDiff } from "../make-diff.ts";
import type { WiredEngine } from "../wired-engine.ts";

const maxTextBytes = 64 * 1024;
/** All texts of one view together. */
const maxViewBytes = 4 * 1024 * 1024;
const maxFiles = 2000;

interface Track {
  /** Before the first of the calls. */
  readonly before: FileImage;
  /** What the last of them left. */
  readonly after: FileImage | undefined;
  readonly callIds: readonly string[];
}

interface ChangeViews {
  ofSession(record: SessionRecord): Promise<readonly JsonObject[]>;
  ofUndo(record: SessionRecord, callIds: readonly string[]): Promise<readonly JsonObject[]>;
}

export function createChangeViews(engine: WiredEngine): ChangeViews {
  const { store, wiring, places } = engine;
  const { images, masker, blobs } = wiring;
  const files = createFiles({ cwd: () => "/", fsync: false, userHome: places.userHome });

  /** Oldest first. */
  const tracksOf = async (callIds: readonly string[]): Promise<ReadonlyMap<string, Track>> => {
    const tracks = new Map<string, Track>();
    for (const callId of callIds) {
      for (const { path, before, after } of await store.journal(callId)) note(tracks, callId, { path, before, ...(after && { after }) });
    }
    return tracks;
  };

  const textOfImage = async (image: FileImage): Promise<string | undefined> => {
    if (image.kind === "absent") return "";
    if (image.kind !== "file" || image.sealed || image.size > maxTextBytes) return undefined;
    try {
      return asText(image.bytes === undefined ? await blobs.read(image.hash) : Buffer.from(image.bytes, "base64"));
    } catch {
      // Collected since, or damaged: the file is still named.
      return undefined;
    }
  };

  const textOnDisk = async (path: string, image: FileImage): Promise<string | undefined> => {
    if (image.kind === "absent") return "";
    if (image.kind !== "file" || image.size > maxTextBytes) return undefined;
    try {
      return asText((await files.readAll(await files.resolve(path), maxTextBytes)).bytes);
    } catch {
      return undefined;
    }
  };

  const view = async (
    { workspace }: SessionRecord,
    tracks: ReadonlyMap<string, Track>,
    isUndo: boolean,
  ): Promise<readonly JsonObject[]> => {
    const found: JsonObject[] = [];
    let left = maxViewBytes;
    for (const [path, { before, after, callIds }] of [...tracks].slice(0, maxFiles)) {
      const now = await images.inspect(path).catch((): FileImage => ({ kind: "absent" }));
      if (!isUndo && same(before, now)) continue;
      const [from, to] = isUndo ? [now, before] : [before, now];
      const inside = path.startsWith(`${workspace}/`) ? relative(workspace, path) : path;
      const artifact = parseArtifactPath(path);
      const isShown = artifact === undefined && !isSecretPath(inside) && left > 0;
      const kept = isShown ? await textOfImage(before) : undefined;
      const current = isShown ? await textOnDisk(path, now) : undefined;
      const texts = kept === undefined || current === undefined ? undefined : isUndo ? [current, kept] : [kept, current];
      const [textBefore = "", textAfter = ""] = (texts ?? []).map((text) => masker.mask(text));
      left -= texts === undefined ? 0 : textBefore.length + textAfter.length;
      const changed = changeOf(from, to);
      found.push({
        path: artifact === undefined ? inside : `artifact:${artifact.id}`,
        change: changed,
        ...(from.kind === "file" ? { before_size: from.size } : {}),
        ...(to.kind === "file" ? { after_size: to.size } : {}),
        ...(texts === undefined || changed === "none"
          ? {}
          : {
              before: textBefore,
              after: textAfter,
              diff: makeDiff(inside, from.kind === "file" ? textBefore : undefined, to.kind === "file" ? textAfter : undefined),
            }),
        changed_by_others: after !== undefined && !same(now, after) && !same(now, before),
        call_ids: [...callIds],
      });
    }
    return found;
  };

  return {
    async ofSession(record) {
      const calls = [...(await store.listCalls({ sessionId: record.id, writing: true }))].reverse();
      return view(record, await tracksOf(calls.map(({ id }) => id)), false);
    },
    async ofUndo(record, callIds) {
      const known = await Promise.all(callIds.map((id) => store.call(id)));
      const own = known.filter((call) => call?.sessionId === record.id).sort((a, b) => (a?.startedAt ?? 0) - (b?.startedAt ?? 0));
      return view(record, await tracksOf(own.flatMap((call) => call?.id ?? [])), true);
    },
  };
}

/** Times alone are no change that anybody looks for. */
function note(tracks: Map<string, Track>, callId: string, { path, before, after }: JournalEntry): void {
  if (before.kind === "time") return;
  const known = tracks.get(path);
  tracks.set(path, { before: known?.before ?? before, after: after ?? known?.after, callIds: [...(known?.callIds ?? []), callId] });
}

function same(one: FileImage, other: FileImage): boolean {
  if (one.kind === "file" && other.kind === "file") return one.hash === other.hash && one.mode === other.mode;
  if (one.kind === "link" && other.kind === "link") return one.target === other.target;
  if (one.kind === "artifact" && other.kind === "artifact") return one.hash === other.hash;
  return one.kind === other.kind;
}

function changeOf(from: FileImage, to: FileImage): string {
  if (same(from, to)) return "none";
  if (to.kind === "absent") return "deleted";
  if (from.kind === "absent") return "created";
  if (from.kind === "file" && to.kind === "file" && from.hash === to.hash) return "mode";
  return to.kind === "link" ? "link" : "modified";
}

function asText(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString("utf8");
  return text.includes("\0") || text.includes("\uFFFD") ? undefined : text;
}
