/** What was looked at a moment ago is asked about again, only by another way. */
import { mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFiles } from "./files.ts";

test("every call asks the kernel again: a name and a content that were seen a moment ago are seen as they are now", async () => {
  const directory = await mkdtemp(join(tmpdir(), "karyi-warm-"));
  const at = (name: string) => join(directory, name);
  try {
    const files = createFiles({ cwd: () => directory, fsync: false });
    const read = async (path: string) => {
      const file = await files.open(await files.resolve(path));
      try {
        return Buffer.from(await file.read(0, 3)).toString();
      } finally {
        await file.close();
      }
    };
    for (const name of ["one", "two"]) {
      await writeFile(at(name), name);
      await symlink(name, at(`to-${name}`));
    }
    expect([await read("to-one"), await read("to-one")]).toEqual(["one", "one"]);
    await rename(at("to-two"), at("to-one"));
    expect(await read("to-one")).toBe("two");
    await rm(at("two"));
    expect(await files.resolve("to-one")).toMatchObject({ kind: "absent" });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
