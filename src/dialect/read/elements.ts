/**
 * Stage two of markup: a complete piece of text, cut into tags and CDATA, with opening and closing tags paired.
 * Broken markup pairs as far as it can: a tag without a partner (`vec<int>`) is text, never an error.
 * One pass and explicit stacks, so depth and breakage cost nothing extra.
 */
import { isBlankRange, readTag, type Tag } from "./tag.ts";

export interface Token {
  /** `marker` is an opening `<![CDATA[` that never closes. */
  readonly kind: "open" | "close" | "void" | "cdata" | "marker" | "comment";
  readonly at: number;
  readonly end: number;
  readonly tag: Tag | undefined;
  /** Index of the partner of an open or close tag, -1 where there is none; of CDATA, where its content ends. */
  mate: number;
}

/** An element at one level: its tag, and the ranges of its content in text and tokens. */
export interface Element {
  readonly tag: Tag;
  readonly from: number;
  readonly to: number;
  readonly first: number;
  readonly last: number;
  readonly closed: boolean;
}

interface Level {
  readonly elements: readonly Element[];
  /** Text between the elements that is not blank. */
  readonly stray: boolean;
  /** An element whose name closes again after text: its content holds its own closing tag. */
  readonly reclosed: boolean;
}

const cdataOpen = "<![CDATA[";

export function startsCdata(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) === 33 && (text.startsWith(cdataOpen, at) || text.slice(at, at + 9).toUpperCase() === cdataOpen);
}

/** `cut`: the text ended inside, so an unclosed CDATA section runs to its end. */
export function tokenize(text: string, from: number, to: number, cut: boolean): readonly Token[] {
  const tokens: Token[] = [];
  const pairs = new Pairs(tokens);
  let cdataEnds = true;
  let commentEnds = true;
  for (let at = text.indexOf("<", from); at >= 0 && at < to; ) {
    let end = at + 1;
    if (text.charCodeAt(at + 1) !== 33) {
      const tag = readTag(text, at, true);
      if (tag !== undefined && tag !== "more" && tag.end <= to) {
        end = tag.end;
        pairs.add({ kind: tag.closing ? "close" : tag.selfClosing ? "void" : "open", at, end, tag, mate: -1 }, tag.name);
      }
    } else if (startsCdata(text, at)) {
      // Remembering a failed search keeps a text full of unclosed sections linear.
      const stop: number = cdataEnds ? text.indexOf("]]>", at + 9) : -1;
      cdataEnds = stop >= 0 && stop + 3 <= to;
      end = cdataEnds ? stop + 3 : cut ? to : at + 9;
      tokens.push({ kind: cdataEnds || cut ? "cdata" : "marker", at, end, tag: undefined, mate: cdataEnds ? stop : end });
    } else if (commentEnds && text.startsWith("<!--", at)) {
      const stop = text.indexOf("-->", at + 4);
      commentEnds = stop >= 0 && stop + 3 <= to;
      if (commentEnds) {
        end = stop + 3;
        tokens.push({ kind: "comment", at, end, tag: undefined, mate: -1 });
      }
    }
    at = text.indexOf("<", end);
  }
  return tokens;
}

/** Deeper than this, looking for a partner goes by counts instead of by walking up. */
const shallow = 32;

/** Pairs a closing tag with the nearest open one of its name; tags left open in between stay single. */
class Pairs {
  private readonly open: Token[] = [];
  private readonly indexes: number[] = [];
  /** How many tags of a name are open; kept only where nesting is deep. */
  private counts: Map<string, number> | undefined;

  constructor(private readonly tokens: Token[]) {}

  add(token: Token, name: string): void {
    const index = this.tokens.push(token) - 1;
    if (token.kind === "open") {
      this.open.push(token);
      this.indexes.push(index);
      this.count(name, 1);
    } else if (token.kind === "close" && this.isOpen(name)) this.close(token, index, name);
  }

  private close(token: Token, index: number, name: string): void {
    for (let other = this.open.pop(); other !== undefined; other = this.open.pop()) {
      const at = this.indexes.pop() ?? -1;
      const otherName = other.tag?.name ?? "";
      this.count(otherName, -1);
      if (otherName === name) {
        other.mate = index;
        token.mate = at;
        return;
      }
    }
  }

  private isOpen(name: string): boolean {
    if (this.counts !== undefined) return (this.counts.get(name) ?? 0) > 0;
    for (let at = this.open.length - 1; at >= 0; at -= 1) if (this.open[at]?.tag?.name === name) return true;
    return false;
  }

  private count(name: string, by: 1 | -1): void {
    if (this.counts !== undefined) this.counts.set(name, (this.counts.get(name) ?? 0) + by);
    else if (this.open.length > shallow) {
      this.counts = new Map();
      for (const { tag } of this.open) this.counts.set(tag?.name ?? "", (this.counts.get(tag?.name ?? "") ?? 0) + 1);
    }
  }
}

/**
 * The elements of one level. An element that never closes runs to the next tag for which `starts` holds
 * (or to the end, for which `wraps` holds: it holds all the rest).
 */
export function level(
  text: string,
  tokens: readonly Token[],
  range: { readonly from: number; readonly to: number; readonly first: number; readonly last: number },
  starts: (tag: Tag) => boolean,
  wraps: (tag: Tag) => boolean = () => false,
): Level {
  const elements: Element[] = [];
  let stray = false;
  let reclosed = false;
  let gapFrom = range.from;
  const gapTo = (at: number) => {
    if (!stray && !isBlankRange(text, gapFrom, at)) stray = true;
  };
  for (let k = range.first; k < range.last; k += 1) {
    const token = tokens[k];
    if (token === undefined) break;
    if (token.kind === "comment") {
      gapTo(token.at);
      gapFrom = token.end;
    } else if (token.kind === "void" && token.tag !== undefined) {
      gapTo(token.at);
      elements.push({ tag: token.tag, from: token.end, to: token.end, first: k + 1, last: k + 1, closed: true });
      gapFrom = token.end;
    } else if (token.kind === "open" && token.tag !== undefined) {
      gapTo(token.at);
      let closed = token.mate >= 0 && token.mate < range.last;
      let last = token.mate;
      if (closed) {
        const again = reclosing(text, tokens, last, range.last, token.tag.name);
        if (again !== last) reclosed = true;
        last = again;
      } else {
        closed = false;
        last = wraps(token.tag) ? range.last : nextStart(tokens, k + 1, range.last, starts);
      }
      const to = tokens[last]?.at ?? range.to;
      elements.push({ tag: token.tag, from: token.end, to: Math.min(to, range.to), first: k + 1, last, closed });
      gapFrom = closed ? (tokens[last]?.end ?? range.to) : Math.min(to, range.to);
      k = closed ? last : last - 1;
    }
  }
  gapTo(range.to);
  return { elements, stray, reclosed };
}

function nextStart(tokens: readonly Token[], from: number, to: number, starts: (tag: Tag) => boolean): number {
  for (let k = from; k < to; k += 1) {
    const token = tokens[k];
    if ((token?.kind === "open" || token?.kind === "void") && token.tag !== undefined && starts(token.tag)) return k;
  }
  return to;
}

/** `<x>a</x>b</x>`: when text and the same closing tag follow before anything opens, the last one is meant. */
function reclosing(text: string, tokens: readonly Token[], mate: number, to: number, name: string): number {
  let found = mate;
  for (let k = mate + 1; k < to; k += 1) {
    const token = tokens[k];
    if (token === undefined || token.kind === "open" || token.kind === "void") break;
    if (token.kind !== "close" || token.mate >= 0) break;
    if (token.tag?.name !== name) continue;
    if (!isBlankRange(text, tokens[found]?.end ?? token.at, token.at)) found = k;
  }
  return found;
}
