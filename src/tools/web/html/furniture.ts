/**
 * Owns which elements inside the content of a page are furniture: by what they are, what they are called, how they begin and
 * where they stand. Nothing that makes up the page is furniture, whatever it is called; in doubt an element is kept.
 */
import { isElement, isText, namesOf, type PageElement, type PageNode } from "./dom.ts";
import {
  aftermath,
  contentAside,
  discussion,
  headsFurniture,
  isFurnitureAlone,
  pageEnd,
  perhaps,
  surely,
  unseen,
} from "./furniture-names.ts";
import type { Measures } from "./measure.ts";

const furnitureTags = new Set(["nav", "footer", "aside", "menu", "button", "search"]);
const furnitureRoles = /^(?:navigation|banner|contentinfo|search|complementary|dialog|alertdialog|menu|menubar|toolbar|tooltip|directory)$/;
const heading = /^h[1-6]$/;

/** Furniture wherever it stands; used while the content is still being looked for. */
export function isNamedFurniture(element: PageElement, measures: Measures): boolean {
  if (furnitureTags.has(element.localName) || furnitureRoles.test(element.getAttribute("role") ?? "")) return true;
  const names = namesOf(element);
  if (names === "") return false;
  return surely.test(names) || (perhaps.test(names) && measures.linkDensity(element) > 0.4);
}

/** Longer beginnings are sentences, not labels. */
const longestHead = 60;

export class Furniture {
  readonly #measures: Measures;
  readonly #total: number;
  readonly #before = new Set<PageElement>();
  readonly #after = new Set<PageElement>();
  /** A page of comments is about its comments: then they are no furniture. */
  readonly #discusses: boolean;

  constructor(roots: readonly PageElement[], measures: Measures) {
    this.#measures = measures;
    this.#total = roots.reduce((total, root) => total + measures.of(root).text, 0);
    this.#discusses = discusses(roots, measures);
    for (const root of roots) {
      const title = root.querySelector("h1");
      if (title !== null) collect(title, root, "previousElementSibling", this.#before);
      const last = this.#lastProse(root);
      if (last !== undefined) collect(last, root, "nextElementSibling", this.#after);
    }
  }

  has(element: PageElement): boolean {
    const { localName } = element;
    if (localName === "button" || localName === "nav" || localName === "search") return true;
    if (localName === "a") return this.#isHeadingMark(element);
    const { text } = this.#measures.of(element);
    const share = this.#total === 0 ? 0 : text / this.#total;
    if (share > 0.5) return false;
    return this.#isNamed(element, share) || this.#isPlaced(element, text, share) || this.#isHeaded(element, text, share);
  }

  #isNamed(element: PageElement, share: number): boolean {
    const { localName } = element;
    if (element.attributes.length === 0 && !furnitureTags.has(localName) && localName !== "header" && localName !== "form") return false;
    const { prose } = this.#measures.of(element);
    const density = this.#measures.linkDensity(element);
    const names = namesOf(element);
    const role = element.getAttribute("role") ?? "";
    if (furnitureRoles.test(role) && role !== "complementary") return true;
    if (element.getAttribute("aria-modal") === "true") return true;
    if (localName === "aside" || role === "complementary") return !(contentAside.test(names) || role === "note") || density > 0.6;
    if (localName === "footer") return !(contentAside.test(names) || (prose > 300 && density < 0.2));
    if (localName === "header") return density > 0.5 && element.querySelector("h1, h2") === null;
    if (localName === "form") return share < 0.3 && prose < 300;
    if (names === "") return false;
    if (heading.test(localName)) return unseen.test(names);
    if (/^(?:p|pre|table|blockquote|code)$/.test(localName)) return surely.test(names) && share < 0.05 && localName !== "pre";
    if (surely.test(names)) return share < 0.25;
    if (!this.#discusses && discussion.test(names) && share < 0.3 && (prose > 0 || density > 0.2)) return true;
    if (!perhaps.test(names)) return false;
    if (this.#after.has(element) && pageEnd.test(names) && share < 0.25) return true;
    if (density > 0.5 && share < 0.4) return true;
    return aftermath.test(names) && share < 0.3;
  }

  /** Links before the title and behind the last prose lead elsewhere. */
  #isPlaced(element: PageElement, text: number, share: number): boolean {
    if (heading.test(element.localName)) return false;
    if (this.#before.has(element)) return this.#measures.of(element).prose < 80 && this.#measures.linkDensity(element) > 0.3;
    if (!this.#after.has(element) || share > 0.1 || text === 0) return false;
    if (this.#measures.linkDensity(element) < 0.4 || element.querySelector("h1, h2, h3, h4, h5, h6") !== null) return false;
    const above = element.previousElementSibling;
    return above === null || !heading.test(above.localName);
  }

  /** Blocks that begin with words such as "Related articles", and the list below such a heading. */
  #isHeaded(element: PageElement, text: number, share: number): boolean {
    if (text === 0 || share > 0.35 || element.localName === "code" || element.localName === "pre") return false;
    if (text <= longestHead && isFurnitureAlone((element.textContent ?? "").trim())) return true;
    const head = headOf(element);
    if (head !== "" && headsFurniture(head)) return true;
    const above = element.previousElementSibling;
    return above !== null && heading.test(above.localName) && headsFurniture(headOf(above)) && this.#measures.linkDensity(element) > 0.5;
  }

  /** A link inside a heading that leads to another place of the page, beside the words of the heading. */
  #isHeadingMark(element: PageElement): boolean {
    const above = element.parentElement;
    if (above === null || !heading.test(above.localName) || !(element.getAttribute("href") ?? "").startsWith("#")) return false;
    return this.#measures.of(element).text * 2 < this.#measures.of(above).text;
  }

  #lastProse(root: PageElement): PageElement | undefined {
    let last: PageElement | undefined;
    let within: PageElement | null = root;
    while (within !== null) {
      let next: PageElement | null = null;
      for (let child: PageElement | null = within.firstElementChild; child !== null; child = child.nextElementSibling)
        if (this.#measures.of(child).prose > 0 && !isNamedFurniture(child, this.#measures) && !pageEnd.test(namesOf(child))) next = child;
      if (next !== null) last = next;
      within = next;
    }
    return last;
  }
}

function discusses(roots: readonly PageElement[], measures: Measures): boolean {
  let all = 0;
  let said = 0;
  const walk = (element: PageElement, depth: number): void => {
    for (let child = element.firstElementChild; child !== null; child = child.nextElementSibling) {
      const { prose } = measures.of(child);
      if (prose === 0) continue;
      if (discussion.test(namesOf(child))) said += prose;
      else if (depth < 40) walk(child, depth + 1);
    }
  };
  for (const root of roots) {
    all += measures.of(root).prose;
    walk(root, 0);
  }
  return said > 0.5 * all;
}

function collect(
  from: PageElement,
  root: PageElement,
  side: "previousElementSibling" | "nextElementSibling",
  into: Set<PageElement>,
): void {
  for (let place: PageElement | null = from; place !== null && place !== root; place = place.parentElement)
    for (let beside = place[side]; beside !== null; beside = beside[side]) into.add(beside);
}

/** The first words that an element shows; all of them if they stand in a heading. Empty if they are longer than a label. */
function headOf(element: PageElement): string {
  let node: PageNode | null = element;
  while (node !== null && !isText(node)) {
    if (isElement(node) && heading.test(node.localName)) return label(node.textContent ?? "");
    let child: PageNode | null = node.firstChild;
    while (child !== null && !(isText(child) ? (child.nodeValue ?? "").trim() !== "" : isElement(child) && child.firstChild !== null))
      child = child.nextSibling;
    node = child;
  }
  return label(node?.nodeValue ?? "");
}

function label(text: string): string {
  const words = text.trim();
  return words.length > longestHead ? "" : words.replace(/\s+/g, " ");
}
