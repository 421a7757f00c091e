/** Small JSON files of one folder of the home, one a record: listed, made without replacing, replaced whole. */
import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "../contract/index.ts";
import { readJsonFile } from "./state-files.ts";

export function recordFiles(folder: string) {
  const write = async (value: Json): Promise<string> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, `.${randomBytes(8).toString("hex")}.tmp`);
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    return temporary;
  };
  return {
    async readAll(): Promise<readonly Json[]> {
      const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith(".json") && !name.startsWith("."));
      const files = await Promise.all(names.map((name) => readJsonFile(join(folder, name))));
      return files.flatMap((file) => (file.kind === "json" ? [file.value] : []));
    },
    async create(name: string, value: Json): Promise<boolean> {
      const temporary = await write(value);
      try {
        await link(temporary, join(folder, `${name}.json`));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
        throw error;
      } finally {
        await unlink(temporary);
      }
    },
    async replace(name: string, value: Json): Promise<void> {
      await rename(await write(value), join(folder, `${name}.json`));
    },
  };
}
