import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { readJson } from "./json-text.ts";

describe("tolerant JSON", () => {
  it("reads strict JSON as the platform does", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readJson(text)).toEqual({ value: JSON.parse(text), mended: false, cut: false });
      }),
      { numRuns: 300 },
    );
  });

  it("reads an object with a trailing comma as the same object", () => {
    const plain = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 3 });
    fc.assert(
      fc.property(plain, (value) => {
        const text = JSON.stringify(value);
        expect(readJson(`${text.slice(0, -1)},}`)?.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it("never throws and never makes a value of nothing", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(..."{}[]\"':,\\ \n", "a", "1", "true", "//", "/*", "*/", "“", "”", "\\u00", "__proto__"), {
          maxLength: 40,
        }),
        (pieces) => {
          const read = readJson(pieces.join(""));
          if (read !== undefined) expect(JSON.stringify(read.value)).toEqual(expect.any(String));
        },
      ),
      { numRuns: 3000 },
    );
    expect(readJson("")).toBeUndefined();
    expect(readJson("nothing here")).toBeUndefined();
  });

  it("keeps __proto__ a plain key", () => {
    const read = readJson("{'__proto__': {'x': 1}}");
    expect(Object.keys(read?.value as object)).toEqual(["__proto__"]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
