import { describe, expect, it } from "vitest";
import { respaced } from "./respaced.ts";

const file = "function a() {\n\tif (x) {\n\t\treturn  1;\n\t}\n}\n\nfunction b() {\n\treturn 2;\n}\n";

describe("an edit that differs in white space alone", () => {
  it("takes the file's own text and the indentation of the file", () => {
    expect(respaced(file, "  if (x) {\n    return 1;\n  }\n", "  if (x && y) {\n    log();\n    return 1;\n  }\n")).toEqual({
      oldText: "\tif (x) {\n\t\treturn  1;\n\t}",
      newText: "\tif (x && y) {\n\t\tlog();\n\t\treturn 1;\n\t}",
      line: 2,
    });
  });

  it("refuses a place that is not the only one, and one that differs in more", () => {
    expect(respaced("  a\n\ta\n", "a", "b")).toBeUndefined();
    expect(respaced(file, "return 3;", "return 4;")).toBeUndefined();
    expect(respaced(file, "  \n ", "x")).toBeUndefined();
  });
});
