import { expect, test } from "vitest";
import { readBareObject } from "./bare-object.ts";

test.each([
  ["bare keys and marked texts", "{path:<escape>a\\n<escape>,n:3}", { path: "a\\n", n: 3 }],
  ["JSON, with its escapes", '{"path":"a\\n\\"b\\"","n":3}', { path: 'a\n"b"', n: 3 }],
])("reads %s", (_name, text, expected) => {
  expect(readBareObject(text)).toEqual(expected);
});

test.each(["{'path':\"a\"}", '{“path”:"a"}', '{ // call\n"path":"a"}', '{"path":"a" "n":3}', "[1]", '"a"'])("refuses %s", (text) => {
  expect(readBareObject(text)).toBeUndefined();
});
