/** Two Markdown texts as blocks that stand beside each other. Pure. */
import { diffArrays } from "diff";
import { Marked, type Token, type Tokens } from "marked";

export interface Block {
  readonly kind: "h1" | "h2" | "h3" | "p" | "li" | "pre";
  readonly mark: string;
  readonly text: string;
}

export interface Pair {
  readonly left: Block | undefined;
  readonly right: Block | undefined;
  readonly same: boolean;
}

const marked = new Marked({ gfm: true });

/** Blocks in the order of reading: a list is its items, formatting inside a line is left out. */
export function blocksOf(text: string): readonly Block[] {
  return marked.lexer(text).flatMap((token): readonly Block[] => {
    if (token.type === "space" || token.type === "hr" || token.type === "def") return [];
    if (token.type === "heading") {
      const depth = Math.min(3, (token as Tokens.Heading).depth) as 1 | 2 | 3;
      return [{ kind: `h${depth}`, mark: "", text: plain(token) }];
    }
    if (token.type === "list") {
      const { items, ordered, start } = token as Tokens.List;
      return items.map((item, index) => ({ kind: "li", mark: ordered ? `${Number(start || 1) + index}.` : "•", text: plain(item) }));
    }
    if (token.type === "code") return [{ kind: "pre", mark: "", text: (token as Tokens.Code).text }];
    return [{ kind: "p", mark: "", text: plain(token) }];
  });
}

function plain(token: Token): string {
  if ("tokens" in token && Array.isArray(token.tokens) && token.tokens.length > 0) return token.tokens.map(plain).join("");
  return "text" in token && typeof token.text === "string" ? token.text : token.raw;
}

export function pairsOf(left: readonly Block[], right: readonly Block[]): readonly Pair[] {
  const isSame = (a: Block, b: Block): boolean => a.kind === b.kind && a.text === b.text;
  const pairs: Pair[] = [];
  let removed: readonly Block[] = [];
  const close = (added: readonly Block[]): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      pairs.push({ left: removed[index], right: added[index], same: false });
    removed = [];
  };
  let at = 0;
  for (const part of diffArrays([...left], [...right], { comparator: isSame })) {
    if (part.removed) removed = part.value;
    else if (part.added) {
      close(part.value);
      at += part.value.length;
    } else {
      close([]);
      for (const block of part.value) {
        pairs.push({ left: block, right: right[at] ?? block, same: true });
        at += 1;
      }
    }
  }
  close([]);
  return pairs;
}
