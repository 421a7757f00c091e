/** What a first visit loads, in bytes on the wire: nothing from outside, no font, and within the budget. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const folder = join(import.meta.dirname, "../dist/console");
const page = readFileSync(join(folder, "index.html"), "utf8");
/** Files that the page itself names. */
const first = [...page.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, path = ""]) => path);
const zipped = (path: string): number => gzipSync(readFileSync(join(folder, path))).length;

it("the first load is at most 120 KB of scripts and styles", () => {
  expect(first.length).toBeGreaterThan(1);
  expect(first.reduce((sum, path) => sum + zipped(path), 0)).toBeLessThanOrEqual(120 * 1024);
});

it("there is no font, no inline script, no style attribute and nothing from outside", () => {
  const names = readdirSync(folder, { recursive: true }).map(String);
  expect(names.filter((name) => /\.(woff2?|ttf|otf)$/.test(name))).toEqual([]);
  expect(page).not.toMatch(/<script(?![^>]*src=)/);
  expect(page).not.toMatch(/\sstyle=/);
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

it("the terminal and the playgrounds are loaded only when they are needed", () => {
  const names = readdirSync(join(folder, "assets"));
  for (const part of ["terminal-screen", "reply-screen", "policy-screen", "tools-screen"]) {
    const file = names.find((name) => name.startsWith(part) && name.endsWith(".js"));
    expect(file, part).toBeDefined();
    expect(first).not.toContain(`assets/${file}`);
  }
});

it("what only development needs is in no build for people", () => {
  expect(readdirSync(join(folder, "assets")).filter((name) => name.includes("states-screen"))).toEqual([]);
});
