/**
 * Owns Jupyter notebooks: cells with their outputs in order, bounded, pictures as pictures.
 * Anything that only calls itself a notebook is not one here, and is read as the text it is.
 */
import { z } from "zod";
import type { Content, ToolOutput } from "../../contract/index.ts";
import { kindOf, sizeText } from "./read-kind.ts";

export const maxNotebookFileBytes = 64 << 20;
const maxOutputCharacters = 10_000;
const maxPictures = 8;

const text = z.union([z.string(), z.array(z.string())]).transform((value) => (typeof value === "string" ? value : value.join("")));
const outputSchema = z.looseObject({
  output_type: z.string(),
  text: text.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});
const notebookSchema = z.looseObject({
  nbformat: z.number(),
  metadata: z.looseObject({ kernelspec: z.looseObject({ language: z.string().optional() }).optional() }).optional(),
  cells: z.array(
    z.looseObject({
      cell_type: z.string(),
      source: text,
      execution_count: z.number().nullish(),
      outputs: z.array(outputSchema).optional(),
    }),
  ),
});

type Notebook = z.infer<typeof notebookSchema>;
type CellOutput = z.infer<typeof outputSchema>;

/** `undefined` when the bytes are no notebook. */
export function parseNotebook(bytes: Uint8Array): Notebook | undefined {
  try {
    const parsed = notebookSchema.safeParse(
      JSON.parse(
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          .toString("utf8")
          .replace(/^\uFEFF/, ""),
      ),
    );
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Offset and limit count cells. */
export async function readNotebook(path: string, size: number, notebook: Notebook, offset: number, limit: number): Promise<ToolOutput> {
  const language = notebook.metadata?.kernelspec?.language;
  const total = notebook.cells.length;
  const shown = notebook.cells.slice(offset, offset + limit);
  const content: Content[] = [];
  const parts = [
    `Jupyter notebook, ${total} ${total === 1 ? "cell" : "cells"}${language === undefined ? "" : `, ${language}`}, ${sizeText(size)}`,
  ];
  for (const [index, cell] of shown.entries()) {
    const count = typeof cell.execution_count === "number" ? ` [${cell.execution_count}]` : "";
    parts.push(`--- Cell ${offset + index + 1}: ${cell.cell_type}${count} ---`, cell.source);
    for (const output of cell.outputs ?? []) parts.push(await outputText(output, content, path));
  }
  const next = offset + shown.length;
  if (next < total) parts.push(`(${total - next} more cells; go on with offset ${next}.)`);
  return {
    output: parts.join("\n"),
    ...(content.length > 0 ? { content } : {}),
    data: { path, kind: "notebook", size, cells: total, first_cell: offset + 1, cells_shown: shown.length, eof: next >= total },
  };
}

async function outputText(output: CellOutput, content: Content[], path: string): Promise<string> {
  if (output.output_type === "error") {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: tracebacks are coloured with escape sequences
    const trace = (output.traceback ?? []).join("\n").replace(/\u001b\[[0-9;]*m/g, "");
    return bounded(`[error] ${output.ename ?? ""}: ${output.evalue ?? ""}\n${trace}`.trimEnd());
  }
  if (output.text !== undefined) return bounded(`[output]\n${output.text}`.trimEnd());
  const data = output.data ?? {};
  for (const type of ["image/png", "image/jpeg", "image/gif", "image/webp"]) {
    const picture = text.safeParse(data[type]);
    if (picture.success) return showPicture(picture.data, type, content, path);
  }
  for (const type of ["text/markdown", "text/plain", "application/json", "text/html"]) {
    if (data[type] === undefined) continue;
    const plain = text.safeParse(data[type]);
    return bounded(`[output]\n${plain.success ? plain.data : JSON.stringify(data[type])}`.trimEnd());
  }
  return `[output: ${Object.keys(data).join(", ") || output.output_type}]`;
}

async function showPicture(base64: string, type: string, content: Content[], path: string): Promise<string> {
  if (content.length >= maxPictures) return `[${type}: not shown, ${maxPictures} pictures are the most of one call]`;
  try {
    const bytes = Buffer.from(base64, "base64");
    const kind = kindOf(bytes, false);
    if (kind.kind !== "image") return `[${type}: not a picture]`;
    const { fitImage } = await import("./read-image.ts");
    content.push((await fitImage(bytes, kind.format, path)).shown);
    return `[${type}: picture ${content.length} of this result]`;
  } catch {
    return `[${type}: cannot be decoded]`;
  }
}

function bounded(value: string): string {
  if (value.length <= maxOutputCharacters) return value;
  return `${value.slice(0, maxOutputCharacters)}… [${value.length - maxOutputCharacters} more characters of this output]`;
}
