/** Collects the answers of a whole run into RESULTS.md. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Answer, resultsPath } from "./measure.ts";

const page = join(import.meta.dirname, "RESULTS.md");

export function setup(): void {
  rmSync(resultsPath, { force: true });
}

export function teardown(): void {
  if (!existsSync(resultsPath)) return;
  const answers = readFileSync(resultsPath, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Answer);
  rmSync(resultsPath);
  // A run of a part of the benchmarks leaves the rows of the others as they are.
  const rows = new Map(rowsOf(page).map((row) => [row.split(" | ", 1)[0], row]));
  for (const { name, ratio, bound, oursMs, limitMs, target } of answers) {
    rows.set(
      `| ${name}`,
      `| ${name} | ${ratio.toFixed(2)}× | ${bound === undefined ? "—" : `${bound}× ${ratio <= bound ? "✓" : "✗"}`} | ${oursMs.toFixed(3)} | ${limitMs.toFixed(3)} | ${target ?? ""} |`,
    );
  }
  writeFileSync(
    page,
    [
      "# Benchmark results",
      "",
      "Made by `npm run bench`. Each line compares Karyi with the least that has to be done, measured in the same run (medians of interleaved pairs). The ratio counts; the figures in milliseconds depend on the machine.",
      "",
      "| question | ratio | bound | ours (ms) | limit (ms) | target |",
      "| --- | --- | --- | --- | --- | --- |",
      ...rows.values(),
      "",
    ].join("\n"),
  );
}

function rowsOf(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line.startsWith("| ") && !line.startsWith("| question") && !line.startsWith("| ---"));
}
