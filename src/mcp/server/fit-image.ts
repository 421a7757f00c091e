/** Images of at most 1 MB as base64: larger ones are scaled down, because clients refuse the whole answer for one of them. */
import type { ImageContent } from "../../contract/index.ts";

const maxBase64 = 1_000_000;
const edges = [1568, 1024, 768, 512, 256];

/** `undefined` if it cannot be made small enough. */
export async function fittingImage(image: ImageContent): Promise<Pick<ImageContent, "data" | "mediaType"> | undefined> {
  if (image.data.length < maxBase64) return image;
  const { default: sharp } = await import("sharp");
  const bytes = Buffer.from(image.data, "base64");
  for (const edge of edges) {
    const smaller = await sharp(bytes)
      .resize({ width: edge, height: edge, fit: "inside", withoutEnlargement: true })
      .flatten({ background: "#ffffff" })
      .jpeg({ quality: 80 })
      .toBuffer()
      .catch(() => undefined);
    if (smaller === undefined) return undefined;
    const data = smaller.toString("base64");
    if (data.length < maxBase64) return { data, mediaType: "image/jpeg" };
  }
  return undefined;
}
