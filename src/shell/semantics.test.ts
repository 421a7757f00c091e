/**
 * The meaning of scripts against bash itself: programs that do not exist are "run" by bash, which reports what it
 * would have started. Each of those must be among the commands the analysis found, word for word where it claims to know them.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { misreadHereDocument } from "./command.ts";
import { pick, random } from "./fixtures/generate.ts";
import { analyzeCommand, extractCommands, parseShell } from "./index.ts";
import { quote } from "./quote.ts";

const full = process.env.KARYI_FULL === "1";
const hasBash = spawnSync("bash", ["-c", ":"]).status === 0;
const isRoot = process.getuid?.() === 0;
const canDrop = hasBash && (!isRoot || spawnSync("setpriv", ["--version"]).status === 0);
const scratch = mkdtempSync(join(tmpdir(), "karyi-semantics-"));
chmodSync(scratch, 0o777);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** For each script the commands bash started, in order. */
function started(scripts: readonly string[]): readonly (readonly (readonly string[])[])[] {
  const driver = `
    command_not_found_handle() { printf '%s\\0' "$#" "$@" >&9; return 0; }
    export -f command_not_found_handle
    exec 9> out
    while IFS= read -r -d '' script; do
      timeout -k 1 2 bash -c "$script" </dev/null >/dev/null 2>&1
      printf 'end\\0' >&9
    done`;
  const drop = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  const [program = "bash", ...args] = [...drop, "bash", "-c", driver];
  const env = { PATH: "/usr/bin:/bin", HOME: "/home/u", LC_ALL: "C.UTF-8" };
  spawnSync(program, args, { cwd: scratch, env, input: scripts.map((script) => `${script}\0`).join(""), maxBuffer: 1 << 26 });
  const tokens = readFileSync(join(scratch, "out"), "utf8").split("\0");
  const result: string[][][] = [[]];
  for (let index = 0; index < tokens.length - 1; index += 1) {
    if (tokens[index] === "end") {
      result.push([]);
      continue;
    }
    const count = Number(tokens[index]);
    result.at(-1)?.push(tokens.slice(index + 1, index + 1 + count));
    index += count;
  }
  return result.slice(0, -1);
}

const pieces = [
  ..."a b1 .e nv - / . = , : @ % + ^ \\a \\' \\\" \\\\ \\$ \\~ \\{ 'q' 'q w' '\\' '\"' '$x' '*' \"q\" \"q w\" \"\\$x\" \"\\a\" \"'\" \"\\\"\" \"\" '' ~ ~/ {a,b} {1..3} {a..c} {a,{b,c}} {a,b}{c,d} {01..03} {a} {} {a,b x{,y}z $'\\x41' $'\\101' $'\\u0041' $'\\'' $'\\n' $'a\\tb' $'\\cA' $'\\e' $'\\q' $'\\\\' $\"l\" $'\\x4' $'\\07' $'\\U00000042'".split(
    " ",
  ),
  "\\ ",
  "\\\n",
  "' '",
  '"a b"',
];

describe.skipIf(!canDrop)("words", () => {
  it("a value that is claimed to be known is what bash makes of the word", { timeout: 300_000 }, () => {
    const next = random(5);
    const scripts: string[] = [];
    while (scripts.length < (full ? 6_000 : 200)) {
      const words = Array.from({ length: 1 + Math.floor(next() * 3) }, () =>
        Array.from({ length: 1 + Math.floor(next() * 4) }, () => pick(pieces, next)).join(""),
      );
      scripts.push(`c0 ${words.join(" ")}`);
    }
    const actual = started(scripts);
    expect(actual.length).toBe(scripts.length);
    let compared = 0;
    scripts.forEach((script, index) => {
      const parsed = parseShell(script);
      if (!parsed.understood) return;
      const run = analyzeCommand(script, { cwd: "/repo", userHome: "/home/u", workspace: "/repo", gitTrusted: true }).effects.find(
        (effect) => effect.kind === "run",
      );
      // Whose home that is, only the machine knows; such a command asks.
      if (run?.kind === "run" && run.reason === "home directory of another user") return;
      const known = extractCommands(script)[0]?.args.every((word) => word.value !== undefined) === true;
      if (!known || run?.kind !== "run") return;
      compared += 1;
      // A tilde that stays one is shown without quotes.
      const plain = (text: string): string => text.replaceAll("'", "");
      expect([script, plain(run.text)]).toEqual([script, plain((actual[index]?.[0] ?? []).map(quote).join(" "))]);
    });
    expect(compared).toBeGreaterThan(scripts.length / 2);
  });
});

const commands = [
  "c1",
  "c2 a",
  "c3 $x",
  'c4 "$x" b',
  "c5 $y",
  "x=p",
  "x='p q'",
  "y=r",
  "x=$y",
  "x=${x}s",
  "y=${x%s}",
  "y=${x:0:1}",
  "c6 ${x:-d}",
  "c7 {a,$x}",
  "c8 $((1+2))",
  'c9 "$(echo a)"',
  "$x z",
  "c1 > f",
  "c2 <<< $x",
  "x=1 c3",
  ": c4",
];
const frames: readonly ((inner: () => string) => string)[] = [
  (inner) => `${inner()}; ${inner()}`,
  (inner) => `${inner()} && ${inner()}`,
  (inner) => `${inner()} || ${inner()}`,
  (inner) => `${inner()} | ${inner()}`,
  (inner) => `( ${inner()} )`,
  (inner) => `{ ${inner()}; }`,
  (inner) => `! ${inner()}`,
  (inner) => `if ${inner()}; then ${inner()}; else ${inner()}; fi`,
  (inner) => `for x in 1 "2 3" $y; do ${inner()}; done`,
  (inner) => `for ((i=0;i<2;i++)); do ${inner()}; done`,
  (inner) => `i=0; while [ $i -lt 2 ]; do i=$((i+1)); ${inner()}; done`,
  (inner) => `case $x in p*) ${inner()};; *) ${inner()};& q) ${inner()};; esac`,
  (inner) => `echo "$(${inner()})"`,
  (inner) => `cat <(${inner()})`,
  (inner) => `f() { ${inner()}; }; f a b`,
  (inner) => `bash -c '${inner().replaceAll("'", "'\\''")}'`,
  (inner) => `eval '${inner().replaceAll("'", "'\\''")}'`,
  (inner) => `cat <<E\n$(${inner()})\nE\n${inner()}`,
  (inner) => `[[ -n $(${inner()}) ]]`,
  (inner) => `set -- a "b c"; ${inner()}; c1 "$@"`,
  (inner) => `while ${inner()}; do ${inner()}; break; done`,
];

function program(next: () => number, depth: number): string {
  if (depth <= 0 || next() < 0.2) return pick(commands, next);
  return pick(frames, next)(() => program(next, depth - 1));
}

describe.skipIf(!canDrop)("scripts", () => {
  it("bash starts nothing that the analysis did not find", { timeout: 600_000 }, () => {
    const next = random(17);
    const scripts = Array.from({ length: full ? 4_000 : 120 }, () => program(next, 3));
    const actual = started(scripts);
    expect(actual.length).toBe(scripts.length);
    let seen = 0;
    scripts.forEach((script, index) => {
      const analysis = analyzeCommand(script, {
        cwd: "/repo",
        userHome: "/home/u",
        workspace: "/repo",
        gitTrusted: true,
        env: { HOME: "/home/u" },
      });
      const runs = analysis.effects.flatMap((effect) => (effect.kind === "run" ? [effect.text] : []));
      // Bash itself reads these otherwise than they are written; they ask.
      if (analysis.effects.some((effect) => "reason" in effect && effect.reason === misreadHereDocument)) return;
      for (const argv of actual[index] ?? []) {
        seen += 1;
        const exact = argv.map(quote).join(" ");
        const found = runs.some(
          (text) =>
            text === exact ||
            (/[$`{…]/.test(text) && (text.startsWith(`${quote(argv[0] ?? "")} `) || text.startsWith("$") || text.startsWith('"$'))),
        );
        expect([script, exact, found]).toEqual([script, exact, true]);
      }
    });
    expect(seen).toBeGreaterThan(scripts.length / 2);
  });
});
