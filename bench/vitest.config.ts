import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ["*.bench.ts"],
    globalSetup: ["./report.ts"],
    server: { deps: { external: [/\/dist\//] } },
    testTimeout: 600_000,
    hookTimeout: 120_000,
    pool: "forks",
    // One question at a time: two at once would measure each other.
    fileParallelism: false,
    // A smoke run measures nothing, so its files may share what they import.
    isolate: process.env.KARYI_BENCH_SMOKE !== "1",
  },
});
