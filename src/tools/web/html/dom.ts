/** The little of the DOM that reading a page needs, and the page itself, parsed without running or loading anything. */
import { parseHTML } from "linkedom";
import { withBoundedDepth } from "./bounded-depth.ts";

export interface PageNode {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
}

export interface PageElement extends PageNode {
  readonly localName: string;
  readonly parentElement: PageElement | null;
  readonly firstElementChild: PageElement | null;
  readonly nextElementSibling: PageElement | null;
  readonly previousElementSibling: PageElement | null;
  readonly textContent: string | null;
  readonly attributes: { readonly length: number };
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement> & Iterable<PageElement>;
}

export interface Page {
  readonly document: PageElement;
  readonly body: PageElement;
}

export function parsePage(html: string): Page {
  // The parser adds no elements of its own: without a root there would be no document.
  const bounded = withBoundedDepth(html);
  const whole = /<html[\s>]/i.test(bounded) ? bounded : `<!doctype html><html><body>${bounded}</body></html>`;
  const { document } = parseHTML(whole) as unknown as { document: PageElement & { documentElement: PageElement } };
  return { document, body: document.querySelector("body") ?? document.documentElement };
}

export function isElement(node: PageNode): node is PageElement {
  return node.nodeType === 1;
}

export function isText(node: PageNode): boolean {
  return node.nodeType === 3 || node.nodeType === 4;
}

/** Names in `class` and `id`, in lower case, with `sideNav` as `side-nav`. Empty if there are none. */
export function namesOf(element: PageElement): string {
  if (element.attributes.length === 0) return "";
  const names = element.getAttribute("class") ?? "";
  const id = element.getAttribute("id");
  const all = id === null ? names : `${names} ${id}`;
  return all.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}

const blockTags = new Set(
  (
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hgroup hr html legend li main menu nav ol optgroup p pre search section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

export function isBlock(element: PageElement): boolean {
  return blockTags.has(element.localName);
}
