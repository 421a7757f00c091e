import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { defineConfig } from "tsdown";

export default defineConfig([
  {
    name: "library",
    entry: {
      index: "src/index.ts",
      dialect: "src/dialect/index.ts",
      shell: "src/shell/index.ts",
      policy: "src/policy/index.ts",
    },
    format: "esm",
    target: "node20",
    platform: "node",
    dts: { sourcemap: false },
    checks: { pluginTimings: false },
    clean: true,
    fixedExtension: false,
  },
  {
    // The process that keeps a terminal, on its own: it starts with a session's first terminal call and must be there at once.
    name: "keeper",
    entry: { keeper: "src/host/terminal/keeper-main.ts" },
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
    deps: { alwaysBundle: [/^(commander|diff|fastest-levenshtein|ignore|ipaddr\.js|picomatch|unbash|zod)($|\/)/] },
    plugins: [
      {
        // The bundle runs as a script that cannot import by itself; `bin/karyi.js` hands it `importModule`.
        name: "import-from-outside",
        transform: (code, id) =>
          id.includes("node_modules") ? undefined : code.replaceAll(/(?<!typeof )import\("(?=[^."])/g, 'importModule("'),
        generateBundle(_, output) {
          for (const part of Object.values(output)) {
            const left = part.type === "chunk" ? part.dynamicImports.filter((name) => !(name in output)) : [];
            if (left.length > 0) throw new Error(`The command cannot import ${left.join(", ")}.`);
          }
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
