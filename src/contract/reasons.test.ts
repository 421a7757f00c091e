/** Every reason is told in both languages, by the same names. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Because, because, isBecause, type ReasonCode, reasons, reasonText } from "./reasons.ts";

const codes = Object.keys(reasons) as ReasonCode[];
const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).sort();
const chinese = /[\p{Script=Han}：]/u;

describe("reasons", () => {
  it.each(codes)("%s is told in both languages and names the same things", (code) => {
    const { en, zh } = reasons[code];
    expect(namesIn(zh)).toEqual(namesIn(en));
    const params = Object.fromEntries(namesIn(en).map((name) => [name, `<${name}>`]));
    for (const language of ["en", "zh"] as const) {
      const told = reasonText({ code, params }, language);
      for (const value of Object.values(params)) expect(told).toContain(value);
      expect(told).not.toMatch(/[{}]/);
    }
    expect(reasonText({ code, params }, "zh")).toMatch(chinese);
    expect(reasonText({ code, params }, "en")).not.toMatch(chinese);
  });

  it("every code is given somewhere: one that nobody gives is dropped", () => {
    const source = resolve(import.meta.dirname, "..");
    const text = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes(".test.") && !name.endsWith("reasons.ts"))
      .map((name) => readFileSync(join(source, name), "utf8"))
      .join("\n");
    const built = [...text.matchAll(/because\(`(\w*)\$\{[^}]*\}(\w*)`/g)].map(([, start, end]) => new RegExp(`^${start}[a-z]+${end}$`));
    const unused = codes.filter((code) => !text.includes(`"${code}"`) && !built.some((pattern) => pattern.test(code)));
    expect(unused).toEqual([]);
  });

  it("a reason inside a reason is told in the same language, and braces in a path stay", () => {
    const why = because("unasked_in_auto", { why: because("outside", { path: "/srv/{why}" }) });
    expect(reasonText(why)).toBe("/srv/{why} is outside the workspace; nobody is asked in auto mode");
    expect(reasonText(why, "zh")).toBe("/srv/{why} 在工作目录之外；自动模式下不询问任何人");
  });

  it("a code of another version is not taken for one", () => {
    const given: unknown[] = [{ code: "outside" }, { code: "toString" }, { code: "of_tomorrow" }, null, "outside"];
    expect(given.map(isBecause)).toEqual([true, false, false, false, false]);
    expect(reasonText({ code: "outside" } as Because)).toBe(" is outside the workspace");
  });
});
