import { expect, test } from "vitest";
import { relativeText } from "./relative-decision.ts";

test.each([
  ["/a/w.s/x/y is inside the workspace", "x/y is inside the workspace"],
  ["the command would delete /a/w.s", "the command would delete ."],
  ["'/a/w.s/x' and (/a/w.s/)", "'x' and (.)"],
  ["/b/a/w.s/x /a/w.s-2/x /a/wxs/x", "/b/a/w.s/x /a/w.s-2/x /a/wxs/x"],
])("paths inside the workspace are relative to it: %s", (text, expected) => {
  expect(relativeText(text, "/a/w.s")).toBe(expected);
});
