import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pdf } from "../../../test/support/pdf.ts";
import type { Fingerprint, ImageContent, ToolOutput } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { createFiles } from "../../host/index.ts";
import { readTool } from "./read.ts";

let root: string;
let seen: Map<string, Fingerprint>;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-media-")));
  seen = new Map();
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

async function read(name: string, bytes: Uint8Array | string, input: Record<string, unknown> = {}): Promise<ToolOutput> {
  writeFileSync(join(root, name), bytes);
  const request = { file_path: name, offset: 0, limit: 2000, directory: "error", ...input };
  const context = {
    callId: "c",
    files: createFiles({ cwd: () => root }),
    signal: new AbortController().signal,
    seen: { get: (path: string) => seen.get(path), remember: (path: string, one: Fingerprint) => void seen.set(path, one), forget() {} },
    session: { id: "s", cwd: root, workspace: root, roots: [root], userHome: root, env: {}, setCwd() {}, setEnv() {} },
  };
  if (readTool.plan === undefined) throw new Error("Read has a plan");
  return readTool.run(request, {
    ...context,
    plan: await readTool.plan(request, context),
    progress() {},
    live: () => expect.unreachable(),
  });
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ToolFailure ? [error.code, error.details?.reason] : error;
}

function picture(result: ToolOutput): ImageContent & { bytes: Buffer } {
  const [first] = result.content ?? [];
  if (first?.type !== "image") throw new Error("no picture");
  return { ...first, bytes: Buffer.from(first.data, "base64") };
}

/** Left half red, right half blue. */
async function halves(width = 40, height = 20): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at += 1) data[at * 3 + (at % width < width / 2 ? 0 : 2)] = 255;
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

async function pixel(image: Buffer, x: number, y: number): Promise<"red" | "blue" | "other"> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3);
  if (r > 180 && g < 80 && b < 80) return "red";
  return b > 180 && g < 80 && r < 80 ? "blue" : "other";
}

describe("Read of images", () => {
  it.each(["png", "jpeg", "webp", "gif"] as const)("passes a %s on as it is", async (format) => {
    const bytes = await sharp(await halves())
      .toFormat(format)
      .toBuffer();
    const result = await read("i", bytes);
    expect(result.output).toBe(`Image: ${format.toUpperCase()}, 40x20, ${bytes.length} bytes`);
    expect(picture(result)).toEqual({
      type: "image",
      mediaType: `image/${format}`,
      data: bytes.toString("base64"),
      width: 40,
      height: 20,
      bytes,
    });
    expect(seen.get(join(root, "i"))?.hash).toBeDefined();
  });

  it("turns a photograph as it was taken", async () => {
    const bytes = await sharp(await halves())
      .jpeg({ quality: 100 })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const result = await read("i.jpg", bytes);
    const { width, height, bytes: shown, mediaType } = picture(result);
    expect([width, height, mediaType]).toEqual([20, 40, "image/jpeg"]);
    expect([await pixel(shown, 10, 5), await pixel(shown, 10, 35)]).toEqual(["red", "blue"]);
    expect(result.data).toMatchObject({ width: 20, height: 40 });
  });

  it.each([
    ["tiff", "image/jpeg"],
    ["avif", "image/jpeg"],
  ] as const)("makes a %s something that models take", async (format, mediaType) => {
    const bytes = await sharp(await halves())
      .toFormat(format, { quality: 90 })
      .toBuffer();
    const result = await read("i", bytes);
    const shown = picture(result);
    expect([shown.mediaType, shown.width, shown.height, await pixel(shown.bytes, 3, 10), await pixel(shown.bytes, 36, 10)]).toEqual([
      mediaType,
      40,
      20,
      "red",
      "blue",
    ]);
    expect(result.data).toMatchObject({ format, shown: { media_type: mediaType, width: 40, height: 20 } });
  });

  it("keeps transparency of formats that are converted", async () => {
    const bytes = await sharp({ create: { width: 8, height: 8, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.2 } } })
      .tiff({ compression: "lzw" })
      .toBuffer();
    expect(picture(await read("i", bytes)).mediaType).toBe("image/png");
  });

  it("gives a drawing as text and as picture", async () => {
    const svg =
      '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="#f00"/></svg>\n';
    const result = await read("d.svg", svg);
    expect(result.output).toContain("     2\t<svg");
    expect([picture(result).mediaType, await pixel(picture(result).bytes, 5, 5)]).toEqual(["image/png", "red"]);
    expect((await read("d.svg", "<svg><broken")).content).toBeUndefined();
  });

  it.each([24, 32, 8, 4, 1, 16] as const)("decodes a bitmap of %i bits a pixel", async (bits) => {
    const result = await read("i.bmp", bitmap(bits));
    const shown = picture(result);
    expect([shown.mediaType, shown.width, shown.height, await pixel(shown.bytes, 0, 0), await pixel(shown.bytes, 9, 3)]).toEqual([
      "image/png",
      10,
      4,
      "red",
      "blue",
    ]);
  });

  it("shows the first frame of an animation", async () => {
    const frame = (color: string) =>
      sharp({ create: { width: 10, height: 10, channels: 3, background: color } })
        .png()
        .toBuffer();
    const bytes = await sharp([await frame("#f00"), await frame("#00f")], { join: { animated: true } })
      .gif()
      .toBuffer();
    const result = await read("a.gif", bytes);
    expect([picture(result).mediaType, await pixel(picture(result).bytes, 5, 5), result.data]).toEqual([
      "image/png",
      "red",
      expect.objectContaining({ frames: 2, width: 10, height: 10 }),
    ]);
  });

  it("scales down what is too wide or too heavy for a model", async () => {
    const wide = await sharp({ create: { width: 9000, height: 30, channels: 3, background: "#f00" } })
      .png()
      .toBuffer();
    expect(picture(await read("wide.png", wide))).toMatchObject({ width: 8000, height: 26 });
    const side = 1800;
    const noise = Buffer.alloc(side * side * 3);
    let state = 1;
    for (let at = 0; at < noise.length; at += 1) {
      state = (state * 1103515245 + 12345) & 0x7fffffff;
      noise[at] = state >> 16;
    }
    const heavy = await sharp(noise, { raw: { width: side, height: side, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    const shown = picture(await read("heavy.png", heavy));
    expect(shown.data.length).toBeLessThanOrEqual(5_000_000);
    expect((await sharp(shown.bytes).metadata()).width).toBe(shown.width);
  });

  it("says clearly that an image is broken", async () => {
    const png = await halves(200, 200);
    expect(await failure(read("i.png", png.subarray(0, 60)))).toEqual(["tool_error", "broken_image"]);
    const jpeg = await sharp(png).jpeg().toBuffer();
    expect(await failure(read("i.jpg", jpeg.subarray(0, jpeg.length / 2)))).toEqual(["tool_error", "broken_image"]);
    expect(await failure(read("i.bmp", bitmap(24).subarray(0, 80)))).toEqual(["tool_error", "broken_image"]);
    expect(await failure(read("i.heic", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0heicmif1", "latin1")))).toEqual([
      "tool_error",
      "broken_image",
    ]);
  });

  it("does not unfold a decompression bomb", async () => {
    expect(await failure(read("bomb.png", hugePng(30_000, 30_000)))).toEqual(["tool_error", "image_too_large"]);
    const huge = bitmap(24);
    huge.writeInt32LE(2_000_000_000, 18);
    expect(await failure(read("bomb.bmp", huge))).toEqual(["tool_error", "image_too_large"]);
  });
});

/** 10x4, left half red, right half blue, bottom row first. */
function bitmap(bits: 1 | 4 | 8 | 16 | 24 | 32): Buffer {
  const width = 10;
  const height = 4;
  const palette = bits <= 8 ? Buffer.from([0, 0, 255, 0, 255, 0, 0, 0]) : Buffer.alloc(0);
  const stride = Math.ceil((width * bits) / 32) * 4;
  const header = Buffer.alloc(54);
  header.write("BM", "latin1");
  header.writeUInt32LE(54 + palette.length + stride * height, 2);
  header.writeUInt32LE(54 + palette.length, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(bits, 28);
  header.writeUInt32LE(palette.length / 4, 46);
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isBlue = x >= 5;
      const at = y * stride;
      if (bits === 24) rows[at + x * 3 + (isBlue ? 0 : 2)] = 255;
      else if (bits === 32) rows[at + x * 4 + (isBlue ? 0 : 2)] = 255;
      else if (bits === 16) rows.writeUInt16LE(isBlue ? 0x1f : 0x7c00, at + x * 2);
      else if (isBlue) rows[at + ((x * bits) >> 3)] = (rows[at + ((x * bits) >> 3)] ?? 0) | (1 << (8 - bits - ((x * bits) & 7)));
    }
  }
  return Buffer.concat([header, palette, rows]);
}

/** A small file that claims to be a huge picture. */
function hugePng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size[8] = 1;
  const pixels = deflateSync(Buffer.alloc(Math.ceil(width / 8 + 1) * 1000));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", size),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

describe("Read of PDF", () => {
  it("gives size, number of pages and the text of each", async () => {
    const document = pdf(["First page", "Second page", "Third page"]);
    const result = await read("d.pdf", document);
    expect(result).toEqual({
      output: `PDF document, 3 pages, ${document.length.toLocaleString("en-US")} bytes (${(document.length / 1024).toFixed(1)} KB)\n--- Page 1 of 3 ---\nFirst page\n--- Page 2 of 3 ---\nSecond page\n--- Page 3 of 3 ---\nThird page`,
      data: {
        path: join(root, "d.pdf"),
        kind: "pdf",
        size: document.length,
        readable: true,
        page_count: 3,
        first_page: 1,
        last_page: 3,
        eof: true,
      },
    });
  });

  it("gives the pages that were asked for", async () => {
    const document = pdf(Array.from({ length: 30 }, (_, index) => `Number ${index + 1}`));
    const some = await read("d.pdf", document, { pages: "2-3" });
    expect(some.output.split("\n").slice(1)).toEqual([
      "--- Page 2 of 30 ---",
      "Number 2",
      "--- Page 3 of 30 ---",
      "Number 3",
      '(Pages 4 to 30 are not shown; ask for them with pages "4-23".)',
    ]);
    expect((await read("d.pdf", document)).data).toMatchObject({ first_page: 1, last_page: 20, eof: false });
    expect((await read("d.pdf", document, { pages: "29-" })).data).toMatchObject({ first_page: 29, last_page: 30, eof: true });
    for (const pages of ["0", "5-2", "x", "31", "-"])
      expect(await failure(read("d.pdf", document, { pages }))).toEqual(["invalid_tool_input", "bad_pages"]);
  });

  it("names a damaged document by kind and size", async () => {
    const result = await read("d.pdf", "%PDF-1.7\nnothing more\n");
    expect(result).toEqual({
      output: "PDF document, 22 bytes. Its text cannot be read: it is damaged.",
      data: { path: join(root, "d.pdf"), kind: "pdf", size: 22, readable: false, reason: "damaged" },
    });
  });
});

describe("Read of notebooks", () => {
  it("gives cells with their outputs, pictures as pictures", async () => {
    const notebook = {
      nbformat: 4,
      metadata: { kernelspec: { language: "python" } },
      cells: [
        { cell_type: "markdown", source: ["# Title\n", "text"] },
        {
          cell_type: "code",
          execution_count: 3,
          source: "plot()",
          outputs: [
            { output_type: "stream", name: "stdout", text: ["one\n", "two\n"] },
            { output_type: "display_data", data: { "image/png": (await halves()).toString("base64"), "text/plain": "<Figure>" } },
            { output_type: "execute_result", data: { "text/plain": ["42"] } },
            { output_type: "error", ename: "ValueError", evalue: "bad", traceback: ["\u001b[31mTraceback\u001b[0m"] },
            { output_type: "stream", text: "x".repeat(20_000) },
          ],
        },
      ],
    };
    const text = JSON.stringify(notebook);
    const result = await read("n.ipynb", text);
    expect(result.output.split("\n").slice(1)).toEqual([
      "--- Cell 1: markdown ---",
      "# Title",
      "text",
      "--- Cell 2: code [3] ---",
      "plot()",
      "[output]",
      "one",
      "two",
      "[image/png: picture 1 of this result]",
      "[output]",
      "42",
      "[error] ValueError: bad",
      "Traceback",
      "[output]",
      `${"x".repeat(9991)}… [10009 more characters of this output]`,
    ]);
    expect(picture(result)).toMatchObject({ width: 40, height: 20 });
    expect(result.data).toEqual({
      path: join(root, "n.ipynb"),
      kind: "notebook",
      size: text.length,
      cells: 2,
      first_cell: 1,
      cells_shown: 2,
      eof: true,
    });
    expect((await read("n.ipynb", text, { offset: 1, limit: 1 })).data).toMatchObject({ first_cell: 2, cells_shown: 1, eof: true });
  });

  it("reads what only has the name as the text it is", async () => {
    expect((await read("n.ipynb", '{"cells": 5}\n')).output).toBe('     1\t{"cells": 5}\n');
    expect((await read("n.ipynb", "not json")).output).toBe("     1\tnot json");
  });
});
