// Module hooks for ts-register: strips types with the TypeScript compiler, nothing else.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const source = await readFile(fileURLToPath(url), "utf8");
  const { outputText } = ts.transpileModule(source, {
    fileName: fileURLToPath(url),
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      inlineSourceMap: true,
      rewriteRelativeImportExtensions: false,
    },
  });
  return { format: "module", source: outputText, shortCircuit: true };
}
