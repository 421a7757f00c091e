import { describe, expect, it } from "vitest";
import { createDecoder, joined, parseParts } from "./decoder.ts";
import { type Case, corpusTools } from "./fixtures/case.ts";
import { corpus } from "./fixtures/index.ts";
import type { DecodedPart } from "./types.ts";

function shown(parts: readonly DecodedPart[]) {
  return parts.flatMap((part) => {
    if (part.type === "text") return [];
    const { name, input, repaired, cutOff, unreadable, id } = part.call;
    return [
      {
        name,
        input,
        ...(unreadable === undefined ? { ...(repaired === undefined ? {} : { repaired: [...repaired].sort() }) } : { unreadable: true }),
        ...(cutOff ? { cutOff } : {}),
        ...(id === undefined ? {} : { id }),
      },
    ];
  });
}

function expected({ calls }: Case) {
  return calls.map(([name, input, extras = {}]) => {
    const { repaired, unreadable, ...rest } = extras;
    return { name, input, ...(unreadable ? { unreadable } : repaired === undefined ? {} : { repaired: [...repaired].sort() }), ...rest };
  });
}

for (const [group, cases] of Object.entries(corpus)) {
  describe(`what models write: ${group}`, () => {
    for (const one of cases) {
      it(one.title, () => {
        const options = { dialect: one.dialect ?? "auto", ...(one.untyped ? {} : { tools: corpusTools }) };
        const parts = parseParts(one.text, options);
        expect(shown(parts)).toEqual(expected(one));
        if (one.prose !== undefined) expect(parts.map((part) => (part.type === "text" ? part.text : "")).join("")).toBe(one.prose);
        const decoder = createDecoder(options.dialect, options);
        const pieces = [...one.text].flatMap((character) => decoder.push(character));
        expect(joined([...pieces, ...decoder.end()])).toEqual(parts);
      });
    }
  });
}

it("has at least 300 cases, each with a title of its own", () => {
  const titles = Object.entries(corpus).flatMap(([group, cases]) => cases.map(({ title }) => `${group}: ${title}`));
  expect(titles.length).toBeGreaterThanOrEqual(300);
  expect(new Set(titles).size).toBe(titles.length);
});
