/** A page as Markdown: its title first, its main content or all of it, and a plain word where there is nothing to read. */
import { parsedUrl } from "../../../contract/index.ts";
import { type PageElement, parsePage } from "./dom.ts";
import { isNamedFurniture } from "./furniture.ts";
import { isHidden, isMachinery } from "./hidden.ts";
import { findMainContent } from "./main-content.ts";
import { Measures } from "./measure.ts";
import { toMarkdown } from "./to-markdown.ts";

export interface PageText {
  readonly title: string;
  readonly markdown: string;
}

export interface PageTextOptions {
  readonly url: string;
  readonly mode: "main" | "page";
  readonly links: boolean;
}

/** A shell that scripts fill shows a line or two at most. */
const shellText = 200;
/** A title is not compared beyond this; a page may have megabytes of one. */
const longestTitle = 1000;

export function pageText(html: string, options: PageTextOptions): PageText {
  const { document, body } = parsePage(html);
  const measures = new Measures(body);
  const title = titleOf(document, body);
  const base = baseOf(document, options.url);
  const skipHidden = (element: PageElement): boolean => isMachinery(element) || isHidden(element);
  const whole = (): string => toMarkdown([body], { base, links: options.links, skip: skipHidden });
  const main = options.mode === "main" ? findMainContent(body, measures) : undefined;
  let text = "";
  if (main !== undefined) {
    const skip = (element: PageElement): boolean => skipHidden(element) || main.isFurniture(element);
    text = toMarkdown(main.roots, { base, links: options.links, skip });
  }
  if (text === "") text = whole();
  return {
    title,
    markdown: [titled(title, text), note(document, body, text, { measures, base })].filter((part) => part !== "").join("\n\n"),
  };
}

interface Seen {
  readonly measures: Measures;
  readonly base: string;
}

/** What to say of a page that shows nothing, or next to nothing. */
function note(document: PageElement, body: PageElement, text: string, { measures, base }: Seen): string {
  const hasScripts =
    document.querySelector("script[src], script:not([type]), script[type='module'], script[type='text/javascript']") !== null;
  const empty = text === "";
  if (empty) {
    const next = forwardsTo(document, base);
    if (next !== undefined) return `(This page is empty. It sends a browser on to ${next}, which was not followed.)`;
    if (!hasScripts) return "(This page is empty.)";
  }
  const noscript = [...body.querySelectorAll("noscript")].map((element) => (element.textContent ?? "").replace(/<[^<>]*>/g, " ")).join(" ");
  const waits =
    text.length < shellText &&
    hasScripts &&
    (isShell(body) || isOnlyFrame(body, measures) || saysToWait.test(text) || /javascript/i.test(noscript));
  return empty || waits ? "(This page needs JavaScript: scripts fill it in a browser, and none are run here.)" : "";
}

/** All that a page says until its scripts have run. */
const saysToWait = /^(?:loading|please wait|initiali[sz]ing|正在加载|加载中|请稍候|読み込み中)[\s.…。]*$/i;

/** An empty element by which frameworks find their place. */
function isShell(body: PageElement): boolean {
  const place = body.querySelector(
    "#root, #app, #__next, #__nuxt, #svelte, #___gatsby, #main-app, app-root, [data-reactroot], [ng-app], [id$='-root']",
  );
  return place !== null && (place.textContent ?? "").trim().length < 80;
}

/** Nothing is shown beside the header, the footer and the ways around the site. */
function isOnlyFrame(body: PageElement, measures: Measures): boolean {
  let framed = 0;
  const walk = (element: PageElement): void => {
    for (let child = element.firstElementChild; child !== null; child = child.nextElementSibling) {
      const { text } = measures.of(child);
      if (text === 0) continue;
      if (child.localName === "header" || isNamedFurniture(child, measures)) framed += text;
      else walk(child);
    }
  };
  walk(body);
  return framed === measures.of(body).text;
}

/** Where a page that only forwards leads (`<meta http-equiv="refresh" content="0; url=/next">`). */
function forwardsTo(document: PageElement, base: string): string | undefined {
  for (const meta of document.querySelectorAll("meta[http-equiv]")) {
    if (meta.getAttribute("http-equiv")?.trim().toLowerCase() !== "refresh") continue;
    const target = /^[\s\d.]{0,20}[;,]\s*(?:url\s*=\s*)?["']?([^"'\s]+)/i.exec((meta.getAttribute("content") ?? "").slice(0, 2000))?.[1];
    const url = target === undefined ? undefined : parsedUrl(target, base);
    if (url !== undefined && /^https?:$/.test(url.protocol)) return url.href;
  }
  return undefined;
}

function titled(title: string, text: string): string {
  if (title === "") return text;
  const [first = "", ...rest] = text.split("\n");
  const heading = first.startsWith("# ") && first.length <= longestTitle ? plain(first.slice(2)) : "";
  const repeats = heading !== "" && plain(title.slice(0, longestTitle)).startsWith(heading);
  const below = repeats ? rest.join("\n").trimStart() : text;
  return below === "" ? `# ${title}` : `# ${title}\n\n${below}`;
}

function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`\\]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function titleOf(document: PageElement, body: PageElement): string {
  const said = document.querySelector("head > title") ?? document.querySelector("title:not(svg title)");
  const meta = document.querySelector('meta[property="og:title"]')?.getAttribute("content");
  const candidates = [said?.textContent, meta, withoutMarks(body.querySelector("h1")?.textContent ?? "")];
  return candidates.map((text) => (text ?? "").replace(/\s+/g, " ").trim()).find((text) => text !== "") ?? "";
}

/** Without the signs at its end by which one links to a heading. */
function withoutMarks(heading: string): string {
  let text = heading.trimEnd();
  for (let mark = /(?:[¶#§]|🔗)$/u.exec(text.slice(-2)); mark !== null; mark = /(?:[¶#§]|🔗)$/u.exec(text.slice(-2)))
    text = text.slice(0, -mark[0].length).trimEnd();
  return text;
}

function baseOf(document: PageElement, url: string): string {
  const href = document.querySelector("base[href]")?.getAttribute("href");
  return parsedUrl(href ?? "", url)?.href ?? url;
}
