/** The parser against bash itself: on scripts of this machine and on generated ones. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attacks, benign } from "./fixtures/cases.ts";
import { mutate, pick, random } from "./fixtures/generate.ts";
import { parseShell } from "./index.ts";

const full = process.env.KARYI_FULL === "1";
const hasBash = spawnSync("bash", ["-c", ":"]).status === 0;

function isShellScript(path: string): boolean {
  try {
    const { size } = statSync(path);
    if (size < 10 || size > 60_000) return false;
    if (/\.sh$|\/bash-completion\/completions\//.test(path)) return true;
    const file = openSync(path, "r");
    const head = Buffer.alloc(64);
    readSync(file, head, 0, 64, 0);
    closeSync(file);
    return /^#!.*\b(?:ba|da)?sh\b/.test(head.toString("latin1"));
  } catch {
    return false;
  }
}

function findScripts(limit: number): readonly string[] {
  const found: string[] = [];
  const look = (directory: string, depth: number): void => {
    let entries: ReturnType<typeof list> = [];
    try {
      entries = list(directory);
    } catch {
      return;
    }
    for (const entry of entries) {
      if (found.length >= limit) return;
      const path = join(directory, entry.name);
      if (entry.isDirectory() && depth < 7) look(path, depth + 1);
      else if (entry.isFile() && isShellScript(path)) found.push(path);
    }
  };
  for (const root of ["/etc", "/usr/bin", "/usr/sbin", "/usr/share", "/usr/lib"]) look(root, 0);
  return found;
}

function list(directory: string) {
  return readdirSync(directory, { withFileTypes: true });
}

/** Bash reads many texts in one process, since starting one for each is what takes the time. */
function acceptedByBash(texts: readonly string[]): readonly boolean[] {
  const driver = `while IFS= read -r -d '' text; do if bash -n <<< "$text" 2>/dev/null; then echo 1; else echo 0; fi; done`;
  const { stdout } = spawnSync("bash", ["-c", driver], {
    input: texts.map((text) => `${text}\0`).join(""),
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return stdout
    .trim()
    .split("\n")
    .map((line) => line === "1");
}

describe.skipIf(!hasBash)("against bash -n", () => {
  it("understands no script of this machine that bash rejects, and reads nearly all that it accepts", { timeout: 600_000 }, () => {
    const scripts = findScripts(full ? 4_000 : 300).map((path) => readFileSync(path, "latin1"));
    const accepted = acceptedByBash(scripts);
    let read = 0;
    let good = 0;
    const wrong: string[] = [];
    scripts.forEach((text, index) => {
      const { understood } = parseShell(text);
      if (accepted[index] === true) good += 1;
      if (accepted[index] === true && understood) read += 1;
      if (accepted[index] !== true && understood) wrong.push(text.slice(0, 200));
    });
    expect(wrong).toEqual([]);
    expect(read).toBeGreaterThanOrEqual(Math.floor(good * 0.95));
  });

  it("understands no generated command that bash rejects", { timeout: 600_000 }, () => {
    const next = random(20_260_101);
    const known = [...benign, ...attacks];
    const texts: string[] = [];
    while (texts.length < (full ? 6_000 : 300)) {
      const text = mutate(pick(known, next), known, next);
      if (!text.includes("\0")) texts.push(text);
    }
    const accepted = acceptedByBash(texts);
    expect(accepted.length).toBe(texts.length);
    expect(texts.filter((text, index) => accepted[index] !== true && parseShell(text).understood)).toEqual([]);
  });
});
