/** Nothing of a text may be missing from its tree: a character that no part of the tree stands for is never passed over. */
import { forEachChild, parse, type SyntaxNode } from "unbash";
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "./analyze.ts";
import { extractFrom } from "./extract.ts";
import { Interpreter } from "./interpret.ts";
import { initialState } from "./state.ts";
import type { DraftEffect, ShellWorld } from "./types.ts";

const world: ShellWorld = { cwd: "/repo", userHome: "/home/u", workspace: "/repo", gitTrusted: true };

const scripts = [
  "ls -la src",
  "ls; pwd",
  "ls && pwd || date",
  "ls | wc | cat",
  "! grep -q x a",
  "time ls",
  "ls & pwd",
  "{ ls; pwd; }",
  "( ls; pwd )",
  "if true; then ls; fi",
  "if true; then ls; elif false; then pwd; else date; fi",
  "while true; do ls; done",
  "until false; do ls; pwd; done",
  "for x in a b; do ls; done",
  "for x in a; { ls; }",
  "select x in a b; do ls; done",
  "case x in a) ls ;; (b|c) pwd ;; *) date ;; esac",
  "f() { ls; }; f",
  "function f { ls; }; f",
  "coproc ls",
  "while read -r x; do ls; done < list",
  "{ ls; } > out 2> errors",
  "if ls; then\n  pwd\n  date\nfi",
];

/** Places that a leaf of the tree stands for. */
function leaves(text: string): boolean[] {
  const covered = Array.from(text, () => false);
  const visit = (node: SyntaxNode): void => {
    const isLeaf = ["Word", "Assignment", "Redirect", "HereDoc", "HereString", "Negation", "Time"].includes(node.type);
    if (isLeaf) covered.fill(true, node.pos, node.end);
    else forEachChild(node, visit);
  };
  visit(parse(text));
  return covered;
}

describe.each(scripts)("%j", (text) => {
  it("is covered as it stands", () => {
    expect(extractFrom(parse(text), text).errors).toEqual([]);
  });

  it("is not covered when any character between its words is another one", () => {
    const covered = leaves(text);
    const overlooked: string[] = [];
    for (let index = 0; index < text.length; index += 1) {
      if (covered[index] === true) continue;
      const other = `${text.slice(0, index)}%${text.slice(index + 1)}`;
      const effects: DraftEffect[] = [];
      new Interpreter(world, effects, initialState("/repo", undefined)).run(other, parse(text));
      const isSeen = effects.some((effect) => effect.kind === "unknown" && effect.reason.includes("skipped"));
      if (!isSeen || extractFrom(parse(text), other).errors.length === 0) overlooked.push(other);
    }
    expect(overlooked).toEqual([]);
  });
});

describe("here-documents", () => {
  it("are passed over where they stand", () => {
    const text = "while read -r x; do\n  cat <<'A' | wc # a comment\n)(;& then\nA\n  ls\ndone <<B\n$x fi\nB\npwd";
    expect(extractFrom(parse(text), text).errors).toEqual([]);
  });

  it.each(["cat <<$(x)\n$(x)\n", "cat <<E`ls`\nx\n", "cat <<{a\nx\n{a\n", "cat <<E[1]\nx\nE[1]\n"])(
    "with the delimiter of %j ask",
    (text) => {
      expect(analyzeCommand(text, world).understood).toBe(false);
    },
  );
});
