import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { nameOfBytes, systemPath } from "./byte-name.ts";

const bytesOf = (path: string): Buffer => {
  const system = systemPath(path);
  return typeof system === "string" ? Buffer.from(system) : system;
};

describe("names that are not UTF-8", () => {
  it("are spelled with the byte's digits", () => {
    expect(nameOfBytes(Buffer.from("caf\xe9.txt", "latin1"))).toBe("caf\uFFFDe9.txt");
    expect(systemPath("caf\uFFFDe9.txt")).toEqual(Buffer.from("caf\xe9.txt", "latin1"));
  });

  it("leave every other name as it is", () => {
    for (const name of ["plain", "größe", "中😀", "back\\xe9slash", "lone \uFFFD", "\uFFFDzz", "\uFFFD41", "\uFFFD"]) {
      expect(nameOfBytes(Buffer.from(name))).toBe(name);
      expect(systemPath(name)).toBe(name);
    }
  });

  it("never look like another name, and come back as the same bytes", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom("\uFFFD", "e9", "ef", "bf", "bd", "a", "/", "é", "\xff", "\uFFFDe9").map((text) => Buffer.from(text)),
      fc.constantFrom(0xff, 0xef, 0xbf, 0xbd, 0xe9).map((byte) => Buffer.of(byte)),
    );
    const bytes = fc.array(piece, { maxLength: 8 }).map((pieces) => Buffer.concat(pieces));
    fc.assert(
      fc.property(bytes, (name) => {
        expect(bytesOf(nameOfBytes(name))).toEqual(name);
        // One canonical spelling: whatever is typed is shown the same way once it is a file.
        const typed = name.toString("utf8");
        expect(bytesOf(nameOfBytes(bytesOf(typed)))).toEqual(bytesOf(typed));
      }),
      { numRuns: process.env.KARYI_FULL === "1" ? 20_000 : 2_000 },
    );
  });
});
