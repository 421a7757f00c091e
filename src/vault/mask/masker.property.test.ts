import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { harmless, noise, pem, tokens } from "../fixtures/secrets.ts";
import { createMasker } from "./masker.ts";

const full = process.env.KARYI_FULL === "1";
const numRuns = full ? 5000 : 250;

const values = fc.oneof(
  fc.string({ minLength: 8, maxLength: 40, unit: "grapheme" }),
  fc.string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(..."abcXYZ019+/=_-") }),
  fc.string({ minLength: 4, maxLength: 7, unit: fc.constantFrom(..."ab1") }),
  fc.constantFrom("aaaaaaaab", "abababababab", "0000000000", `${noise(30, 5)}\n${noise(30, 6)}`),
);
const secretsOf = fc.array(values, { maxLength: 4 }).map((list) => list.map((value, index) => ({ name: `V${index}`, value })));

const encodings: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => Buffer.from(value).toString("base64"),
  (value) => Buffer.from(`q${value}`).toString("base64url"),
  (value) => Buffer.from(`qq${value}zz`).toString("base64"),
  (value) =>
    Buffer.from(noise(45) + value + noise(60))
      .toString("base64")
      .replace(/.{64}/g, "$&\n"),
  (value) => Buffer.from(value).toString("hex"),
  (value) => Buffer.from(value).toString("hex").toUpperCase().replace(/../g, "$& "),
  (value) => Buffer.from(value).toString("hex").replace(/../g, "$&:").slice(0, -1),
  (value) => Buffer.from(value).toString("hex").replace(/../g, "0x$&, "),
  (value) => Buffer.from(value).toString("hex").replace(/../g, "%$&"),
  (value) => encodeURIComponent(value),
  (value) => encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  (value) => new URLSearchParams({ v: value }).toString().slice(2),
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => value.replaceAll("'", "'\\''"),
];

const filler = fc.oneof(
  fc.constantFrom(...tokens.map(([, token]) => token), pem(), pem().replaceAll("\n", "\\n"), pem().slice(0, 120), ...harmless.slice(0, 12)),
  fc.constantFrom(
    "DB_PASSWORD=hunter2x",
    'apiKey: "a1b2c3d4e5"',
    "https://u:pw123@host/",
    "Authorization: Bearer ",
    "password: ",
    "TOKEN=",
    "0x",
    "\\",
    "://",
  ),
  fc.constantFrom(" ", "\n", "\r\n", "=", ":", '"', "-----", "53 ", "%", "$KARYI{", "ey", "gh", "5"),
  fc.string({ maxLength: 12 }),
  fc.nat({ max: 90 }).map((length) => noise(length, length + 1)),
);

const situations = secretsOf.chain((secrets) => {
  const hidden = fc
    .tuple(fc.constantFrom("", ...secrets.map(({ value }) => value)), fc.constantFrom(...encodings))
    .map(([value, encode]) => encode(value));
  const cut = fc.tuple(hidden, fc.nat({ max: 30 })).map(([text, length]) => text.slice(0, length));
  const text = fc.array(fc.oneof(hidden, cut, filler), { maxLength: 12 }).map((parts) => parts.join(""));
  return fc.record({
    secrets: fc.constant(secrets),
    text,
    sizes: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 }),
  });
});

describe("masking", () => {
  it("any chunking of a text gives the same masked text", () => {
    fc.assert(
      fc.property(situations, ({ secrets, text, sizes }) => {
        const masker = createMasker(() => secrets);
        const stream = masker.stream();
        let streamed = "";
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          streamed += stream.push(text.slice(at, at + size));
          at += size;
        }
        expect(streamed + stream.end()).toBe(masker.mask(text));
      }),
      { numRuns },
    );
  });

  it("every encoding of a value is masked, whatever stands around it", () => {
    const special = fc.string({ minLength: 8, maxLength: 60, unit: "grapheme" }).filter((value) => value.trim().length >= 8);
    const around = fc.constantFrom("", " ", '"', "\n", "(", "=", "/");
    fc.assert(
      fc.property(special, fc.nat(), around, around, (value, pick, before, after) => {
        const encode = encodings[pick % encodings.length] ?? String;
        const encoded = encode(value.trim());
        const masked = createMasker(() => [{ name: "SECRET", value }], { shapes: false }).mask(before + encoded + after);
        expect(masked).toContain("$KARYI{SECRET}");
        expect(masked.includes(encoded)).toBe(false);
      }),
      { numRuns: numRuns * 4 },
    );
  });

  it("masking never changes text without secrets", () => {
    const words = fc.constantFrom(
      ..."the quick brown fox jumps over a lazy dog and runs home with 42 apples; value(x) => { return y[0] + 1.5; } #id .class @scope/pkg a/b/c.ts \n \t".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.constantFrom(...harmless)), { maxLength: 60 }), (parts) => {
        const text = parts.join(" ");
        expect(createMasker(() => [{ name: "V", value: "Zq9#vL2!kWm4" }]).mask(text)).toBe(text);
      }),
      { numRuns },
    );
  });

  it("no piece of a value is left of any of its encodings but the bits it shares with its neighbours", () => {
    const value = noise(40, 99);
    const masker = createMasker(() => [{ name: "V", value }]);
    for (const encode of encodings) {
      const encoded = encode(value);
      const left = masker.mask(`[${encoded}]`).replace("$KARYI{V}", "").slice(1, -1);
      const filling = encoded.includes("\n") ? noise(45).length * 2 + noise(60).length * 2 : 8;
      expect(left.length).toBeLessThanOrEqual(filling);
    }
  });
});
