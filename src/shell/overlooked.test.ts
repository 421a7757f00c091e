import { describe, expect, it } from "vitest";
import { isClosed, overlooks, overlooksExpansion } from "./overlooked.ts";

describe("characters that were taken for letters", () => {
  it.each(["a;b", "a&b", "a|b", "a(b", "a b", "a\u00a0b", "a$x", "a$(x", "a`b", "a'b", 'a"b', "a\\\\;b"])("are seen in %j", (text) => {
    expect(overlooks(text)).toBe(true);
  });

  it.each(["abc", "a\\;b", "a\\ b", "a$", "a$/b", "a\\$x", "é"])("are not seen in %j", (text) => {
    expect(overlooks(text)).toBe(false);
  });
});

describe("expansions inside quotes that were taken for letters", () => {
  it.each(["a$(b", "a${b", "a$[b", "a`b", "\\\\$(b"])("are seen in %j", (text) => {
    expect(overlooksExpansion(text)).toBe(true);
  });

  it.each(["a;b", "a\\$(b", "a\\`b", "a$", "$ (b", "'"])("are not seen in %j", (text) => {
    expect(overlooksExpansion(text)).toBe(false);
  });
});

it.each(["$(a)", "<(a)", "${a}", "$((1))", "$[1]", "`a`", "$a"])("%j ends", (text) => {
  expect(isClosed(text)).toBe(true);
});

it.each(["$(a", "<(a", "${a", "$((1)", "$[1", "`a", "`"])("%j does not end", (text) => {
  expect(isClosed(text)).toBe(false);
});
