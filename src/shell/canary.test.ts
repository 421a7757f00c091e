/** What would be allowed is run for real, as nobody, in a scratch repository: it must leave no trace. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attacks, benign, corpus, decide, world } from "./fixtures/cases.ts";
import { mutate, pick, random } from "./fixtures/generate.ts";
import { analyzeCommand } from "./index.ts";
import { quote } from "./quote.ts";

const full = process.env.KARYI_FULL === "1";
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const canDrop = !isRoot || spawnSync("setpriv", ["--version"]).status === 0;
let scratch = "";

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "karyi-canary-"));
  mkdirSync(join(scratch, "home"));
  mkdirSync(join(scratch, "repo", "src"), { recursive: true });
  const repo = join(scratch, "repo");
  for (const name of ["a.txt", "b.txt", "log.txt", "src/a.ts", "src/b.ts", "-n", "-o", "-delete", "x -o pwned.ts", "--files0-from=a.ts"])
    writeFileSync(join(repo, name), "touch pwned\nb\na\n");
  writeFileSync(join(repo, "package.json"), '{"name":"x","scripts":{"a":"b"}}');
  spawnSync("git", ["init", "-q"], { cwd: repo });
  spawnSync("git", ["add", "a.txt", "src"], { cwd: repo });
  spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@x.example", "commit", "-qm", "x"], { cwd: repo });
  if (isRoot) give(scratch);
  chmodSync(scratch, 0o755);
  // Git keeps what it saw of the files in its index; after this it has seen them.
  run(["git diff"]);
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function give(path: string): void {
  chownSync(path, nobody, nobody);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name));
}

function snapshot(path: string): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    const full = join(entry.parentPath, entry.name);
    const { mode, size } = lstatSync(full);
    result[full.slice(path.length)] = entry.isFile()
      ? `${mode} ${size} ${createHash("sha1").update(readFileSync(full)).digest("hex")}`
      : `${mode}`;
  }
  return result;
}

function run(commands: readonly string[]): void {
  const driver = `while IFS= read -r -d '' command; do timeout -k 1 3 bash -c "$command" </dev/null >/dev/null 2>&1; done`;
  const drop = isRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];
  const [program = "bash", ...args] = [...drop, "bash", "-c", driver];
  spawnSync(program, args, {
    cwd: join(scratch, "repo"),
    input: commands.map((command) => `${command}\0`).join(""),
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: join(scratch, "home"), GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C.UTF-8" },
    maxBuffer: 1 << 28,
  });
}

/** Those that would run unasked; without what only waits, and what asks where names have blanks, as here. */
function allowed(commands: readonly string[]): readonly string[] {
  return commands.filter((command) => {
    if (/\bsleep\b|tail.*-[a-z]*[fF]|--follow|\0/.test(command)) return false;
    const analysis = analyzeCommand(command, world);
    return decide(analysis) === "allow" && !analysis.effects.some((effect) => effect.kind === "read" && effect.cut !== undefined);
  });
}

/** Paths that changed, with the commands that ran meanwhile. */
function traces(commands: readonly string[]): readonly string[] {
  const before = snapshot(scratch);
  run(commands);
  const after = snapshot(scratch);
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]);
  if (changed.length === 0) return [];
  if (commands.length === 1) return [`${commands[0]}: ${changed.join(" ")}`];
  const half = commands.length >> 1;
  return [...changed, ...traces(commands.slice(0, half)), ...traces(commands.slice(half))];
}

describe.skipIf(!canDrop)("commands that run unasked", () => {
  it("the canary itself is seen", () => {
    const before = snapshot(scratch);
    run(["touch seen"]);
    expect(Object.keys(snapshot(scratch)).filter((path) => !(path in before))).toEqual(["/repo/seen"]);
    run(["rm seen"]);
    expect(snapshot(scratch)).toEqual(before);
  });

  it("of the tables leave no trace", { timeout: 300_000 }, () => {
    const commands = allowed([...benign, ...attacks, ...corpus.filter((one) => one.gitConfigKeys === undefined).map((one) => one.command)]);
    expect(commands.length).toBeGreaterThan(150);
    expect(traces(full ? commands : commands.filter((_, index) => index % 2 === 0))).toEqual([]);
  });

  it("of random sed and awk programs leave no trace", { timeout: 900_000 }, () => {
    const next = random(full ? 3 : 4);
    const sed =
      "p d w e s/a/b/ s/a/b/w s/a/b/e s,a,b, s/[/]/b/ s/[]/]/b/ s/[^]/]/b/ s/a\\/b/c/ y/a/b/ a\\ i c\\ r R W \\ \\\\ ; { } ! 1 $ /a/ \\,a, , #x : b t pwned \n e\\x20 1~2 = l q n N g G h H x z F I M 0 touch".split(
        " ",
      );
    const awk =
      'print printf > >> | || & "pwned" "touch pwned" system getline ( ) { } ; $1 NR == 1 /a/ / , close BEGIN END if while x = + "a" ~ ! @ < && \n \\ # [ ]'.split(
        " ",
      );
    const commands: string[] = [];
    for (let count = full ? 10_000 : 1_500; count > 0; count -= 1) {
      const tokens = count % 2 === 0 ? sed : awk;
      const script = Array.from({ length: 1 + Math.floor(next() * 6) }, () => pick(tokens, next).replaceAll("\\n", "\n")).join(
        pick(["", " ", "\n", ";"], next),
      );
      commands.push(count % 2 === 0 ? `sed ${pick(["", "-n", "-E", "-s"], next)} ${quote(script)} a.txt` : `awk ${quote(script)} a.txt`);
    }
    const chosen = allowed(commands);
    expect(chosen.length).toBeGreaterThan(10);
    expect(traces(full ? chosen : chosen.slice(0, 150))).toEqual([]);
  });

  it("of random mutations leave no trace", { timeout: 900_000 }, () => {
    const next = random(full ? 99 : 42);
    const known = [...benign, ...attacks];
    const commands: string[] = [];
    for (let count = full ? 20_000 : 600; count > 0; count -= 1) commands.push(mutate(pick(known, next), known, next));
    expect(traces(allowed(commands))).toEqual([]);
  });
});
