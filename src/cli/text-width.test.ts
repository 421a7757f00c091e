import { describe, expect, it } from "vitest";
import { indented, padded } from "./text-width.ts";

describe("text in columns", () => {
  it("counts Chinese characters twice and colours not at all", () => {
    expect(padded("磁盘", 6)).toBe("磁盘  ");
    expect(padded("\u001b[1mE1\u001b[22m", 4)).toBe("\u001b[1mE1\u001b[22m  ");
  });

  it("breaks at blanks and between Chinese characters, and goes on below itself", () => {
    expect(indented("one two three four five six", 4, 24)).toBe("one two three four\n    five six");
    expect(indented("不用命名空间也能限制命令的运行", 4, 24)).toBe("不用命名空间也能限制\n    命令的运行");
    expect(indented("one two three", 4, undefined)).toBe("one two three");
  });
});
