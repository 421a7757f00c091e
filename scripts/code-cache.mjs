// Leaves V8's compiled form of the command beside its bundle: runs real commands in a throw-away place and saves what was compiled
// for them. `bin/karyi.js` says when the form is used. A part of the build.
import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const place = mkdtempSync(join(tmpdir(), "karyi-build-"));
const home = join(place, "home");
writeFileSync(join(place, "a.txt"), "a\n");

/** What is started most often, each time by a process of its own: a call, and a hook of another agent before it runs a command. */
const payload = {
  session_id: "build",
  cwd: place,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "cat a.txt | grep a && ls -la" },
  tool_use_id: "build",
};
const commands = [
  { args: ["call", "Read", '{"file_path":"a.txt"}', "--workspace", place, "--home", home, "--json"], input: "" },
  { args: ["hook", "claude-code", "--workspace", place, "--home", home, "--when", "before"], input: JSON.stringify(payload) },
];

/** As if the command were started anew. */
function prepare({ args, input }) {
  process.argv.splice(2, Infinity, ...args);
  writeFileSync(join(place, "stdin"), input);
  closeSync(0);
  if (openSync(join(place, "stdin"), "r") !== 0) throw new Error("The command would read another file.");
}

let done = 0;
prepare(commands[0]);
const command = createRequire(import.meta.url)("../bin/karyi.js");
process.on("beforeExit", (code) => {
  done += 1;
  if (code !== 0 || commands[done] === undefined) return;
  prepare(commands[done]);
  command.run();
});
process.on("exit", (code) => {
  rmSync(place, { recursive: true, force: true });
  if (code !== 0) return;
  const form = fileURLToPath(new URL("../dist/command.cjs.v8", import.meta.url));
  const hash = createHash("sha256").update(command.source).digest();
  writeFileSync(`${form}.new`, Buffer.concat([hash, command.script.createCachedData()]));
  renameSync(`${form}.new`, form);
});
