/** What the Terminal tool adds to a command in a shell that is already there: to one that does nothing, and to one that prints a line. */
import { spawn } from "@lydell/node-pty";
import { afterAll } from "vitest";
import { question } from "./measure.ts";
import { benchPlace, succeeded } from "./place.ts";

const { session, workspace } = await benchPlace({ env: process.env, approve: async () => "once" });
const call = (command: string) => async () => void succeeded(await session.call("Terminal", { command }));

const pty = spawn("bash", ["--norc", "--noprofile", "-i"], { cwd: workspace, env: { ...process.env, PS1: "$ ", TERM: "xterm-256color" } });
afterAll(() => pty.kill("SIGKILL"));
let printed = "";
let onPrinted = () => {};
pty.onData((text) => {
  printed += text;
  onPrinted();
});

let round = 0;

/** The least: type the command with a mark behind it, wait until the mark is printed and the prompt stands. */
function typed(command: string): Promise<void> {
  const mark = `end-${round++}`;
  printed = "";
  return new Promise((resolve) => {
    onPrinted = () => {
      // The echo of the line holds quotes within the mark, the output does not.
      if (printed.includes(`${mark}\r\n`) && printed.endsWith("$ ")) resolve();
    };
    pty.write(`${command}; echo "${mark.slice(0, 3)}""${mark.slice(3)}"\n`);
  });
}

for (const command of ["true", "echo hello"]) {
  question({
    name: `terminal: \`${command}\` over the same in a bare pty`,
    limit: () => typed(command),
    ours: call(command),
    bound: 2,
    target: "3 ms",
    pairs: 51,
  });
}
