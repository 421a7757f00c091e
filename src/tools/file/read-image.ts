/**
 * Owns images for models: any format people have, turned as it was taken, in a format and size that a model accepts.
 * One oversize picture makes a conversation unusable for ever, so nothing larger than the limits leaves here.
 * Refuses pictures that do not decode, and pictures that would unfold to more pixels than a machine should hold.
 */
import type { Sharp } from "sharp";
import type { ImageContent, JsonObject, ToolOutput } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { decodeBmp } from "./read-bmp.ts";
import { type ImageFormat, sizeText } from "./read-kind.ts";

const maxSidePixels = 8000;
/** Of the base64 text. */
const maxImageCharacters = 5_000_000;
/** Decoded size above which a picture is refused. */
const maxPixels = 16_384 * 16_384;
export const maxImageFileBytes = 128 << 20;
const decodeSeconds = 30;

/** Formats that models take as they are. */
const accepted: Readonly<Partial<Record<string, string>>> = { jpeg: "image/jpeg", png: "image/png", gif: "image/gif", webp: "image/webp" };

type SharpModule = typeof import("sharp")["default"];
let loading: Promise<SharpModule> | undefined;

function loadSharp(): Promise<SharpModule> {
  loading ??= import("sharp").then((module) => module.default);
  return loading;
}

interface Decoded {
  /** Makes a fresh pipeline: each attempt at a size starts from the source. */
  pipeline(): Sharp;
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
  readonly frames: number;
  /** The file's own bytes can be shown. */
  readonly asIs: boolean;
}

export async function readImage(
  path: string,
  bytes: Uint8Array,
  format: ImageFormat,
): Promise<ToolOutput & { readonly content: readonly ImageContent[] }> {
  const image = await fitImage(bytes, format, path);
  const { source, shown } = image;
  const data: JsonObject = {
    path,
    kind: "image",
    format: source.format,
    size: bytes.byteLength,
    width: source.width,
    height: source.height,
    ...(source.frames > 1 ? { frames: source.frames } : {}),
    shown: { media_type: shown.mediaType, width: shown.width ?? 0, height: shown.height ?? 0 },
  };
  const changed = shown.mediaType !== accepted[source.format] || shown.width !== source.width || shown.height !== source.height;
  const frames = source.frames > 1 ? `, ${source.frames} frames (the first is shown)` : "";
  const how = changed ? `; shown as ${shown.mediaType.slice(6).toUpperCase()}, ${shown.width}x${shown.height}` : "";
  const output = `Image: ${source.format.toUpperCase()}, ${source.width}x${source.height}${frames}, ${sizeText(bytes.byteLength)}${how}`;
  return { output, content: [shown], data };
}

/** A picture within the limits, and what it was. */
export async function fitImage(bytes: Uint8Array, format: ImageFormat, path: string): Promise<{ source: Decoded; shown: ImageContent }> {
  const sharp = await loadSharp();
  try {
    const source = await decode(sharp, bytes, format, path);
    if (source.asIs && bytes.byteLength * 4 <= maxImageCharacters * 3 - 12) {
      // Decodes every pixel: what is passed on must be a whole picture.
      await source.pipeline().stats();
      return { source, shown: content(bytes, accepted[source.format] ?? "", source.width, source.height) };
    }
    return { source, shown: await shrink(source) };
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    if (/pixel limit|exceeds|too large/i.test(why)) throw tooManyPixels(path, undefined, undefined);
    throw broken(path, format, why.replace(/^Input buffer/, "the image"));
  }
}

async function decode(sharp: SharpModule, bytes: Uint8Array, format: ImageFormat, path: string): Promise<Decoded> {
  if (format === "bmp") {
    const bitmap = decodeBmp(bytes, maxPixels);
    return raw(sharp, bitmap, "bmp");
  }
  const options = { limitInputPixels: maxPixels, failOn: "error", pages: 1 } as const;
  const meta = await sharp(bytes, options).metadata();
  if (meta.width * meta.height > maxPixels) throw tooManyPixels(path, meta.width, meta.height);
  if (meta.format === "heif" && meta.compression === "hevc") {
    const decodeHeic = (await import("heic-decode")).default;
    return raw(sharp, await decodeHeic({ buffer: bytes }), "heic");
  }
  const turned = (meta.orientation ?? 1) >= 5;
  const frames = meta.pages ?? 1;
  const name = meta.format === "heif" ? "avif" : meta.format;
  return {
    pipeline: () => sharp(bytes, options).autoOrient().timeout({ seconds: decodeSeconds }),
    format: name,
    width: turned ? meta.height : meta.width,
    height: turned ? meta.width : meta.height,
    hasAlpha: meta.hasAlpha,
    frames,
    asIs:
      accepted[name] !== undefined && frames === 1 && (meta.orientation ?? 1) === 1 && Math.max(meta.width, meta.height) <= maxSidePixels,
  };
}

function raw(sharp: SharpModule, bitmap: { width: number; height: number; data: Uint8Array | Uint8ClampedArray }, format: string): Decoded {
  const { width, height, data } = bitmap;
  const hasAlpha = isTranslucent(data);
  return {
    pipeline: () => {
      const image = sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: maxPixels }).timeout({ seconds: decodeSeconds });
      return hasAlpha ? image : image.removeAlpha();
    },
    format,
    width,
    height,
    hasAlpha,
    frames: 1,
    asIs: false,
  };
}

function isTranslucent(rgba: Uint8Array | Uint8ClampedArray): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return true;
  return false;
}

/** Lossless for drawings and transparency, JPEG for photographs; smaller and smaller until it fits. */
async function shrink(source: Decoded): Promise<ImageContent> {
  const photographic = !source.hasAlpha && !["png", "gif", "svg", "bmp"].includes(source.format);
  let scale = Math.min(1, maxSidePixels / Math.max(source.width, source.height));
  let asJpeg = photographic;
  for (;;) {
    const width = Math.max(1, Math.floor(source.width * scale));
    const height = Math.max(1, Math.floor(source.height * scale));
    const sized = scale < 1 ? source.pipeline().resize(width, height, { fit: "fill" }) : source.pipeline();
    const encoded = asJpeg ? sized.flatten({ background: "#ffffff" }).jpeg({ quality: 85 }) : sized.png({ compressionLevel: 9 });
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    const characters = Math.ceil(data.byteLength / 3) * 4;
    if (characters <= maxImageCharacters) return content(data, asJpeg ? "image/jpeg" : "image/png", info.width, info.height);
    // A picture without transparency that is large as PNG is a photograph.
    if (!asJpeg && !source.hasAlpha) asJpeg = true;
    else scale *= Math.min(0.9, Math.sqrt(maxImageCharacters / characters) * 0.95);
  }
}

function content(bytes: Uint8Array, mediaType: string, width: number, height: number): ImageContent {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return { type: "image", mediaType, data, width, height };
}

function tooManyPixels(path: string, width: number | undefined, height: number | undefined): ToolFailure {
  const size = width === undefined || height === undefined ? "" : ` (${width}x${height})`;
  return new ToolFailure("tool_error", `${path} has too many pixels to be shown${size}`, {
    hint: "Make a smaller copy of it.",
    details: { reason: "image_too_large", path, ...(size === "" ? {} : { width: width ?? 0, height: height ?? 0 }) },
  });
}

function broken(path: string, format: string, why: string): ToolFailure {
  return new ToolFailure("tool_error", `${path} looks like a ${format.toUpperCase()} image but cannot be decoded: ${why}`, {
    details: { reason: "broken_image", path, format },
  });
}
