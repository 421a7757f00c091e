import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testEngine } from "./support/engine.ts";

const before = "function a() {\n\tif (x) {\n\t\treturn 1;\n\t}\n}\n";
const edit = { file_path: "a.js", old_string: "  if (x) {\n    return 1;\n  }", new_string: "  if (y) {\n    return 2;\n  }" };

it("an edit that differs in white space alone is refused by default", async () => {
  const { engine, workspace } = await testEngine();
  await writeFile(join(workspace, "a.js"), before);
  const result = await (await engine.openSession()).call("Edit", edit);
  expect(result.error?.details?.reason).toBe("whitespace_only");
  expect(await readFile(join(workspace, "a.js"), "utf8")).toBe(before);
});

it("with edits: whitespace it is made with the indentation of the file, and the result says so", async () => {
  const { engine, workspace } = await testEngine({ config: { edits: "whitespace" } });
  await writeFile(join(workspace, "a.js"), before);
  const session = await engine.openSession();
  const result = await session.call("Edit", edit);
  expect(result).toMatchObject({ status: "ok", data: { respaced: true, replacements: 1 } });
  expect(result.output).toContain("white space alone");
  expect(await readFile(join(workspace, "a.js"), "utf8")).toBe("function a() {\n\tif (y) {\n\t\treturn 2;\n\t}\n}\n");
  const { file_path, ...one } = { ...edit, old_string: " if (y)  {", new_string: " if (z) {" };
  expect(await session.call("MultiEdit", { files: [{ file_path, edits: [one] }] })).toMatchObject({ status: "ok" });
  expect(await readFile(join(workspace, "a.js"), "utf8")).toBe("function a() {\n\tif (z) {\n\t\treturn 2;\n\t}\n}\n");
});
