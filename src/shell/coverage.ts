/**
 * The parser is tolerant: on some malformed input it drops a token without reporting it, so that the tree is of
 * another text than bash would read. This checks that between the parts of a node stands nothing but what may
 * stand there, and so that nothing was dropped.
 */
import {
  type AndOr,
  type Command,
  type CompoundList,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type SyntaxNode,
} from "unbash";

interface Span {
  readonly pos: number;
  readonly end: number;
}

/** Between words: blanks. Between statements also `;`, `&` and line ends. Between piped or chained commands `|` too. */
type Gap = "words" | "statements" | "operators";

/** False when the parts do not cover the node. `source` is the text its positions count in. */
export function isCovered(node: ParsedScript | CompoundList | Pipeline | AndOr | Command, source: string): boolean {
  switch (node.type) {
    case "Script":
      return spansCover(node.commands, node.pos, node.end, "statements", source, node);
    case "CompoundList":
      return node.commands.length < 2 || spansCover(node.commands, node.commands[0]?.pos ?? 0, -1, "statements", source, node);
    case "Pipeline":
    case "AndOr":
      // `time` or `!` before nothing: what follows it may not be what bash makes of it.
      if (node.commands.length === 0) return false;
      return node.commands.length === 1 || spansCover(node.commands, node.commands[0]?.pos ?? 0, -1, "operators", source, node);
    default:
      return commandCovered(node, source);
  }
}

function commandCovered(node: Command, source: string): boolean {
  if (node.prefix.length === 0 && node.suffix.length === 0) return true;
  if (!node.redirects.every((redirect) => redirectHolds(redirect, source))) return false;
  const spans: Span[] = [...node.prefix];
  if (node.name !== undefined) spans.push(node.name);
  for (const part of node.suffix) spans.push(part);
  return spansCover(spans, node.pos, node.end, "words", source, node);
}

/** What bash takes for a descriptor, the parser may take for a target; and a delimiter must close its quotes. */
export function redirectHolds(node: Redirection, source: string): boolean {
  if (node.type === "HereDoc") {
    const delimiter = node.delimiter;
    if (delimiter === undefined) return false;
    return quotesClose(delimiter.text) && !(/^\d+$/.test(delimiter.text) && /[<>]/.test(source[delimiter.end] ?? ""));
  }
  const target = node.target;
  return target !== undefined && !(/^\d+$/.test(target.text) && /[<>]/.test(source[target.end] ?? ""));
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

function spansCover(spans: readonly Span[], from: number, to: number, gap: Gap, source: string, node: SyntaxNode): boolean {
  let at = from;
  for (const span of spans) {
    if (span.pos > at && !isQuiet(source, at, span.pos, gap) && !isHereDocument(source, at, span.pos, gap, node)) return false;
    at = Math.max(at, span.end);
  }
  return to < 0 || at >= to || isQuiet(source, at, to, gap) || isHereDocument(source, at, to, gap, node);
}

function isQuiet(source: string, from: number, to: number, gap: Gap): boolean {
  for (let index = from; index < to; index += 1) {
    switch (source[index]) {
      case " ":
      case "\t":
        break;
      case "\\":
        if (source[index + 1] !== "\n") return false;
        index += 1;
        break;
      case "\n":
        if (gap === "words") return false;
        break;
      case ";":
        if (gap !== "statements") return false;
        break;
      case "&":
        if (gap === "words") return false;
        break;
      case "|":
        if (gap !== "operators") return false;
        break;
      case "#": {
        if (gap === "words") return false;
        const end = source.indexOf("\n", index);
        index = end < 0 || end > to ? to : end - 1;
        break;
      }
      default:
        return false;
    }
  }
  return true;
}

const known = new WeakMap<SyntaxNode, Span[]>();

/** Bodies of here-documents lie behind the line that names them; without them the gap must be quiet. */
function isHereDocument(source: string, from: number, to: number, gap: Gap, node: SyntaxNode): boolean {
  if (gap === "words" || !source.includes("<<")) return false;
  let bodies = known.get(node);
  if (bodies === undefined) {
    bodies = [];
    collectBodies(node, bodies, 0);
    known.set(node, bodies);
  }
  if (bodies.length === 0) return false;
  let text = source.slice(from, to);
  for (const body of bodies) {
    const start = Math.max(0, body.pos - from);
    const end = Math.min(text.length, body.end - from);
    if (end > start) text = text.slice(0, start) + " ".repeat(end - start) + text.slice(end);
  }
  return isQuiet(text, 0, text.length, gap);
}

function collectBodies(node: SyntaxNode, bodies: Span[], depth: number): void {
  if (depth > 200 || bodies.length > 700) return;
  if (node.type === "HereDoc") bodies.push({ pos: node.body.pos, end: node.closing?.end ?? node.body.end });
  else if (node.type === "Word" || node.type === "CommandExpansion") return;
  else forEachChild(node, (child) => collectBodies(child, bodies, depth + 1));
}
