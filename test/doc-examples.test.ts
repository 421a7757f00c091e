/** The examples that people see by hovering: the names they meet have one, and each one compiles against the built package. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const files = [
  ...readdirSync(join(root, "src/contract"))
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => `src/contract/${name}`),
  "src/compose/create-engine.ts",
  "src/compose/engine-options.ts",
  "src/tools/types.ts",
];

const hovered = [
  "Approve",
  "Effect",
  "EngineOptions",
  "KaryiEngine",
  "KaryiEngine.onEvent",
  "KaryiEngine.openSession",
  "KaryiEngine.registerTool",
  "KaryiEvent",
  "OpenSessionOptions",
  "Plan",
  "Result",
  "SessionHandle",
  "SessionHandle.call",
  "SessionHandle.events",
  "SessionHandle.run",
  "SessionHandle.tools",
  "SessionHandle.undo",
  "ToolData",
  "ToolDefinition",
  "ToolFailure",
  "ToolInput",
  "createEngine",
  "defineTool",
];

/** Names with the text of their `@example`; a member is called by its owner and itself. */
function examplesIn(path: string): [string, string][] {
  const source = ts.createSourceFile(path, readFileSync(join(root, path), "utf8"), ts.ScriptTarget.ES2023, true);
  const found: [string, string][] = [];
  const look = (node: ts.Node, owner: string): void => {
    const named = (node as Partial<ts.NamedDeclaration>).name?.getText();
    const name = named === undefined ? owner : [owner, named].filter((part) => part !== "").join(".");
    for (const tag of ts.getJSDocTags(node)) {
      if (tag.tagName.text === "example") found.push([name, ts.getTextOfJSDocComment(tag.comment) ?? ""]);
    }
    if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) for (const member of node.members) look(member, name);
  };
  for (const statement of source.statements) look(statement, "");
  return found;
}

const examples = files.flatMap(examplesIn);

test("every name that people meet by hovering has an example", () => {
  const have = new Set(examples.map(([name]) => name));
  expect(hovered.filter((name) => !have.has(name))).toEqual([]);
});

test("every example compiles against the built package", () => {
  const built = join(root, "dist/index.js");
  const names = [
    ...new Set(examples.flatMap(([, text]) => [...text.matchAll(/\b(createEngine|defineTool|[A-Z]\w+)\b/g)].map(([name]) => name))),
  ];
  const page = join(root, "test/examples-of-doc-comments.ts");
  const bodies = examples.map(([name, text]) => {
    const given = ["engine", "session"].filter((one) => !text.includes(`const ${one} =`));
    const parameters = given.map((one) => `${one}: karyi.${one === "engine" ? "KaryiEngine" : "SessionHandle"}`);
    return `// ${name}\nasync function _${name.replaceAll(".", "_")}(${parameters.join(", ")}) {\n${text}\n}`;
  });
  const program = (text: string) => {
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ["node"],
    };
    const host = ts.createCompilerHost(options);
    const { getSourceFile, fileExists } = host;
    host.fileExists = (path) => path === page || fileExists(path);
    host.getSourceFile = (path, ...rest) =>
      path === page ? ts.createSourceFile(page, text, ts.ScriptTarget.ES2023, true) : getSourceFile(path, ...rest);
    return ts.createProgram([page], options, host);
  };
  const compiled = program(
    `import * as karyi from ${JSON.stringify(built)};\nimport { z } from "zod";\n${imports(names)}\n${bodies.join("\n")}\n`,
  );
  const wrong = compiled.getSemanticDiagnostics(compiled.getSourceFile(page)).map(({ messageText, file, start = 0 }) => {
    const line = file?.text.slice(file.text.lastIndexOf("\n", start) + 1, file.text.indexOf("\n", start));
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
  expect(wrong).toEqual([]);

  /** Those of the names that the package has. */
  function imports(wanted: readonly string[]): string {
    const entry = join(root, "dist/index.d.ts");
    const known = ts.createProgram([entry], { noEmit: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, types: [] });
    const source = known.getSourceFile(entry);
    const symbol = source && known.getTypeChecker().getSymbolAtLocation(source);
    const exported = new Set(
      symbol === undefined
        ? []
        : known
            .getTypeChecker()
            .getExportsOfModule(symbol)
            .map(({ name }) => name),
    );
    return `import { ${wanted.filter((name) => exported.has(name)).join(", ")} } from ${JSON.stringify(built)};`;
  }
});
