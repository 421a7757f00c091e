/**
 * Owns which part of a page is its content. Prefers what the page itself says (`main`, `article`), then where the prose is.
 * In doubt it takes more rather than less; `Furniture` says what is left out inside.
 */
import type { PageElement } from "./dom.ts";
import { Furniture, isNamedFurniture } from "./furniture.ts";
import type { Measures } from "./measure.ts";

export interface MainContent {
  readonly roots: readonly PageElement[];
  isFurniture(element: PageElement): boolean;
}

/** Less than this is a label, not the content of a page. */
const leastText = 25;

/** `undefined` if no part of the page stands out as its content. */
export function findMainContent(body: PageElement, measures: Measures): MainContent | undefined {
  const roots = declared(body, measures) ?? denser(body, measures);
  if (roots === undefined) return undefined;
  const text = sum(roots, (root) => measures.of(root).text);
  const whole = measures.of(body);
  if (text < leastText && text < whole.text / 10) return undefined;
  const furniture = new Furniture(roots, measures);
  return { roots, isFurniture: (element) => furniture.has(element) };
}

function sum(elements: readonly PageElement[], value: (element: PageElement) => number): number {
  return elements.reduce((total, element) => total + value(element), 0);
}

/** What the page names as its content, if that holds a fair part of the prose. */
function declared(body: PageElement, measures: Measures): readonly PageElement[] | undefined {
  const prose = measures.of(body).prose;
  const share = (elements: readonly PageElement[]): number =>
    prose === 0 ? 1 : sum(elements, (element) => measures.of(element).prose) / prose;
  const shown = (selector: string): PageElement[] =>
    outermost([...body.querySelectorAll(selector)].filter((element) => measures.of(element).text > 0));
  const bodies = shown('[itemprop="articleBody"]');
  const [body1] = bodies;
  if (bodies.length === 1 && body1 !== undefined && share(bodies) > 0.7) return withTitle(body1, body, measures);
  const mains = shown('main, [role="main"]');
  if (mains.length > 0 && share(mains) > 0.3) {
    const inner = mains.flatMap((main) => [...main.querySelectorAll("article")]).filter((element) => measures.of(element).text > 0);
    const [only] = inner;
    // One article that holds most of the prose of main leaves main's own furniture out.
    if (inner.length === 1 && only !== undefined && share([only]) > 0.6 * share(mains) && headingIn(only)) return [only];
    return mains;
  }
  const articles = shown('article, [role="article"]');
  if (articles.length === 0 || share(articles) < 0.4) return undefined;
  const largest = articles.reduce((best, element) => (measures.of(element).prose > measures.of(best).prose ? element : best));
  const all = sum(articles, (element) => measures.of(element).prose);
  return measures.of(largest).prose > 0.75 * all ? [largest] : articles;
}

/** The text of an article together with its title, which often stands outside of it. */
function withTitle(text: PageElement, body: PageElement, measures: Measures): readonly PageElement[] {
  if (text.querySelector("h1") !== null) return [text];
  const most = measures.of(text).text * 1.6 + 300;
  for (let above = text.parentElement; above !== null && above !== body; above = above.parentElement) {
    if (measures.of(above).text > most) break;
    if (above.querySelector("h1") !== null) return [above];
  }
  const title = body.querySelector("h1");
  return title === null ? [text] : [title, text];
}

function headingIn(element: PageElement): boolean {
  return element.querySelector("h1, h2") !== null;
}

function outermost(elements: readonly PageElement[]): PageElement[] {
  const all = new Set(elements);
  return elements.filter((element) => {
    for (let above = element.parentElement; above !== null; above = above.parentElement) if (all.has(above)) return false;
    return true;
  });
}

/** The smallest element that still holds nearly all of the prose. */
function denser(body: PageElement, measures: Measures): readonly PageElement[] | undefined {
  const total = proseOutsideFurniture(body, measures);
  if (total < leastText) return undefined;
  let root = body;
  for (;;) {
    let best: PageElement | undefined;
    for (let child = root.firstElementChild; child !== null; child = child.nextElementSibling) {
      if (isNamedFurniture(child, measures)) continue;
      if (best === undefined || proseOutsideFurniture(child, measures) > proseOutsideFurniture(best, measures)) best = child;
    }
    if (best === undefined || proseOutsideFurniture(best, measures) < 0.9 * total || !isContainer(best)) return [root];
    root = best;
  }
}

function isContainer({ localName }: PageElement): boolean {
  return /^(?:div|section|article|main|body|center|form|table|tbody|tr|td|span|font|dl|ul|ol|li|layer|[a-z]+-.*)$/.test(localName);
}

function proseOutsideFurniture(element: PageElement, measures: Measures): number {
  let { prose } = measures.of(element);
  for (let child = element.firstElementChild; child !== null; child = child.nextElementSibling)
    if (isNamedFurniture(child, measures)) prose -= measures.of(child).prose;
  return prose;
}
