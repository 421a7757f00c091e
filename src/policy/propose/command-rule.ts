/**
 * Owns the narrowest lasting rule for one simple command: its exact text, or, for programs whose arguments are
 * only what they work on, the fixed part with ` *` where those stood.
 * Refuses to widen anything that runs other programs, removes, sends or publishes: such a rule would allow everything.
 */
import { escapeStars } from "../rules/wildcard.ts";

/** Program → subcommands that may be widened, with how many words after them are fixed; `""` where there is none. */
const widenable: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  npm: { test: 0, run: 1, "run-script": 1 },
  pnpm: { test: 0, run: 1 },
  yarn: { test: 0, run: 1 },
  bun: { test: 0 },
  cargo: { build: 0, check: 0, test: 0, clippy: 0, fmt: 0, bench: 0, doc: 0 },
  go: { build: 0, test: 0, vet: 0, fmt: 0 },
  git: { add: 0, commit: 0 },
  ruff: { check: 0, format: 0 },
  biome: { check: 0, lint: 0, format: 0 },
  tsc: { "": 0 },
  eslint: { "": 0 },
  prettier: { "": 0 },
  stylelint: { "": 0 },
  vitest: { "": 0 },
  jest: { "": 0 },
  mocha: { "": 0 },
  pytest: { "": 0 },
  mypy: { "": 0 },
};

const word = /(?:[^\s"'\\]|\\.|"(?:\\.|[^"\\])*"|'[^']*')+/gs;
const maxTextLength = 240;

export interface CommandRule {
  readonly rule: string;
  /** The text before the ` *`, or the whole of an exact rule. */
  readonly fixed: string;
  readonly open: boolean;
}

export function commandRule(program: string, text: string): CommandRule | undefined {
  // A rule a person cannot read at a glance is no rule; a here-document would be stored line by line.
  if (text.length > maxTextLength || /[\r\n\0]/.test(text) || text.trim() !== text || text === "") return undefined;
  const fixed = fixedPart(program, text);
  if (fixed === undefined) return { rule: `Bash(${escapeStars(text)})`, fixed: text, open: false };
  return { rule: `Bash(${escapeStars(fixed)} *)`, fixed, open: true };
}

function fixedPart(program: string, text: string): string | undefined {
  const words = text.match(word) ?? [];
  if (words[0] !== program || words.join(" ") !== text) return undefined;
  const subcommands = Object.hasOwn(widenable, program) ? widenable[program] : undefined;
  if (!subcommands) return undefined;
  const alone = Object.hasOwn(subcommands, "");
  const subcommand = alone ? "" : (words[1] ?? "");
  const more = Object.hasOwn(subcommands, subcommand) ? subcommands[subcommand] : undefined;
  if (more === undefined) return undefined;
  let end = (alone ? 1 : 2) + more;
  if (words.slice(1, end).some((part) => !/^[\w:.-]+$/.test(part) || part.startsWith("-"))) return undefined;
  while (words[end]?.startsWith("-") && /^[\w=./:,-]+$/.test(words[end] ?? "")) end += 1;
  const rest = words.slice(end);
  if (end > words.length || rest.length === 0 || !rest.every(isPlain)) return undefined;
  return words.slice(0, end).join(" ");
}

/** A name or a quoted text that nothing expands in; not an option, not a way out of the workspace. */
function isPlain(part: string): boolean {
  if (/^'[^']*'$/.test(part) || /^"[^"$`\\]*"$/.test(part)) return true;
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(part) && !part.startsWith("/") && !part.split("/").includes("..");
}
