/**
 * The parser is tolerant: on some malformed input it drops a token without reporting it, so that the tree is of
 * another text than bash would read. This checks that between the parts of a node stands nothing but what may
 * stand there, and so that nothing was dropped. One walk over the characters of the gaps; nothing is cut out or copied.
 */
import { type Command, forEachChild, type Redirection, type SyntaxNode } from "unbash";

interface Span {
  readonly pos: number;
  readonly end: number;
}

/** What may stand in a gap besides blanks. */
interface Gap {
  readonly marks: string;
  readonly words: readonly string[];
  /** Line ends and comments. */
  readonly lines: boolean;
}

function gap(marks: string, words = "", lines = true): Gap {
  return { marks, words: words === "" ? [] : words.split(" "), lines };
}

const betweenWords = gap("", "", false);
const betweenStatements = gap(";&");
const betweenCommands = gap("|&");

/** Compound commands: their brackets and keywords. */
const compounds: ReadonlyMap<SyntaxNode["type"], Gap> = new Map<SyntaxNode["type"], Gap>([
  ["Statement", betweenStatements],
  ["If", gap(";&", "if then elif else fi")],
  ["Elif", gap(";&", "elif then")],
  ["While", gap(";&", "while until do done")],
  ["For", gap(";&{}", "for in do done")],
  ["Select", gap(";&{}", "select in do done")],
  ["BraceGroup", gap(";&{}")],
  ["Subshell", gap(";&()")],
  ["Case", gap(";&", "case in esac")],
  ["CaseItem", gap(";&|()")],
  ["Function", gap("()", "function")],
  ["Coproc", gap("", "coproc")],
  ["Redirected", gap("", "", false)],
]);

/** False when the parts do not cover the node. `source` is the text its positions count in. */
export function isCovered(node: SyntaxNode, source: string): boolean {
  switch (node.type) {
    case "Command":
      return commandCovered(node, source);
    case "Script":
      return listCovered(node.commands, node.pos, node.end, betweenStatements, source, node);
    case "CompoundList": {
      const first = node.commands[0];
      return first === undefined || listCovered(node.commands, first.pos, -1, betweenStatements, source, node);
    }
    case "Pipeline": {
      // `time` or `!` before nothing: what follows it may not be what bash makes of it.
      const first = node.commands[0];
      if (first === undefined) return false;
      const begins = node.prefixes.length === 0 || listCovered(node.prefixes, node.pos, first.pos, betweenWords, source, node);
      return begins && listCovered(node.commands, first.pos, -1, betweenCommands, source, node);
    }
    case "AndOr": {
      const first = node.commands[0];
      return first !== undefined && listCovered(node.commands, first.pos, -1, betweenCommands, source, node);
    }
    default: {
      const fill = compounds.get(node.type);
      return fill === undefined || compoundCovered(node, fill, source);
    }
  }
}

function commandCovered(node: Command, source: string): boolean {
  const { prefix, name, suffix } = node;
  if (prefix.length === 0 && suffix.length === 0) return true;
  let at = node.pos;
  for (let index = 0; index < prefix.length; index += 1) {
    const part = prefix[index];
    if (part === undefined) break;
    if (!isFilled(source, at, part.pos, betweenWords, node)) return false;
    if (part.type !== "Assignment" && !redirectHolds(part, source)) return false;
    if (part.end > at) at = part.end;
  }
  if (name !== undefined) {
    if (!isFilled(source, at, name.pos, betweenWords, node)) return false;
    if (name.end > at) at = name.end;
  }
  for (let index = 0; index < suffix.length; index += 1) {
    const part = suffix[index];
    if (part === undefined) break;
    const { type, pos, end } = part;
    // One blank, as nearly always.
    if (!(pos === at + 1 && source.charCodeAt(at) === 0x20) && !isFilled(source, at, pos, betweenWords, node)) return false;
    if (type !== "Word" && type !== "Assignment" && !redirectHolds(part, source)) return false;
    if (end > at) at = end;
  }
  return isFilled(source, at, node.end, betweenWords, node);
}

/** Substitutions, brackets and line ends in a delimiter are read by rules of their own. */
const plainDelimiter = /^[\w.,:;@%+=/!^~*?#&|<> '"\\-]+$/;

/** What bash takes for a descriptor, the parser may take for a target; and a delimiter must close its quotes. */
export function redirectHolds(node: Redirection, source: string): boolean {
  if (node.type === "HereDoc") {
    const delimiter = node.delimiter;
    if (delimiter === undefined || !plainDelimiter.test(delimiter.text)) return false;
    return quotesClose(delimiter.text) && !isDescriptor(delimiter, source);
  }
  return node.target !== undefined && !isDescriptor(node.target, source);
}

/** Digits right before the next redirection. */
function isDescriptor({ text, end }: { readonly text: string; readonly end: number }, source: string): boolean {
  const next = source.charCodeAt(end);
  return (next === 0x3c || next === 0x3e) && /^\d+$/.test(text);
}

function quotesClose(text: string): boolean {
  let quote = "";
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? "";
    if (char === "\\" && quote !== "'") index += 1;
    else if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (char === quote) quote = "";
  }
  return quote === "";
}

function listCovered(spans: readonly Span[], from: number, to: number, fill: Gap, source: string, node: SyntaxNode): boolean {
  let at = from;
  for (let index = 0; index < spans.length; index += 1) {
    const span = spans[index];
    if (span === undefined) break;
    if (span.pos > at && !isFilled(source, at, span.pos, fill, node)) return false;
    if (span.end > at) at = span.end;
  }
  return at >= to || isFilled(source, at, to, fill, node);
}

function compoundCovered(node: SyntaxNode, fill: Gap, source: string): boolean {
  let at = node.pos;
  let holds = true;
  // Parts come in the order they are written in.
  forEachChild(node, (part) => {
    holds &&= isFilled(source, at, part.pos, fill, node);
    if (part.end > at) at = part.end;
  });
  return holds && isFilled(source, at, node.end, fill, node);
}

/** Nothing but what the gap allows stands from one place to the other; bodies of here-documents are passed over. */
function isFilled(source: string, from: number, to: number, { marks, words, lines }: Gap, node: SyntaxNode): boolean {
  let index = from;
  while (index < to) {
    const code = source.charCodeAt(index);
    if (code === 0x20 || code === 0x09 || (lines && code === 0x0a)) {
      index += 1;
      continue;
    }
    if (code === 0x5c && source.charCodeAt(index + 1) === 0x0a) {
      index += 2;
      continue;
    }
    if (code === 0x23 && lines && beginsWord(source, index)) {
      const end = source.indexOf("\n", index);
      index = end < 0 || end > to ? to : end;
      continue;
    }
    if (marks.includes(source.charAt(index))) {
      index += 1;
      continue;
    }
    const next = words.length > 0 && beginsWord(source, index) ? keywordEnd(source, index, to, words) : index;
    if (next > index) {
      index = next;
      continue;
    }
    const after = lines ? bodyEnd(source, index, node) : index;
    if (after <= index) return false;
    index = after;
  }
  return true;
}

/** Before it stands a blank, a line end, an operator or nothing. */
function beginsWord(source: string, index: number): boolean {
  return index === 0 || " \t\n;&|()`".includes(source.charAt(index - 1));
}

function keywordEnd(source: string, from: number, to: number, words: readonly string[]): number {
  for (const word of words) {
    const end = from + word.length;
    if (end <= to && source.startsWith(word, from) && (end === source.length || " \t\n;&|()<>\\".includes(source.charAt(end)))) return end;
  }
  return from;
}

const known = new WeakMap<SyntaxNode, readonly Span[]>();

/** Bodies of here-documents lie behind the line that names them: where the one ends that holds this place, if any does. */
function bodyEnd(source: string, index: number, node: SyntaxNode): number {
  if (!source.includes("<<")) return index;
  let bodies = known.get(node);
  if (bodies === undefined) {
    const found: Span[] = [];
    collectBodies(node, found, 0);
    bodies = found;
    known.set(node, bodies);
  }
  for (const body of bodies) if (body.pos <= index && index < body.end) return body.end;
  return index;
}

function collectBodies(node: SyntaxNode, bodies: Span[], depth: number): void {
  if (depth > 200 || bodies.length > 700) return;
  if (node.type === "HereDoc") bodies.push({ pos: node.body.pos, end: node.closing?.end ?? node.body.end });
  else if (node.type === "Word" || node.type === "CommandExpansion") return;
  else forEachChild(node, (child) => collectBodies(child, bodies, depth + 1));
}
