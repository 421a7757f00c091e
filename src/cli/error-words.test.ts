/** Every code that the source can fail or decide with has Chinese words: nothing is translated by its English text. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorsInChinese } from "./error-words.ts";
import { rulesInChinese } from "./words.ts";

const source = join(import.meta.dirname, "..");

function texts(): readonly string[] {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts") && !/\.(test|fixture|child)\.ts$|fixtures\/|^gateway\//.test(file))
    .map((file) => readFileSync(join(source, file), "utf8").replace(/^ *\*.*$/gm, ""));
}

/** Codes in `details` of failures that are thrown; other objects have a `reason` too. */
function reasons(text: string): readonly string[] {
  const failures = text.matchAll(/details: \{\s*reason: (?:[\w.]+ \? )?"([a-z_]+)"(?: : "([a-z_]+)")?/g);
  return [...failures].flatMap(([, one, other]) => [one, other].flatMap((reason) => reason ?? []));
}

it("every reason of a failure has Chinese words", () => {
  const all = new Set(texts().flatMap(reasons));
  expect(all.size).toBeGreaterThan(100);
  expect([...all].filter((reason) => !Object.hasOwn(errorsInChinese, reason))).toEqual([]);
});

it("every built-in rule has Chinese words", () => {
  const all = new Set(texts().flatMap((text) => [...text.matchAll(/"builtin:([a-z-]+)"/g)].map(([, rule = ""]) => rule)));
  expect([...all].filter((rule) => rule !== "rule" && !Object.hasOwn(rulesInChinese, rule))).toEqual([]);
});
