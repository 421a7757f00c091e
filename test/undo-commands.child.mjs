// Runs commands through an engine and undoes each: node --import ts-register undo-commands.child.mjs EVERY
// Prints what undo did not give back.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands } from "../src/host/sandbox/fixtures/commands.ts";
import { plant, treeOf } from "../src/host/sandbox/fixtures/world.ts";
import { createEngine } from "../src/index.ts";

const every = Number(process.argv[2] ?? "1");

/** What its owner closes is in the owner's own way; owners; an index of git that says the same in other bytes. */
const always = [
  "chmod 000 a.txt",
  "chmod 000 src",
  "chmod 000 src/deep; chmod 500 src; chmod 000 link",
  "mkdir d; touch d/f; chmod 000 d",
  "mkdir -p q/w/e; touch q/w/e/f; chmod 000 q/w/e; chmod 000 q/w; chmod 000 q",
  "chmod u+w sealed; rm -rf sealed",
  "chmod u+w sealed; echo more >> sealed/in; rm sealed/in; touch sealed/new; chmod 500 sealed",
  "chmod -R u+rwx shut; rm -rf shut",
  "chmod 700 shut; echo x > shut/new; chmod 000 shut",
  "rm -f unread",
  "chmod 600 unread; echo more >> unread",
  "head -c 5000000 /dev/zero > large; chmod 000 large",
  "git reset -q --hard; git clean -qfdx -e sealed -e shut",
  "git diff > p && git checkout -q -- a.txt && git apply p",
  "chown 1:1 a.txt src link 2>/dev/null; chown -h 1:1 dangling 2>/dev/null; true",
];
const closed =
  "mkdir -m 700 sealed shut; echo in > sealed/in; echo in > shut/in; chmod 400 sealed/in; chmod 555 sealed; chmod 000 shut; echo u > unread; chmod 000 unread";

const base = mkdtempSync(join(tmpdir(), "karyi-undo-commands-"));
const workspace = join(base, "work");
const template = join(base, "template");
mkdirSync(template);
plant(template);

const engine = await createEngine({ workspace: base, home: join(base, "home"), approve: async () => "once" });
const session = await engine.openSession();
const wrong = [];

async function follow(command) {
  execFileSync("sh", ["-c", '[ ! -d "$2" ] || chmod -R u+rwx "$2"; rm -rf "$2"; cp -a "$1" "$2"', "sh", template, workspace], {
    stdio: "ignore",
  });
  execFileSync("sh", ["-c", closed], { cwd: workspace });
  const tree = () => treeOf(workspace, { times: "changed" });
  const before = tree();
  const encoded = Buffer.from(`cd work; ${command}`).toString("base64");
  const done = await session.call("Bash", { command: `echo ${encoded} | base64 -d | bash` });
  if (tree().join("\n") === before.join("\n")) return;
  const after = tree();
  const undone = await session.undo(done.callId);
  const given = tree();
  const redone = await session.undo(undone.callId);
  const again = tree();
  if (undone.status !== "ok" || given.join("\n") !== before.join("\n"))
    wrong.push({ command, undone: undone.output, ...differing(before, given) });
  else if (redone.status !== "ok" || again.join("\n") !== after.join("\n"))
    wrong.push({ command, redone: redone.output, ...differing(after, again) });
}

function differing(wanted, found) {
  return {
    missing: wanted.filter((line) => !found.includes(line)).slice(0, 3),
    extra: found.filter((line) => !wanted.includes(line)).slice(0, 3),
  };
}

for (const command of always) await follow(command);
for (const [index, { command }] of commands.entries()) if (index % every === 0) await follow(command);
await engine.close();
execFileSync("chmod", ["-R", "u+rwx", base], { stdio: "ignore" });
rmSync(base, { recursive: true, force: true });
process.stdout.write(JSON.stringify(wrong));
process.exit(0);
