/**
 * Three repositories as people have them: what a command would do is shown and nothing is touched, it is done, taken back and done
 * again. Trees are compared with modes, owners, times, links, groups of names and attributes. All commands with KARYI_FULL=1.
 */
import { spawnSync } from "node:child_process";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attributesOf } from "../src/host/files/attributes.ts";
import { capturingHere, plant, treeOf } from "../src/host/sandbox/fixtures/world.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const full = process.env.KARYI_FULL === "1";

interface Repository {
  readonly name: string;
  readonly needs: readonly string[];
  readonly seed: string;
  /** In a row: each one begins where the one before ended. Those with `always` are in the short form too. */
  readonly commands: readonly { readonly command: string; readonly always?: true }[];
}

const person = "git config user.name a; git config user.email a@example.com";

const package_ = (name: string, more = ""): string =>
  `mkdir -p deps/${name}/lib; printf '{"name":"${name}","version":"1.2.3","main":"lib/f1.js"${more}}' > deps/${name}/package.json
for i in $(seq 40); do printf 'exports.n = %s;\\n' $i > deps/${name}/lib/f$i.js; done
printf '#!/usr/bin/env node\\nconsole.log("${name}")\\n' > deps/${name}/cli.js; chmod 755 deps/${name}/cli.js
printf 'require("fs").writeFileSync("built.txt", "built");\\n' > deps/${name}/post.js
(cd deps/${name} && npm pack --silent --pack-destination ../../vendor >/dev/null)`;

const repositories: readonly Repository[] = [
  {
    name: "a TypeScript project with npm ci",
    needs: ["npm", "git"],
    seed: `set -e
mkdir vendor src
${package_("left", ',"bin":{"left":"cli.js"}')}
${package_("right", ',"bin":"cli.js","scripts":{"postinstall":"node post.js"}')}
rm -r deps
printf '{"name":"app","version":"1.0.0","private":true,"scripts":{"build":"node build.mjs","test":"node --test dist"},"dependencies":{"left":"file:vendor/left-1.2.3.tgz","right":"file:vendor/right-1.2.3.tgz"}}' > package.json
printf 'import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs"; mkdirSync("dist", { recursive: true });\\nfor (const name of readdirSync("src")) writeFileSync("dist/" + name.replace(/ts$/, "js"), readFileSync("src/" + name, "utf8").replace(/: (number|string)/g, ""));\\n' > build.mjs
for i in 1 2 3; do printf 'exports.twice = (n: number): number => n * 2; // %s\\n' $i > src/m$i.ts; done
npm install --offline --package-lock-only --ignore-scripts --no-audit --no-fund --silent; rm -rf .npm
printf 'node_modules\\ndist\\n' > .gitignore; git init -q -b main; ${person}; git add -A; git commit -qm first`,
    commands: [
      { command: "npm ci --offline --no-audit --no-fund", always: true },
      { command: "npm run build" },
      { command: "rm -rf node_modules/left && npm ci --offline --no-audit --no-fund" },
      { command: "echo '// more' >> src/m1.ts && npm run build && git add -A && git commit -qm built", always: true },
      { command: "rm -rf node_modules dist" },
    ],
  },
  {
    name: "a C project with make",
    needs: ["make", "cc", "ar"],
    seed: `set -e
mkdir -p src include lib
for i in $(seq 12); do printf '#include "all.h"\\nint f%s(void) { return %s; }\\n' $i $i > src/f$i.c; printf 'int f%s(void);\\n' $i >> include/all.h; done
printf '#include <stdio.h>\\n#include "all.h"\\nint main(void) { printf("%%d\\\\n", f1() + f12()); return 0; }\\n' > src/main.c
printf 'OBJECTS = $(patsubst src/%%.c,obj/%%.o,$(wildcard src/f*.c))\\nall: app\\nobj/%%.o: src/%%.c include/all.h\\n\\t@mkdir -p obj\\n\\tcc -Iinclude -c $< -o $@\\nlib/liball.a: $(OBJECTS)\\n\\tar rcs $@ $^\\napp: src/main.c lib/liball.a\\n\\tcc -Iinclude $^ -o $@\\n\\tln -f app app-1.0\\n\\tln -sf app latest\\nclean:\\n\\trm -rf obj lib/liball.a app app-1.0 latest\\n' > Makefile`,
    commands: [
      { command: "make", always: true },
      { command: "touch src/f3.c && make && ./app" },
      { command: "chmod -R go-rwx src && make -B -j2" },
      { command: "make clean", always: true },
    ],
  },
  {
    name: "a git history",
    needs: ["git"],
    seed: `set -e
git init -q -b main; ${person}; printf 'a\\nb\\nc\\n' > f; git add f; git commit -qm one
git checkout -q -b topic; for i in 1 2 3; do echo $i > t$i; git add t$i; git commit -qm t$i; done
git checkout -q main; printf 'A\\nb\\nc\\n' > f; git commit -qam two
git checkout -q -b other; mkdir -p deep/er; echo o > deep/er/o; git add deep; git commit -qm other; git checkout -q main
git init -q -b main part; (cd part; echo p > p; git add p; git commit -qm part); printf 'part\\nside\\n' > .gitignore; git add .gitignore; git commit -qm ignore
git -c protocol.file.allow=always submodule add -q "$PWD/part" module; (cd module; ${person}); git commit -qm module`,
    commands: [
      { command: "git rebase main topic", always: true },
      { command: "git checkout -q main && git merge -q --no-edit topic" },
      { command: "echo dirty >> f && echo new > untracked && git stash -u", always: true },
      { command: "git stash pop" },
      { command: "cd module && echo q > q && git add q && git commit -qm q && cd .. && git commit -qam moved", always: true },
      { command: "git submodule deinit -q -f module" },
      { command: "git submodule update -q --init" },
      { command: "git worktree add -q side other && echo s >> side/deep/er/o && git -C side commit -qam side" },
      { command: "git gc -q --prune=now" },
      { command: "git merge -q --no-edit other && git reset -q --hard HEAD~1 && git clean -fdq" },
      { command: "git worktree remove --force side && git branch -D other" },
    ],
  },
];

const isThere = (program: string): boolean => spawnSync("sh", ["-c", 'command -v "$1"', "sh", program]).status === 0;
const holds = (await capturingHere()).length > 0;

/** Which names are one file, by the first of them; and what is more than bytes, mode, owner and time. */
async function stateOf(workspace: string): Promise<readonly string[]> {
  const lines = treeOf(workspace, { times: "changed" });
  const paths = lines.map((line) => line.replace(/(\/ | -> | [0-7]+ ).*$/, ""));
  const first = new Map<number, string>();
  const attributes = await attributesOf(paths.map((path) => join(workspace, path)));
  return lines.map((line, index) => {
    const path = paths[index] ?? "";
    const { ino, nlink } = lstatSync(join(workspace, path));
    const group = nlink > 1 && !line.startsWith(`${path}/ `) ? ` = ${first.get(ino) ?? path}` : "";
    if (!first.has(ino)) first.set(ino, path);
    return `${line}${group} ${JSON.stringify(attributes.get(join(workspace, path)) ?? {})}`;
  });
}

for (const { name, needs, seed, commands } of repositories) {
  const missing = needs.filter((program) => !isThere(program));
  const why = !holds ? " (skipped: no overlay here)" : missing.length > 0 ? ` (skipped: ${missing.join(", ")} not installed)` : "";
  describe.skipIf(why !== "")(`${name}${why}`, () => {
    it("dry run, run, undo and redo of its commands", { timeout: 600_000 }, async () => {
      const workspace = await temporaryDirectory();
      plant(workspace, seed);
      const { engine } = await testEngine({ workspace, mode: "accept-edits" });
      const session = await engine.openSession();
      for (const { command, always } of commands) {
        if (!full && always === undefined) continue;
        const before = await stateOf(workspace);
        const untouched = treeOf(workspace, { times: "all" });
        const rehearsed = await session.call("Bash", { command, timeout: 300_000 }, { dryRun: true });
        expect(rehearsed, command).toMatchObject({ status: "planned" });
        expect(treeOf(workspace, { times: "all" }), command).toEqual(untouched);
        const ran = await session.call("Bash", { command, timeout: 300_000 });
        expect([ran.status, ran.undoable, ran.output], command).toEqual(["ok", true, expect.any(String)]);
        const after = await stateOf(workspace);
        expect(after, command).not.toEqual(before);
        const undone = await session.undo({ last: 1 });
        expect(undone, command).toMatchObject({ status: "ok" });
        expect(await stateOf(workspace), command).toEqual(before);
        expect(await session.undo({ callId: undone.callId }), command).toMatchObject({ status: "ok" });
        expect(await stateOf(workspace), command).toEqual(after);
      }
    });
  });
}
