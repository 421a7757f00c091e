/**
 * Read: a page of a text file with line numbers, or what a file that is no text holds (F1).
 * Remembers what was read, so that a later change by somebody else is noticed. Changes nothing.
 * Never waits and never fills memory: FIFOs and devices are refused at once, large files are read in blocks.
 */

import { extname } from "node:path";
import { z } from "zod";
import type { Fingerprint, OpenFile, PathFacts, RunContext, ToolOutput } from "../../contract/index.ts";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { readData } from "../data/file-data.ts";
import { listDirectory } from "./list-tree.ts";
import { type FileKind, kindOf, sizeText } from "./read-kind.ts";
import { missingFile } from "./read-missing.ts";
import { readText } from "./read-text.ts";
import { detectEncoding, looksWide } from "./text/encoding.ts";

/** Files up to this size are read in one go. */
const wholeBytes = 1 << 20;
const headBytes = 256 << 10;
/** Larger drawings are shown as text only. */
const maxDrawingBytes = 2 << 20;

const input = z.object({
  file_path: z.string().min(1).describe("Absolute, or relative to the working directory."),
  offset: z.number().int().min(0).default(0).describe("First line, from 0."),
  limit: z.number().int().min(1).default(2000).describe("How many lines."),
  pages: z.string().optional().describe('Pages of a PDF: "3", "1-5" or "4-".'),
  directory: z.enum(["error", "list"]).default("error").describe("If it is a directory."),
});

type ReadInput = z.infer<typeof input>;
type Context = RunContext<"files", { readonly facts: PathFacts }>;

/** What a caller gives Read. */
export type ReadGiven = z.input<typeof input>;

export const readTool = defineTool<ReadInput, "files" | "search", { readonly facts: PathFacts }>({
  name: "Read",
  aliases: ["FileRead", "read_file"],
  description:
    "Reads a file. Text comes with line numbers. " +
    "Also shows images, PDF text by page and Jupyter notebooks, and names the kind of other binary files.",
  input,
  dataSchema: readData,
  synonyms: { path: "file_path", file: "file_path", filename: "file_path" },
  example: { file_path: "src/server.ts", offset: 0, limit: 200 },
  traits: { readOnly: true, concurrencySafe: true, searchHint: "view open show cat file content text image pdf notebook" },
  needs: ["files", "search"],
  async plan({ file_path }, { files }) {
    const facts = await files.resolve(file_path);
    return { summary: `Read ${file_path}`, effects: [{ kind: "read", path: facts }], data: { facts } };
  },
  async run(request, context) {
    const facts = context.plan.data?.facts;
    if (facts === undefined) throw new Error("Read runs only with its own plan");
    if (facts.kind === "directory" && request.directory === "list") {
      return listDirectory(facts, { depth: 1, includeIgnored: true }, context);
    }
    if (facts.kind === "absent") throw await missingFile(facts, context.files);
    const file = await context.files.open(facts);
    try {
      return await readOpen(file, facts, request, context);
    } finally {
      await file.close();
    }
  },
});

async function readOpen(file: OpenFile, facts: PathFacts, request: ReadInput, context: Context): Promise<ToolOutput> {
  const { size } = file.stat;
  const wanted = size === 0 ? headBytes : size <= wholeBytes ? size : headBytes;
  const head = asBuffer(await file.read(0, wanted));
  const partial = head.length < size;
  const kind = kindOf(head, looksWide(head, partial));
  const special = await readSpecial(kind, file, facts, request, context);
  if (special !== undefined && !(kind.kind === "image" && kind.format === "svg")) return special;
  const { fingerprint, ...answer } = await readText(file, head, await detectEncoding(head, { partial }), {
    path: facts.real,
    offset: request.offset,
    limit: request.limit,
    signal: context.signal,
  });
  remember(context, facts.real, fingerprint);
  // A drawing is both: the text to edit and the picture it makes.
  return special?.content === undefined ? answer : { ...answer, content: special.content };
}

/** What is not shown as plain text; `undefined` for everything that is. */
async function readSpecial(
  kind: FileKind,
  file: OpenFile,
  facts: PathFacts,
  request: ReadInput,
  context: Context,
): Promise<ToolOutput | undefined> {
  const { size } = file.stat;
  const path = facts.real;
  const whole = async (): Promise<Uint8Array> => {
    const { bytes, fingerprint } = await context.files.readAll(facts, size + 1);
    context.seen.remember(path, fingerprint);
    return bytes;
  };
  if (kind.kind === "binary") return binary(path, kind.type, size);
  if (kind.kind === "image") {
    const { readImage, maxImageFileBytes } = await import("./read-image.ts");
    if (kind.format === "svg" && size > maxDrawingBytes) return undefined;
    if (size > maxImageFileBytes) return binary(path, `${kind.format.toUpperCase()} image, too large to be shown`, size);
    try {
      return await readImage(path, await whole(), kind.format);
    } catch (error) {
      if (kind.format === "svg" && error instanceof ToolFailure) return undefined;
      throw error;
    }
  }
  if (kind.kind === "pdf") {
    const { readPdf, maxPdfFileBytes } = await import("./read-pdf.ts");
    if (size > maxPdfFileBytes) return binary(path, "PDF document, too large to be parsed", size);
    return readPdf(path, await whole(), request.pages, context.signal);
  }
  if (extname(path).toLowerCase() === ".ipynb") {
    const { parseNotebook, readNotebook, maxNotebookFileBytes } = await import("./read-notebook.ts");
    const notebook = size > maxNotebookFileBytes ? undefined : parseNotebook(await whole());
    if (notebook !== undefined) return readNotebook(path, size, notebook, request.offset, request.limit);
  }
  return undefined;
}

function binary(path: string, type: string, size: number): ToolOutput {
  return { output: `Binary file: ${type}, ${sizeText(size)}`, data: { path, kind: "binary", type, size } };
}

/** A page does not make the hash of a whole earlier reading wrong. */
function remember(context: Context, real: string, now: Fingerprint): void {
  const before = context.seen.get(real);
  const known = now.hash === undefined && before?.size === now.size && before.mtimeMs === now.mtimeMs;
  context.seen.remember(real, known ? before : now);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
