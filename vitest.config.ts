import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "console/**/*.test.ts"],
    testTimeout: 60_000,
    // A poll ends as soon as it is true; a slow machine needs more than the second it has by default.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    pool: "forks",
    // Vitest leaves one core free by default. With two cores that is one file at a time, and tests that wait leave it idle.
    maxWorkers: Math.max(2, availableParallelism()),
  },
});
