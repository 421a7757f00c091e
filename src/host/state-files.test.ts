import { execFileSync } from "node:child_process";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { defaultHome, resolvePlaces } from "./places.ts";
import { readJsonFile } from "./state-files.ts";

const { HOME } = process.env;
const made: string[] = [];

afterEach(async () => {
  process.env.HOME = HOME;
  for (const path of made.splice(0)) await rm(path, { recursive: true, force: true });
});

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "karyi-state-"));
  made.push(path);
  return path;
}

describe("a small JSON file", () => {
  it("is read only when it is a regular file of a sane size", async () => {
    const place = await directory();
    await writeFile(join(place, "good"), '\uFEFF{"a":1}');
    expect(await readJsonFile(join(place, "good"))).toMatchObject({ kind: "json", value: { a: 1 } });
    expect(await readJsonFile(join(place, "none"))).toEqual({ kind: "absent" });
    expect(await readJsonFile(place)).toMatchObject({ kind: "damaged" });
    execFileSync("mkfifo", [join(place, "pipe")]);
    expect(await readJsonFile(join(place, "pipe"))).toEqual({ kind: "damaged", message: "it is no regular file" });
    await writeFile(join(place, "huge"), "");
    await truncate(join(place, "huge"), 1024 ** 4);
    expect(await readJsonFile(join(place, "huge"))).toMatchObject({ kind: "damaged" });
  });
});

describe("Karyi's home", () => {
  it("is never taken from the project one stands in because HOME is empty or relative", async () => {
    for (const home of ["", ".", "x"]) {
      process.env.HOME = home;
      const found = defaultHome({ KARYI_HOME: "" });
      expect(found.startsWith("/")).toBe(true);
      expect(found.startsWith(join(process.cwd(), "/"))).toBe(false);
      expect((await resolvePlaces(".", found)).userHome.startsWith(process.cwd())).toBe(false);
    }
  });
});
