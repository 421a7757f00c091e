/**
 * The artifacts of one session over the store, and their images for the journal: undo gives an earlier content back as a
 * new version, by the same way as it gives back files. Values of secure variables are never kept in an artifact.
 */
import { createHash } from "node:crypto";
import {
  type Artifacts,
  type ArtifactText,
  type FileImage,
  type Images,
  type KaryiEvent,
  type Masker,
  parseArtifactPath,
  type Store,
} from "../contract/index.ts";

type Publish = (events: readonly KaryiEvent[]) => void;

type Shelf = Pick<Store, "artifacts" | "artifact" | "artifactVersions">;

/** What there is to read. A version of an artifact that is gone is gone too, until an undo brings it back. */
export function readArtifacts(store: Shelf, sessionId: string): Pick<Artifacts, "list" | "read" | "versions"> {
  return {
    list: () => store.artifacts(sessionId),
    async read(id, version) {
      const latest = await store.artifact(sessionId, id);
      return latest === undefined || version === undefined || version === latest.version ? latest : store.artifact(sessionId, id, version);
    },
    versions: (id) => store.artifactVersions(sessionId, id),
  };
}

export function sessionArtifacts(store: Store, sessionId: string, masker: Masker, publish: Publish): Artifacts {
  return {
    ...readArtifacts(store, sessionId),
    async save(draft) {
      const content = draft.content === undefined ? undefined : masker.mask(draft.content);
      const { artifact, events } = await store.saveArtifact(sessionId, { ...draft, title: masker.mask(draft.title), content });
      publish(events);
      return artifact;
    },
  };
}

/** Images of files as before; those of artifacts come from the store. */
export function imagesWithArtifacts(images: Images, store: Store, publish: Publish): Images {
  const look = async (sessionId: string, id: string): Promise<FileImage> => {
    const artifact = await store.artifact(sessionId, id);
    return artifact === undefined ? { kind: "absent" } : { kind: "artifact", version: artifact.version, hash: hashOf(artifact) };
  };
  const giveBack = async (sessionId: string, id: string, image: FileImage, callId: string): Promise<void> => {
    const now = await store.artifact(sessionId, id);
    const base = (await store.artifactVersions(sessionId, id)).at(-1)?.version ?? 0;
    const before = image.kind === "artifact" ? await store.artifact(sessionId, id, image.version) : undefined;
    const shown = before ?? now;
    if (shown === undefined) return;
    const { title, contentType } = shown;
    const draft = { id, title, contentType, content: before?.content, kind: "rewrite" as const, callId, base };
    publish((await store.saveArtifact(sessionId, draft)).events);
  };
  const either = <T>(path: string, ofArtifact: (sessionId: string, id: string) => Promise<T>, ofFile: () => Promise<T>): Promise<T> => {
    const artifact = parseArtifactPath(path);
    return artifact === undefined ? ofFile() : ofArtifact(artifact.sessionId, artifact.id);
  };
  return {
    capture: (path) => either(path, look, () => images.capture(path)),
    batch: () => {
      const batch = images.batch();
      return {
        capture: (path) => either(path, look, () => batch.capture(path)),
        restore: (path, image, callId = "", expected) =>
          either(
            path,
            async (sessionId, id) => {
              if (expected !== undefined && !isSame(await look(sessionId, id), expected)) return false;
              await giveBack(sessionId, id, image, callId);
              return true;
            },
            () => batch.restore(path, image, callId, expected),
          ),
        onDisk: () => batch.onDisk(),
      };
    },
    check: (image) => images.check(image),
    beginCapture: (path, known) =>
      either(
        path,
        async (sessionId, id) => ({ image: await look(sessionId, id), onDisk: Promise.resolve() }),
        () => images.beginCapture(path, known),
      ),
    inspect: (path, known) => either(path, look, () => images.inspect(path, known)),
    attributes: (paths) => images.attributes(paths.filter((path) => parseArtifactPath(path) === undefined)),
    time: (path) => either(path, look, () => images.time(path)),
    restore: (path, image, callId = "") =>
      either(
        path,
        (sessionId, id) => giveBack(sessionId, id, image, callId),
        () => images.restore(path, image),
      ),
  };
}

function isSame(one: FileImage, other: FileImage): boolean {
  return one.kind === other.kind && (one.kind !== "artifact" || other.kind !== "artifact" || one.version === other.version);
}

function hashOf({ title, contentType, content }: ArtifactText): string {
  return createHash("sha256")
    .update(JSON.stringify([title, contentType, content]))
    .digest("hex");
}
