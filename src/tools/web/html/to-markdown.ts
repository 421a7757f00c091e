/**
 * Owns how elements become Markdown: blocks joined by empty lines, inline text with its blanks collapsed. Linear in the
 * page; what is nested deeper than any person writes becomes plain text. Asks `skip` about every element.
 */
import { parsedUrl } from "../../../contract/index.ts";
import { maxDepth } from "./bounded-depth.ts";
import { isBlock, isElement, isText, namesOf, type PageElement, type PageNode } from "./dom.ts";
import { tableText } from "./table-text.ts";

export interface MarkdownOptions {
  /** Address that relative links start from. */
  readonly base: string;
  /** False keeps the words of links only. */
  readonly links: boolean;
  skip(element: PageElement): boolean;
}

export function toMarkdown(roots: readonly PageElement[], options: MarkdownOptions): string {
  const writer = new MarkdownWriter(options);
  return roots
    .map((root) => writer.blocks(root, 0))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Longer link texts are passages with a link around them. */
const maxLinkText = 300;
/** Each level of a list or a quote makes every line below it longer. */
const maxNesting = 12;

export class MarkdownWriter {
  readonly #options: MarkdownOptions;
  readonly #blocky = new Map<PageElement, boolean>();
  #nesting = 0;

  constructor(options: MarkdownOptions) {
    this.#options = options;
  }

  /** The children of an element as blocks. */
  blocks(element: PageElement, depth: number): string {
    if (depth > maxDepth) return tidy(element.textContent ?? "");
    const parts: string[] = [];
    let run: string[] = [];
    const flush = (): void => {
      const text = paragraph(run.join(""));
      if (text !== "") parts.push(text);
      run = [];
    };
    for (let node: PageNode | null = element.firstChild; node !== null; node = node.nextSibling) {
      if (isText(node)) run.push(collapse(node.nodeValue ?? ""));
      else if (isElement(node) && !this.#options.skip(node)) {
        if (isBlock(node) || this.#holdsBlocks(node)) {
          flush();
          const text = this.#block(node, depth + 1);
          if (text !== "") parts.push(text);
        } else run.push(this.#inline(node, depth + 1));
      }
    }
    flush();
    return parts.join("\n\n");
  }

  /** All of an element in one run of text. */
  flat(element: PageElement, depth: number): string {
    return tidy(this.#run(element, depth)).replace(/\n+/g, " ");
  }

  skips(element: PageElement): boolean {
    return this.#options.skip(element);
  }

  #block(element: PageElement, depth: number): string {
    const { localName } = element;
    switch (localName) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
      case "h5":
      case "h6": {
        const text = this.flat(element, depth);
        return text === "" ? "" : `${"#".repeat(Number(localName[1]))} ${text}`;
      }
      case "pre":
        return fence(element, (inner) => this.#options.skip(inner));
      case "hr":
        return "---";
      case "ul":
      case "ol":
      case "menu":
      case "dir":
        return this.#list(element, depth);
      case "blockquote":
        return this.#quote(element, depth);
      case "table":
        return tableText(element, this, depth);
      case "dt":
      case "summary":
      case "legend": {
        const text = this.#holdsBlocks(element) ? this.blocks(element, depth) : this.flat(element, depth);
        return text === "" || text.includes("\n") || /^[#*[]/.test(text) ? text : `**${text}**`;
      }
      case "a":
        return this.#blockLink(element, depth);
      default:
        return this.blocks(element, depth);
    }
  }

  #list(element: PageElement, depth: number): string {
    const ordered = element.localName === "ol";
    const step = element.hasAttribute("reversed") ? -1 : 1;
    const started = Number.parseInt(element.getAttribute("start") ?? "", 10);
    let number = Number.isNaN(started) ? 1 : started;
    if (this.#nesting >= maxNesting) return this.blocks(element, depth);
    this.#nesting += 1;
    const items: string[] = [];
    for (let node: PageNode | null = element.firstChild; node !== null; node = node.nextSibling) {
      if (!isElement(node)) {
        const text = isText(node) ? tidy(node.nodeValue ?? "") : "";
        if (text !== "") items.push(text);
        continue;
      }
      if (this.#options.skip(node)) continue;
      // A list that stands between items belongs to the item above it.
      if (node.localName === "ul" || node.localName === "ol") {
        const nested = this.#list(node, depth + 1);
        if (nested !== "") items.push(nested.replace(/^(?=.)/gm, ordered ? "   " : "  "));
        continue;
      }
      const value = Number.parseInt(node.getAttribute("value") ?? "", 10);
      if (!Number.isNaN(value)) number = value;
      const marker = ordered ? `${number}. ` : "- ";
      const text = tight(this.blocks(node, depth + 1));
      if (text === "") continue;
      items.push(`${marker}${box(node)}${text.replace(/\n(?=[^\n])/g, `\n${" ".repeat(marker.length)}`)}`);
      number += step;
    }
    this.#nesting -= 1;
    return items.join("\n");
  }

  #quote(element: PageElement, depth: number): string {
    if (this.#nesting >= maxNesting) return this.blocks(element, depth);
    this.#nesting += 1;
    const text = this.blocks(element, depth);
    this.#nesting -= 1;
    return text.replace(/^/gm, "> ").replace(/^> $/gm, ">");
  }

  #blockLink(element: PageElement, depth: number): string {
    // Looked at first, because links may stand inside of links and each would write all of it once more.
    if (showsMoreThan(element, maxLinkText)) return this.blocks(element, depth);
    const text = this.flat(element, depth);
    const target = this.#target(element.getAttribute("href"));
    if (target === undefined || text.length > maxLinkText || /!?\[[^\]]*\]\(/.test(text)) return this.blocks(element, depth);
    return text === "" ? "" : `[${text.replace(/^#+ /, "")}](${target})`;
  }

  #run(element: PageElement, depth: number): string {
    if (depth > maxDepth) return ` ${collapse(element.textContent ?? "")} `;
    const parts: string[] = [];
    for (let node: PageNode | null = element.firstChild; node !== null; node = node.nextSibling) {
      if (isText(node)) parts.push(collapse(node.nodeValue ?? ""));
      else if (isElement(node) && !this.#options.skip(node)) {
        const text = this.#inline(node, depth + 1);
        parts.push(isBlock(node) ? ` ${text} ` : text);
      }
    }
    return parts.join("");
  }

  #inline(element: PageElement, depth: number): string {
    switch (element.localName) {
      case "br":
        return "\n";
      case "wbr":
      case "rp":
        return "";
      case "rt":
        return `(${this.#run(element, depth).trim()})`;
      case "img":
        return this.#image(element);
      case "picture":
        return this.#run(element, depth);
      case "a":
        return this.#link(element, depth);
      case "strong":
      case "b":
        return around(this.#run(element, depth), "**");
      case "em":
      case "i":
      case "cite":
      case "dfn":
        return around(this.#run(element, depth), "*");
      case "del":
      case "s":
      case "strike":
        return around(this.#run(element, depth), "~~");
      case "code":
      case "kbd":
      case "samp":
      case "tt":
        return inlineCode(element.textContent ?? "");
      case "math":
        return formula(element) ?? this.#run(element, depth);
      case "q":
        return `“${this.#run(element, depth).trim()}”`;
      case "hr":
        return " ";
      default:
        if (/\bkatex\b/.test(namesOf(element))) return formula(element) ?? this.#run(element, depth);
        return this.#run(element, depth);
    }
  }

  #link(element: PageElement, depth: number): string {
    const raw = this.#run(element, depth);
    const text = tidy(raw).replace(/\n+/g, " ");
    // The sign beside a heading by which one links to it.
    if (text === "" || /^[¶#§🔗]$/u.test(text)) return "";
    const target = this.#target(element.getAttribute("href"));
    if (target === undefined || text.length > maxLinkText || /(?<!!)\[[^\]]*\]\(/.test(text)) return raw;
    return `${/^\s/.test(raw) ? " " : ""}[${text}](${target})${/\s$/.test(raw) ? " " : ""}`;
  }

  #image(element: PageElement): string {
    const alt = collapse(element.getAttribute("alt") ?? "").trim();
    if (alt === "") return "";
    const source = element.getAttribute("src") ?? element.getAttribute("data-src");
    const target = source?.startsWith("data:") ? undefined : this.#target(source);
    return target === undefined ? alt : `![${alt.replace(/[[\]]/g, "")}](${target})`;
  }

  /** Absolute; `undefined` if links are not wanted or lead nowhere on the web. */
  #target(href: string | null | undefined): string | undefined {
    if (!this.#options.links || href === null || href === undefined || href.trim() === "") return undefined;
    const url = parsedUrl(href, this.#options.base);
    if (url === undefined || !/^(?:https?|mailto|tel|ftp):$/.test(url.protocol)) return undefined;
    return url.href.replace(/[()\s<>]/g, (character) => encodeURIComponent(character).replace("(", "%28").replace(")", "%29"));
  }

  #holdsBlocks(element: PageElement): boolean {
    const known = this.#blocky.get(element);
    if (known !== undefined) return known;
    const open: PageElement[] = [element];
    let found = false;
    while (open.length > 0 && !found) {
      const next = open.pop();
      for (let child = next?.firstElementChild ?? null; child !== null && !found; child = child.nextElementSibling) {
        found = isBlock(child) || (this.#blocky.get(child) ?? false);
        open.push(child);
      }
    }
    this.#blocky.set(element, found);
    return found;
  }
}

/** Whether the text in an element, with what is hidden, is longer; stops looking as soon as it is. */
function showsMoreThan(element: PageElement, most: number): boolean {
  let left = most;
  const open: PageNode[] = [element];
  for (let next = open.pop(); next !== undefined && left >= 0; next = open.pop()) {
    if (isText(next)) left -= (next.nodeValue ?? "").trim().length;
    for (let child = isElement(next) ? next.firstChild : null; child !== null; child = child.nextSibling) open.push(child);
  }
  return left < 0;
}

function collapse(text: string): string {
  return text.replace(/[\s\u00a0]+/g, " ");
}

/** Blanks around line breaks and at the edges go. */
function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
}

/** Text that would be read as a heading, a list or a quote at the start of a line is not one. */
function paragraph(run: string): string {
  return tidy(run).replace(/^(#{1,6}(?= )|>|[-+*](?= )|\d{1,9}[.)](?= ))/gm, (mark) =>
    /^\d/.test(mark) ? `${mark.slice(0, -1)}\\${mark.slice(-1)}` : `\\${mark}`,
  );
}

/** Lists of short items have no empty lines between an item and the list below it. */
function tight(text: string): string {
  return text.replace(/\n\n(?=[^\S\n]*(?:[-*]|\d+\.) )/g, "\n");
}

function around(text: string, mark: string): string {
  const inner = text.trim();
  if (inner === "" || inner.includes("\n") || inner.startsWith(mark)) return text;
  return `${/^\s/.test(text) ? " " : ""}${mark}${inner}${mark}${/\s$/.test(text) ? " " : ""}`;
}

function inlineCode(raw: string): string {
  const text = collapse(raw);
  if (text.trim() === "") return text;
  const longest = longestOf(text.matchAll(/`+/g));
  const ticks = "`".repeat(longest + 1);
  const pad = longest > 0 ? " " : "";
  return `${ticks}${pad}${text.trim()}${pad}${ticks}`;
}

function longestOf(runs: Iterable<RegExpExecArray>): number {
  let longest = 0;
  for (const run of runs) longest = Math.max(longest, run.at(-1)?.length ?? 0);
  return longest;
}

function formula(element: PageElement): string | undefined {
  const tex = element.querySelector("annotation")?.textContent?.trim() ?? element.getAttribute("alttext")?.trim();
  return tex === undefined || tex === "" ? undefined : `$${tex}$`;
}

function box(item: PageElement): string {
  const first = item.querySelector("input");
  if (first === null || first.getAttribute("type") !== "checkbox") return "";
  return first.hasAttribute("checked") ? "[x] " : "[ ] ";
}

const languageName = /(?:^|\s)(?:language|lang|highlight-source|highlight-text|brush:|prettyprint lang|sourceCode)[-: ]?([a-z0-9+#_.-]+)/i;

function fence(element: PageElement, skip: (inner: PageElement) => boolean): string {
  const text = codeText(element, skip).replace(/\r\n?/g, "\n").replace(/^\n/, "").trimEnd();
  if (text.trim() === "") return "";
  const longest = Math.max(2, longestOf(text.matchAll(/^[^\S\n]*(`{3,})/gm)));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${languageOf(element)}\n${text}\n${ticks}`;
}

function languageOf(element: PageElement): string {
  const inner = element.querySelector("code");
  const outer = [element.parentElement, element.parentElement?.parentElement];
  for (const place of [inner, element, ...outer]) {
    if (place === null || place === undefined) continue;
    const said = place.getAttribute("data-lang") ?? place.getAttribute("data-language") ?? place.getAttribute("lang-name");
    const named = said ?? languageName.exec(place.getAttribute("class") ?? "")?.[1];
    if (named !== undefined && named !== null && !/^(?:none|plain|text|plaintext)$/i.test(named)) return named.toLowerCase();
  }
  return "";
}

const lineNumbers = /\b(?:linenos?|line-?numbers?(?:-rows)?|lineno|gutter|rouge-gutter|blob-num|hljs-ln-numbers)\b/;

function codeText(element: PageElement, skip: (inner: PageElement) => boolean): string {
  const parts: string[] = [];
  for (let node: PageNode | null = element.firstChild; node !== null; node = node.nextSibling) {
    if (isText(node)) parts.push(node.nodeValue ?? "");
    else if (isElement(node)) {
      if (node.localName === "br") parts.push("\n");
      else if (node.localName !== "button" && !lineNumbers.test(namesOf(node)) && !skip(node)) {
        const inner = codeText(node, skip);
        const isLine = node.localName === "div" || node.localName === "tr" || node.localName === "li";
        parts.push(isLine && !inner.endsWith("\n") ? `${inner}\n` : inner);
      }
    }
  }
  return parts.join("");
}
