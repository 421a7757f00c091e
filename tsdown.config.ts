import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { defineConfig } from "tsdown";

/** Packages that the command always needs. */
const bundled = [
  "@photostructure/sqlite",
  "commander",
  "diff",
  "fastest-levenshtein",
  "ipaddr.js",
  "node-gyp-build",
  "picomatch",
  "unbash",
  "zod",
].map((name) => new RegExp(`^${name.replaceAll(".", "\\.")}($|/)`));

/** Packages and parts of Node that the command uses only in some calls. */
const seldom = ["linkedom", "undici", "yaml", "@ai-sdk/provider", "node:dns", "node:http", "node:tls", "node:worker_threads"];

const head = "(function (exports, require, module, __filename, __dirname, importModule) {";

export default defineConfig([
  {
    name: "library",
    entry: {
      index: "src/index.ts",
      serve: "src/serve.ts",
      mcp: "src/mcp.ts",
      "ai-sdk": "src/adapters/ai-sdk.ts",
      openai: "src/adapters/openai.ts",
      anthropic: "src/adapters/anthropic.ts",
      dialect: "src/dialect/index.ts",
      shell: "src/shell/index.ts",
      policy: "src/policy/index.ts",
    },
    format: "esm",
    target: "node20",
    platform: "node",
    // Types of the library that the adapter is for are that library's own.
    deps: { neverBundle: ["ai"] },
    dts: { sourcemap: false },
    checks: { pluginTimings: false },
    clean: true,
    fixedExtension: false,
  },
  {
    // The process that keeps a terminal, on its own: it starts with a session's first terminal call and must be there at once.
    name: "keeper",
    entry: { keeper: "src/host/terminal/served/keeper-main.ts" },
    format: "cjs",
    target: "node20",
    platform: "node",
    dts: false,
    clean: false,
    minify: true,
    checks: { pluginTimings: false },
    // The loader of modules would take longer to start than all the rest.
    outputOptions: { codeSplitting: false, dynamicImportInCjs: false },
  },
  {
    // The command starts often: one small file with everything it always needs, and its compiled form beside it.
    // What is native or seldom needed stays outside and is loaded when needed.
    name: "command",
    entry: { command: "src/cli/main.ts" },
    format: "cjs",
    target: "node20",
    platform: "node",
    dts: false,
    clean: false,
    minify: true,
    checks: { pluginTimings: false },
    outputOptions: { codeSplitting: false },
    deps: { alwaysBundle: bundled, onlyBundle: bundled },
    plugins: [
      {
        // One file holds everything, so a package that a seldom used part imports would be loaded at every start.
        // What stands here for each function and class of such a package, and for the package, loads it when it is used.
        name: "load-when-called",
        resolveId: {
          order: "pre",
          handler: (id, importer) => (seldom.includes(id) && importer?.startsWith("\0seldom:") === false ? `\0seldom:${id}` : undefined),
        },
        load: (id) => (id.startsWith("\0seldom:") ? standIns(id.slice("\0seldom:".length)) : undefined),
      },
      {
        // The driver looks for its native part from its own file; in the bundle it is told where it lies.
        name: "native-from-its-package",
        transform(code, id) {
          if (!id.includes("/@photostructure/sqlite/dist/")) return undefined;
          const own = 'join(_dirname(), "..")';
          if (!code.includes(own)) throw new Error("The database's driver looks for its native part in another way.");
          return code.replace(own, 'join(require.resolve("@photostructure/sqlite/package.json"), "..")');
        },
      },
      {
        // The bundle runs as a script that cannot import by itself; `bin/karyi.js` hands it `importModule`.
        name: "import-from-outside",
        transform: (code, id) =>
          id.includes("node_modules") ? undefined : code.replaceAll(/(?<!typeof )import\((?="[^."]|installedFile\))/g, "importModule("),
        generateBundle(_, output) {
          for (const part of Object.values(output)) {
            const left = part.type === "chunk" ? part.dynamicImports.filter((name) => !(name in output)) : [];
            if (left.length > 0) throw new Error(`The command cannot import ${left.join(", ")}.`);
          }
        },
      },
      {
        // A text of ASCII alone is read without decoding it and takes half the memory. The function around it is what `bin/karyi.js` calls.
        name: "ascii-function",
        generateBundle(_, output) {
          for (const part of Object.values(output)) if (part.type === "chunk") part.code = `${head}${asAscii(part.code)}\n})`;
        },
      },
    ],
    hooks: {
      "build:done": () => {
        const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "scripts/code-cache.mjs")], {
          stdio: ["ignore", "ignore", 2],
        });
        if (status !== 0) throw new Error("The built command does not start.");
      },
    },
  },
]);

function standIns(name: string): string {
  const exported = Object.entries(createRequire(import.meta.url)(name) as object).filter(
    ([key, value]) => typeof value === "function" && /^[A-Za-z_$][\w$]*$/.test(key) && key !== "default",
  );
  const load = `require(${JSON.stringify(name)})`;
  return [
    `const standIn = (real) => new Proxy(function () {}, {
      apply: (_, self, args) => Reflect.apply(real(), self, args),
      construct: (_, args) => Reflect.construct(real(), args),
      get: (_, key) => Reflect.get(real(), key),
    });`,
    ...exported.map(([key]) => `export const ${key} = /* @__PURE__ */ standIn(() => ${load}.${key});`),
    `export default /* @__PURE__ */ standIn(() => ${load});`,
  ].join("\n");
}

/** Other characters as escapes, which mean the same in every literal but a raw one. */
function asAscii(code: string): string {
  for (const [raw] of code.matchAll(/String\.raw`(?:[^`\\]|\\[\s\S])*`/g)) {
    if (/[^\0-\x7f]/.test(raw)) throw new Error(`Write the characters beyond ASCII as escapes: ${raw}`);
  }
  return code.replace(/[^\0-\x7f]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
