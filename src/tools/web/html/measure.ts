/** How much text every element of a page shows, and how much of that are links: counted once, bottom-up. */
import { maxDepth } from "./bounded-depth.ts";
import { isElement, isText, type PageElement, type PageNode } from "./dom.ts";
import { isHidden, isMachinery } from "./hidden.ts";

export interface Measure {
  /** Characters without blanks at the edges of lines. */
  readonly text: number;
  readonly linked: number;
  /** Characters in paragraphs, code, table cells and items that are more than a label. */
  readonly prose: number;
}

const nothing: Measure = { text: 0, linked: 0, prose: 0 };

export class Measures {
  readonly #known = new Map<PageElement, Measure>();

  constructor(body: PageElement) {
    this.#count(body, false, 0);
  }

  of(element: PageElement): Measure {
    return this.#known.get(element) ?? nothing;
  }

  /** Part of the text that is links, from 0 to 1. */
  linkDensity(element: PageElement): number {
    const { text, linked } = this.of(element);
    return text === 0 ? 0 : linked / text;
  }

  #count(element: PageElement, inLink: boolean, depth: number): Measure {
    if (isMachinery(element) || isHidden(element)) return nothing;
    const linking = inLink || element.localName === "a";
    let text = 0;
    let linked = 0;
    let prose = 0;
    if (depth > maxDepth) text = (element.textContent ?? "").length;
    else
      for (let node: PageNode | null = element.firstChild; node !== null; node = node.nextSibling) {
        if (isText(node)) {
          const length = (node.nodeValue ?? "").trim().length;
          text += length;
          if (linking) linked += length;
        } else if (isElement(node)) {
          const inner = this.#count(node, linking, depth + 1);
          text += inner.text;
          linked += inner.linked;
          prose += inner.prose;
        }
      }
    if (prose === 0 && isProse(element, text, linked)) prose = text - linked;
    const measure = { text, linked, prose };
    this.#known.set(element, measure);
    return measure;
  }
}

function isProse({ localName }: PageElement, text: number, linked: number): boolean {
  if (localName === "pre") return text > 0;
  const written = text - linked;
  if (localName === "p" || localName === "blockquote" || localName === "dd") return written >= 25;
  return (localName === "li" || localName === "td" || localName === "div" || localName === "section") && written >= 80 && linked * 2 < text;
}
