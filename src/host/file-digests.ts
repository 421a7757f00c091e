/** Fingerprints of files by what they hold. Refuses to open what is no regular file; links are followed. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Nothing is there. */
export const absentDigest = "absent";
/** Something is there that is not a readable file. */
export const otherDigest = "other";

export async function fileDigest(path: string): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return otherDigest;
      const hash = createHash("sha256");
      for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
      return hash.digest("hex");
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? absentDigest : otherDigest;
  }
}
