import { expect, it } from "vitest";
import { withinText } from "./changes-words.ts";

it("paths of the workspace are told by their names in it, and no others", () => {
  const told = (text: string): string => withinText(text, "/repo");
  expect(told("Nothing was changed: /repo/a and /repo/b (/repo/c, '/repo/d e') moved.")).toBe(
    "Nothing was changed: a and b (c, 'd e') moved.",
  );
  expect(told("/repo/a")).toBe("a");
  expect(told("/other/repo/a, /repo-evil/b and /repo itself")).toBe("/other/repo/a, /repo-evil/b and /repo itself");
});
