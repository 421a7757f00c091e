import { expect, test } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { charactersOf, findPlace } from "./find-place.ts";

/** Every substring, by the plain table: slow and beyond doubt. */
function slowBest(text: string, wanted: string): { distance: number; ends: Set<number> } {
  const haystack = [...charactersOf(text)];
  const pattern = [...charactersOf(wanted)];
  let column = Array.from({ length: pattern.length + 1 }, (_, row) => row);
  let distance = column.at(-1) ?? 0;
  let ends = new Set([0]);
  haystack.forEach((character, at) => {
    const next = [0];
    for (let row = 1; row <= pattern.length; row++) {
      const cost = pattern[row - 1] === character ? 0 : 1;
      next.push(Math.min((column[row - 1] ?? 0) + cost, (column[row] ?? 0) + 1, (next[row - 1] ?? 0) + 1));
    }
    column = next;
    const score = column.at(-1) ?? 0;
    if (score < distance) ends = new Set();
    if (score <= distance) ends.add(at + 1);
    distance = Math.min(distance, score);
  });
  return { distance, ends };
}

function levenshtein(a: string, b: string): number {
  const one = [...a];
  const other = [...b];
  let row = other.map((_, index) => index + 1);
  one.forEach((character, at) => {
    let left = at + 1;
    let diagonal = at;
    row = other.map((wanted, index) => {
      const up = row[index] ?? 0;
      const value = Math.min(up + 1, left + 1, diagonal + (character === wanted ? 0 : 1));
      diagonal = up;
      left = value;
      return value;
    });
  });
  return row.at(-1) ?? one.length;
}

const letters = fc.constantFrom("a", "b", "c", " ", "中", "文", "😀", "é");
const word = (least: number, most: number) => fc.array(letters, { minLength: least, maxLength: most }).map((parts) => parts.join(""));

function agrees(text: string, wanted: string): void {
  const place = findPlace(text, wanted);
  const { distance } = slowBest(text, wanted);
  const length = charactersOf(wanted).length;
  const similarity = 1 - distance / length;
  if (text.includes(wanted)) expect(["exact", "several"]).toContain(place.kind);
  else if (similarity < 0.7) expect(place).toEqual({ kind: "none" });
  else if (place.kind === "fuzzy") {
    expect(place.similarity).toBe(similarity);
    expect(levenshtein(text.slice(place.start, place.end), wanted)).toBe(distance);
  } else expect(place).toMatchObject({ kind: "several", similarity });
}

test("the place found is the best of all, by a slow exhaustive reference", () => {
  fc.assert(
    fc.property(word(0, 60), word(1, 14), (text, wanted) => agrees(text, wanted)),
    { numRuns: 1500 },
  );
});

test("patterns of several blocks agree with the reference", () => {
  const mutated = fc
    .tuple(word(80, 220), fc.array(fc.tuple(fc.nat(199), letters), { maxLength: 40 }), fc.nat(60))
    .map(([text, changes, from]) => {
      const wanted = [...text].slice(from, from + 130);
      for (const [at, letter] of changes) if (at < wanted.length) wanted[at] = letter;
      return { text, wanted: wanted.join("") };
    })
    .filter(({ wanted }) => wanted !== "");
  fc.assert(
    fc.property(mutated, ({ text, wanted }) => agrees(text, wanted)),
    { numRuns: 300 },
  );
});

test("two places that are equally similar are told, two overlapping readings of one place are not", () => {
  expect(findPlace("alpha beta gamna. alpha beta gamna.", "alpha beta gamma.")).toMatchObject({ kind: "several", starts: [0, 18] });
  expect(findPlace("x hello worl y", "hello world")).toEqual({ kind: "fuzzy", start: 2, end: 12, similarity: 1 - 1 / 11 });
});

test("a place begins and ends where words do", () => {
  const text = "say xello wurld now";
  const place = findPlace(text, "hello world");
  expect(place.kind === "fuzzy" && text.slice(place.start, place.end)).toBe("xello wurld");
});

test("an emoji is one character, and none is cut in two", () => {
  const text = "😀😀 天气很好，我们去公园散步吧 😀😀";
  const place = findPlace(text, "天气真好，我们去公园散步吧");
  expect(place).toMatchObject({ kind: "fuzzy", similarity: 1 - 1 / 13 });
  expect(place.kind === "fuzzy" && text.slice(place.start, place.end)).toBe("天气很好，我们去公园散步吧");
});

test("a place in a text of 1 MB is found wherever it stands", () => {
  const line = (n: number) => `Line ${n} of the report says ${(n * 7919) % 1013} and ${(n * 104_729) % 997}.\n`;
  const text = Array.from({ length: 22_000 }, (_, n) => line(n)).join("");
  expect(text.length).toBeGreaterThan(900_000);
  for (const n of [3, 11_000, 21_990]) {
    const wanted = Array.from({ length: 12 }, (_, k) => line(n - 3 + k).replace("report", "repport")).join("");
    const place = findPlace(text, wanted);
    expect(place).toMatchObject({ kind: "fuzzy" });
    expect(place.kind === "fuzzy" && text.slice(place.start, place.end)).toBe(wanted.replaceAll("repport", "report"));
  }
});
