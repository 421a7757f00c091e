import { expect, it } from "vitest";
import { shownName } from "./shown-name.ts";

it("a plain name is shown as it is", () => {
  for (const name of ["src/a b.txt", "caf\u00e9", "名字.md", "back\\slash", 'in "quotes"', "caf\uFFFDe9"])
    expect(shownName(name)).toBe(name);
});

it("whatever it holds, it stays one name in one line, and tells exactly what it is", () => {
  const names = ["a\n  - b", "a\r\u001b[2Kb", "a\u0085b", "a\u2028b", "a\u202eb", "a\u200bb", "a\u{e0041}b", "a\tb\\n", '"a\\nb"'];
  for (const name of names) {
    const shown = shownName(name);
    expect(shown).toMatch(/^"[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+"$/u);
    expect(JSON.parse(shown)).toBe(name);
  }
  expect(shownName("a\n  - b")).toBe('"a\\n  - b"');
});
