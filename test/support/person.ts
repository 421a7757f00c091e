/** A person at a terminal. */
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { onTestFinished } from "vitest";

const bin = join(import.meta.dirname, "../../bin/karyi.js");

/** Somebody at a terminal of their own who runs the command. */
export function person(args: readonly string[], env: Record<string, string> = {}) {
  return personRunning([bin, ...args], { LANG: "C", LC_ALL: "C", ...env });
}

/** Somebody at a terminal of their own who runs Node with these arguments. */
export function personRunning(argv: readonly string[], env: Record<string, string> = {}) {
  const pty = spawn(process.execPath, [...argv], { rows: 30, cols: 100, env: { ...process.env, ...env } });
  let seen = "";
  let whole = "";
  let check = () => {};
  pty.onData((data) => {
    seen += data;
    whole += data;
    check();
  });
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  onTestFinished(() => {
    try {
      pty.kill("SIGKILL");
    } catch {
      // It ended by itself.
    }
  });
  return {
    type: (text: string) => pty.write(text),
    sees: (text: string) =>
      new Promise<void>((resolve) => {
        check = () => {
          if (!seen.includes(text)) return;
          seen = seen.slice(seen.indexOf(text) + text.length);
          check = () => {};
          resolve();
        };
        check();
      }),
    ended,
    /** The lines as they stand on the screen: without colours, and without what was written over. */
    text: () =>
      stripVTControlCharacters(whole)
        .split("\r\n")
        .map((line) => line.slice(line.lastIndexOf("\r") + 1))
        .join("\n"),
    raw: () => whole,
  };
}
