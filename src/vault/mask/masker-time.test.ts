/** Ratios of processor time measured in one run: the best of interleaved rounds, and of some attempts. */
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/support/cpu-time.ts";
import { noise } from "../fixtures/secrets.ts";
import { createMasker } from "./masker.ts";

const secrets = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `V${index}`, value: `shared-prefix-${noise(20, index + 1)}` }));
const line = "2024-05-01 12:00:00 INFO request handled path=/api/v1/items user=42 duration=13ms status=200 shared-prefix- ok\n";

/** How much longer the second takes, as small as it can be seen. */
function ratio(first: () => void, second: () => void, bound: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 4 && best >= bound; attempt++) {
    let [a, b] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 3; round++) {
      a = Math.min(a, cpuMs(first));
      b = Math.min(b, cpuMs(second));
    }
    best = Math.min(best, b / a);
  }
  return best;
}

describe("time", () => {
  it("does not grow with the number of variables", () => {
    const fewSecrets = secrets(10);
    const manySecrets = secrets(1000);
    const few = createMasker(() => fewSecrets);
    const many = createMasker(() => manySecrets);
    const text = line.repeat(2000);
    expect(many.mask(`${text}${manySecrets[777]?.value}`)).toBe(`${text}$KARYI{V777}`);
    const grown = ratio(
      () => few.mask(text),
      () => many.mask(text),
      4,
    );
    expect(grown).toBeLessThan(4);
  });

  // Eight times the text: 8 where time is linear, 64 where it is quadratic.
  it.each([
    "shared-prefix-",
    "a",
    "61",
    "61 ",
    "%61",
    "YWFh",
    "eyJ",
    "ghp_",
    "://x:",
    "TOKEN=a1",
    "authorization=",
    "$KARYI{",
    `${noise(60)}\n`,
  ])("is linear in a text of nothing but %j", (unit) => {
    const list = [...secrets(100), { name: "A", value: `${"a".repeat(30)}b` }];
    const masker = createMasker(() => list);
    const short = unit.repeat(8_000 / unit.length);
    const long = short.repeat(8);
    const grown = ratio(
      () => masker.mask(short),
      () => masker.mask(long),
      24,
    );
    expect(grown).toBeLessThan(24);
  });

  it("is linear for a stream of single characters", () => {
    const list = secrets(100);
    const masker = createMasker(() => list);
    const run = (text: string) => {
      const stream = masker.stream();
      for (const char of text) stream.push(char);
      stream.end();
    };
    const text = line.repeat(8);
    const grown = ratio(
      () => run(text),
      () => run(text.repeat(8)),
      24,
    );
    expect(grown).toBeLessThan(24);
  });
});
