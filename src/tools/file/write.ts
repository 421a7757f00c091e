/**
 * Write: puts whole content into a file, new or not (F3).
 * Line endings are written as given. An existing file keeps its encoding and byte order mark where the text fits;
 * what it held is shown as a diff before it goes, unless it is binary or huge.
 */

import { z } from "zod";
import type { Effect, FileChange, FileReader, Fingerprint, PathFacts } from "../../contract/index.ts";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { writeData } from "../data/file-data.ts";
import { unifiedDiff } from "./diff.ts";
import type { Codec, Document } from "./match/codec.ts";
import { codecOf, encode, readDocument } from "./match/codec.ts";
import { unencodableFailure } from "./match/report.ts";
import { commitWrites } from "./write-commit.ts";
import type { PlannedWrite } from "./write-set.ts";
import { changesData, checkParents, displayPath, intentsOf, isSame, previewOf, staleFailure } from "./write-set.ts";

/** Above this the old content is neither read nor compared. */
const maxComparedBytes = 8 << 20;

const input = z.object({
  file_path: z.string().min(1).describe("Absolute, or relative to the working directory."),
  content: z.string().describe("The whole new content."),
});

interface WriteData {
  readonly write: PlannedWrite;
  readonly changes: readonly FileChange[];
}

/** What a caller gives Write. */
export type WriteGiven = z.input<typeof input>;

export const writeTool = defineTool<z.infer<typeof input>, "files", WriteData>({
  name: "Write",
  aliases: ["FileWrite", "write_file"],
  description:
    "Writes a whole file, with its directories; replaces it if it exists. To change a part of a file use Edit. " +
    "Read an existing file before overwriting it.",
  input,
  dataSchema: writeData,
  synonyms: { path: "file_path", text: "content" },
  example: { file_path: "notes/today.md", content: "# Today\n" },
  traits: { readOnly: false, concurrencySafe: false, searchHint: "create new file overwrite save content" },
  needs: ["files"],
  async plan(request, context) {
    const { cwd } = context.session;
    const facts = await context.files.resolve(request.file_path);
    const old = await lookAt(facts, context.files);
    const remembered = context.seen.get(facts.real);
    if (old !== undefined && remembered !== undefined && !isSame(remembered, old.fingerprint)) throw staleFailure(facts.asked);
    const fresh = await contentFor(request.content, old?.document?.codec, facts.asked);
    const change = await changeOf(facts, old, fresh, cwd);
    const created = old === undefined;
    const write = { facts, before: old?.document?.bytes ?? null, expect: old?.fingerprint ?? null, after: fresh.bytes, codec: fresh.codec };
    return {
      summary: `Write ${displayPath(facts, cwd)}: ${created ? "new file" : "replaces the file"}, ${sizeOf(fresh.bytes.length)}`,
      effects: effectsOf(facts, old, remembered === undefined),
      preview: { type: "diff", text: previewOf([change]) },
      changes: [change],
      intends: intentsOf([write]),
      data: { write, changes: [change] },
      report: { path: facts.real, bytes: fresh.bytes.length, created, encoding: fresh.codec.encoding, bom: fresh.codec.bomLength > 0 },
    };
  },
  async run(_request, context) {
    const { data, report } = context.plan;
    if (data === undefined) throw new Error("Write runs only with its own plan");
    await commitWrites([data.write], context);
    const { facts, after } = data.write;
    const verb = report?.created === true ? "Created" : "Wrote";
    const encoding = report?.encoding === "utf-8" ? "" : ` as ${String(report?.encoding)}`;
    return {
      output: `${verb} ${displayPath(facts, context.session.cwd)} (${sizeOf(after?.length ?? 0)}${encoding})`,
      data: { ...report, changes: changesData(data.changes) },
    };
  },
});

interface OldFile {
  readonly fingerprint: Fingerprint;
  /** Absent for binary and huge content. */
  readonly document?: Document;
  readonly wasRead: boolean;
}

async function lookAt(facts: PathFacts, files: FileReader): Promise<OldFile | undefined> {
  if (facts.kind === "absent") {
    await checkParents(files, facts);
    return undefined;
  }
  try {
    const { bytes, fingerprint } = await files.readAll(facts, maxComparedBytes);
    const document = await readDocument(bytes);
    return { fingerprint, wasRead: true, ...(document === undefined ? {} : { document }) };
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.details?.reason !== "too_large") throw error;
  }
  const file = await files.open(facts);
  const { size, mtimeMs } = file.stat;
  await file.close();
  return { fingerprint: { size, mtimeMs }, wasRead: false };
}

/** In the encoding of what it replaces where that can hold it, else in UTF-8. */
async function contentFor(content: string, old: Codec | undefined, path: string): Promise<Document> {
  const text = content.startsWith("\ufeff") ? content.slice(1) : content;
  const wantsMark = text !== content;
  if (old !== undefined && old.encoding !== "utf-8") {
    const kept = await encode(old, text);
    if (!("unencodable" in kept)) return marked(old.encoding, wantsMark || old.bomLength > 0, kept.bytes);
  }
  const encoded = await encode(codecOf("utf-8", 0), text);
  if ("unencodable" in encoded) throw unencodableFailure(path, encoded.unencodable, "utf-8");
  return marked("utf-8", wantsMark || (old?.encoding === "utf-8" && old.bomLength > 0), encoded.bytes);
}

const marks: Readonly<Partial<Record<Codec["encoding"], Uint8Array>>> = {
  "utf-8": Uint8Array.of(0xef, 0xbb, 0xbf),
  "utf-16le": Uint8Array.of(0xff, 0xfe),
  "utf-16be": Uint8Array.of(0xfe, 0xff),
};

function marked(encoding: Codec["encoding"], withMark: boolean, body: Buffer): Document {
  const mark = withMark ? marks[encoding] : undefined;
  if (mark === undefined) return { bytes: body, codec: codecOf(encoding, 0) };
  return { bytes: Buffer.concat([mark, body]), codec: codecOf(encoding, mark.length) };
}

/** The diff shows what the file held, so overwriting is a read as well. */
function effectsOf(facts: PathFacts, old: OldFile | undefined, neverRead: boolean): readonly Effect[] {
  if (old === undefined) return [{ kind: "write", path: facts, change: "create" }];
  const read: readonly Effect[] = old.wasRead ? [{ kind: "read", path: facts }] : [];
  return [...read, { kind: "write", path: facts, change: "modify", ...(neverRead ? { unread: true } : {}) }];
}

async function changeOf(facts: PathFacts, old: OldFile | undefined, fresh: Document, cwd: string): Promise<FileChange> {
  const name = displayPath(facts, cwd);
  const comparable = old === undefined || old.document !== undefined;
  const diff = comparable ? await unifiedDiff({ before: name, after: name }, old?.document, fresh) : undefined;
  return {
    path: facts.real,
    change: old === undefined ? "created" : "modified",
    ...(old === undefined ? {} : { beforeSize: old.fingerprint.size }),
    afterSize: fresh.bytes.length,
    ...(diff === undefined ? {} : { diff }),
  };
}

function sizeOf(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}
