/** Child processes for the tests: store.child.ts, compiled once a test file, and the lines it says. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, onTestFinished } from "vitest";
import type { TaskName } from "./store.child.ts";

let program: string | undefined;
afterAll(() => {
  if (program !== undefined) rmSync(join(program, "..", ".."), { recursive: true, force: true });
});

/** These rooms as JavaScript, once a test file: children that load the compiler themselves take seconds each. */
function compile(): string {
  const target = mkdtempSync(join(tmpdir(), "karyi-store-child-"));
  const driver = import.meta.resolve("@photostructure/sqlite");
  for (const room of ["store", "contract", "contract/secrets"]) {
    const source = fileURLToPath(new URL(`../${room}`, import.meta.url));
    mkdirSync(join(target, room));
    for (const name of readdirSync(source).filter((file) => file.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(file))) {
      const { outputText } = ts.transpileModule(readFileSync(join(source, name), "utf8"), {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      const text = outputText.replace(/(from "\.[^"]*)\.ts"/g, '$1.mjs"').replace('"@photostructure/sqlite"', JSON.stringify(driver));
      writeFileSync(join(target, room, name.replace(/\.ts$/, ".mjs")), text);
    }
  }
  return join(target, "store", "store.child.mjs");
}

export interface Child {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  /** The next line that nobody has taken yet; fails when the child ends first. */
  next(): Promise<string>;
  /** Resolves with the exit code, or the signal that ended it, when all output was read. */
  readonly ended: Promise<number | string>;
}

/** Runs store.child.ts in a process of its own. */
export function startChild(task: TaskName, ...parameters: string[]): Child {
  program ??= compile();
  const child = spawn(process.execPath, [program, task, ...parameters], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  let over = false;
  let taken = 0;
  const wake = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    lines.push(line);
    wake();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on("close", (code, signal) => {
      over = true;
      wake();
      resolve(code ?? signal ?? "unknown");
    });
  });
  return {
    process: child,
    lines,
    ended,
    async next() {
      while (lines.length <= taken) {
        if (over) throw new Error(`the child ended after ${JSON.stringify(lines)}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      taken += 1;
      return lines[taken - 1] ?? "";
    },
  };
}
