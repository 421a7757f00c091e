import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { attributesOf, giveAttributes, hasAttributes } from "./attributes.ts";

async function place(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "karyi-attributes-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

const value = (text: string): string => Buffer.from(text).toString("base64");

const probe = await mkdtemp(join(tmpdir(), "karyi-attributes-"));
const holds = (await giveAttributes([{ path: probe, attributes: { "user.karyi": value("x") } }])).length === 0;
await rm(probe, { recursive: true });
const why = holds ? "" : " (skipped: no perl, or a file system without attributes)";

it.skipIf(!holds)(`attributes are read and set for many paths at once, exactly${why}`, async () => {
  const directory = await place();
  const paths = Array.from({ length: 2100 }, (_, index) => join(directory, `f ${index}`));
  for (const path of paths) writeFileSync(path, "x");
  const wanted = paths.filter((_, index) => index % 100 === 0).map((path) => ({ path, attributes: { "user.name": value(`of ${path}`) } }));
  expect(await giveAttributes(wanted)).toEqual([]);
  const found = await attributesOf(paths);
  expect([...found]).toEqual(wanted.map(({ path, attributes }) => [path, attributes]));
  const [first = ""] = paths;
  expect(await giveAttributes([{ path: first, attributes: { "user.other": value("\0binary\n") } }])).toEqual([]);
  expect((await attributesOf([first])).get(first)).toEqual({ "user.other": value("\0binary\n") });
  expect(await giveAttributes([{ path: first, attributes: {} }])).toEqual([]);
  expect(await hasAttributes(first)).toBe(false);
});

it("what is not there has none, and cannot be given any", async () => {
  const path = join(await place(), "missing");
  expect([await hasAttributes(path), await giveAttributes([{ path, attributes: { "user.a": value("b") } }])]).toEqual([false, [path]]);
});
