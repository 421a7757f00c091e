import { defineConfig } from "tsdown";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    dialect: "src/dialect/index.ts",
    shell: "src/shell/index.ts",
    policy: "src/policy/index.ts",
    cli: "src/cli/main.ts",
  },
  format: "esm",
  target: "node20",
  platform: "node",
  dts: { sourcemap: false },
  clean: true,
  fixedExtension: false,
  // The command starts often: what it always needs is bundled, what is native or heavy stays outside and is loaded when needed.
  deps: { alwaysBundle: ["zod", "commander"] },
});
