/**
 * One wildcard pattern against one path, for ignore files and for globs alike.
 * Works on any string; ignore files hand over byte strings (one character a byte), so that names which are not
 * UTF-8 match as git matches them. Never uses a regular expression: hostile patterns such as `*a*a*a*b` stay polynomial.
 * Refuses nothing: a malformed pattern is one that never matches.
 */

/**
 * `git`: wildmatch with the quirks of ignore files. `ripgrep`: how it reads ignore files, braces expanded before.
 * `glob`: what people type; git's classes without the quirks.
 */
export type WildcardDialect = "git" | "ripgrep" | "glob";

interface CharacterClass {
  readonly negated: boolean;
  /** Pairs of first and last code. */
  readonly ranges: readonly number[];
}

type Token =
  | number // one literal code
  | CharacterClass
  | "any" // one character, never `/`
  | "star" // any characters, never `/`
  | "dirs" // `**/`: zero or more whole directories
  | "rest"; // a final `**`

export interface Wildcard {
  readonly tokens: readonly Token[];
  readonly fold: boolean;
  /** Of a pattern such as `*.ts`, by far the commonest: what a name without `/` must end with. */
  readonly ending: string | undefined;
}

const slash = 47;

const posixClasses: Readonly<Record<string, readonly number[]>> = {
  alnum: [48, 57, 65, 90, 97, 122],
  alpha: [65, 90, 97, 122],
  blank: [9, 9, 32, 32],
  cntrl: [0, 31, 127, 127],
  digit: [48, 57],
  graph: [33, 126],
  lower: [97, 122],
  print: [32, 126],
  punct: [33, 47, 58, 64, 91, 96, 123, 126],
  space: [9, 13, 32, 32],
  upper: [65, 90],
  xdigit: [48, 57, 65, 70, 97, 102],
};

/** `undefined`: the pattern is malformed and matches nothing. `wholePath`: it is matched against paths, not against names alone. */
export function compileWildcard(
  pattern: string,
  dialect: WildcardDialect,
  fold = false,
  wholePath = pattern.includes("/"),
): Wildcard | undefined {
  const tokens: Token[] = [];
  const literalEnd = dialect === "git" && wholePath ? literalPrefix(pattern) : 0;
  let at = 0;
  while (at < pattern.length) {
    const character = pattern[at];
    if (character === "*") {
      let end = at + 1;
      while (pattern[end] === "*") end++;
      // git compares the part before the first wildcard on its own, so that a `**` right after it counts as standing at the start.
      const atStart = at === 0 || pattern[at - 1] === "/" || (at === literalEnd && at > 0);
      if (end - at >= 2 && atStart && end === pattern.length) {
        tokens.push("rest");
        at = end;
      } else if (end - at >= 2 && atStart && pattern[end] === "/") {
        if (tokens.at(-1) !== "dirs") tokens.push("dirs");
        at = end + 1;
      } else {
        if (tokens.at(-1) !== "star") tokens.push("star");
        at = end;
      }
    } else if (character === "?") {
      tokens.push("any");
      at++;
    } else if (character === "[") {
      const parsed = dialect === "ripgrep" ? plainClass(pattern, at) : gitClass(pattern, at);
      if (parsed === undefined) return undefined;
      tokens.push(parsed.token);
      at = parsed.end;
    } else if (character === "\\") {
      if (at + 1 >= pattern.length) return undefined;
      tokens.push(pattern.charCodeAt(at + 1));
      at += 2;
    } else {
      tokens.push(pattern.charCodeAt(at));
      at++;
    }
  }
  if (!fold) return { tokens, fold, ending: endingOf(tokens) };
  return { tokens: tokens.map((token) => (typeof token === "number" ? lower(token) : token)), fold, ending: undefined };
}

function endingOf(tokens: readonly Token[]): string | undefined {
  if (tokens[0] !== "star" || tokens.length < 2) return undefined;
  let ending = "";
  for (let at = 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (typeof token !== "number" || token === slash) return undefined;
    ending += String.fromCharCode(token);
  }
  return ending;
}

function literalPrefix(pattern: string): number {
  const at = pattern.search(/[*?[\\]/);
  return at < 0 ? pattern.length : at;
}

function gitClass(pattern: string, start: number): { token: CharacterClass; end: number } | undefined {
  let at = start + 1;
  const negated = pattern[at] === "!" || pattern[at] === "^";
  if (negated) at++;
  const ranges: number[] = [];
  let previous = -1;
  let first = true;
  for (;;) {
    let character = pattern[at];
    if (character === undefined) return undefined;
    if (character === "]" && !first) return { token: { negated, ranges }, end: at + 1 };
    first = false;
    const next = pattern[at + 1];
    if (character === "\\") {
      character = pattern[++at];
      if (character === undefined) return undefined;
      previous = character.charCodeAt(0);
      ranges.push(previous, previous);
    } else if (character === "-" && previous > 0 && next !== undefined && next !== "]") {
      character = pattern[++at];
      if (character === "\\") character = pattern[++at];
      if (character === undefined) return undefined;
      ranges.push(previous, character.charCodeAt(0));
      previous = -1;
    } else if (character === "[" && next === ":") {
      const close = pattern.indexOf("]", at + 2);
      if (close < 0) return undefined;
      if (close - at - 3 < 0 || pattern[close - 1] !== ":") {
        ranges.push(91, 91);
        previous = 91;
      } else {
        const named = posixClasses[pattern.slice(at + 2, close - 1)];
        if (named === undefined) return undefined;
        ranges.push(...named);
        at = close;
        previous = -1;
      }
    } else {
      previous = character.charCodeAt(0);
      ranges.push(previous, previous);
    }
    at++;
  }
}

/** The simpler class of glob libraries: no escapes, no names, a reversed range is an error. */
function plainClass(pattern: string, start: number): { token: CharacterClass; end: number } | undefined {
  let at = start + 1;
  const negated = pattern[at] === "!" || pattern[at] === "^";
  if (negated) at++;
  const ranges: number[] = [];
  let first = true;
  let inRange = false;
  for (;;) {
    const character = pattern[at];
    if (character === undefined) return undefined;
    if (character === "]" && !first) break;
    const code = character.charCodeAt(0);
    const last = ranges.length - 1;
    if (character === "-" && !first && !inRange) {
      inRange = true;
    } else if (inRange) {
      if (code < (ranges[last] ?? 0)) return undefined;
      ranges[last] = code;
      inRange = false;
    } else {
      ranges.push(code, code);
    }
    first = false;
    at++;
  }
  if (inRange) ranges.push(45, 45);
  return { token: { negated, ranges }, end: at + 1 };
}

/** Greedy with two points to return to: the last `*` of this segment, and the last `**`. */
export function matchesWildcard(wildcard: Wildcard, text: string): boolean {
  const { tokens, fold, ending } = wildcard;
  if (ending !== undefined) return text.endsWith(ending) && !text.includes("/");
  let token = 0;
  let at = 0;
  let starToken = -1;
  let starAt = 0;
  let dirsToken = -1;
  let dirsAt = 0;
  for (;;) {
    const current = tokens[token];
    if (current === undefined) {
      if (at === text.length) return true;
    } else if (current === "star") {
      starToken = ++token;
      starAt = at;
      continue;
    } else if (current === "dirs") {
      dirsToken = ++token;
      dirsAt = at;
      starToken = -1;
      continue;
    } else if (current === "rest") {
      return true;
    } else if (at < text.length && matchesOne(current, text.charCodeAt(at), fold)) {
      // A character outside the basic plane is two units; a wildcard takes both.
      if (typeof current !== "number" && (text.codePointAt(at) as number) > 0xffff) at++;
      token++;
      at++;
      continue;
    }
    if (starToken >= 0 && starAt < text.length && text.charCodeAt(starAt) !== slash) {
      at = ++starAt;
      token = starToken;
      continue;
    }
    const next = dirsToken >= 0 ? text.indexOf("/", dirsAt) : -1;
    if (next < 0) return false;
    dirsAt = next + 1;
    at = dirsAt;
    token = dirsToken;
    starToken = -1;
  }
}

function matchesOne(token: number | "any" | CharacterClass, code: number, fold: boolean): boolean {
  if (typeof token === "number") return token === code || (fold && token === lower(code));
  if (code === slash) return false;
  if (token === "any") return true;
  const inside = inClass(token, code) || (fold && (inClass(token, lower(code)) || inClass(token, upper(code))));
  return inside !== token.negated;
}

function inClass({ ranges }: CharacterClass, code: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (code >= (ranges[i] as number) && code <= (ranges[i + 1] as number)) return true;
  }
  return false;
}

function lower(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function upper(code: number): number {
  return code >= 97 && code <= 122 ? code - 32 : code;
}
