/** A page as Markdown: its title first, its main content or all of it, and a plain word where there is nothing to read. */
import { type PageElement, parsePage } from "./dom.ts";
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
  return { title, markdown: [titled(title, text), note(document, body, text)].filter((part) => part !== "").join("\n\n") };
}

/** What to say of a page that shows nothing, or next to nothing. */
function note(document: PageElement, body: PageElement, text: string): string {
  const hasScripts =
    document.querySelector("script[src], script:not([type]), script[type='module'], script[type='text/javascript']") !== null;
  const empty = text === "";
  if (empty && !hasScripts) return "(This page is empty.)";
  const noscript = [...body.querySelectorAll("noscript")].map((element) => (element.textContent ?? "").replace(/<[^>]*>/g, " ")).join(" ");
  const waits = text.length < shellText && hasScripts && (isShell(body) || saysToWait.test(text) || /javascript/i.test(noscript));
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

function titled(title: string, text: string): string {
  if (title === "") return text;
  const [first = "", ...rest] = text.split("\n");
  const heading = /^# (.*)$/.exec(first)?.[1];
  const repeats = heading !== undefined && plain(heading) !== "" && plain(title).startsWith(plain(heading));
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
  const candidates = [said?.textContent, meta, body.querySelector("h1")?.textContent?.replace(/[¶#§🔗\s]+$/u, "")];
  return candidates.map((text) => (text ?? "").replace(/\s+/g, " ").trim()).find((text) => text !== "") ?? "";
}

function baseOf(document: PageElement, url: string): string {
  const href = document.querySelector("base[href]")?.getAttribute("href");
  return href !== null && href !== undefined && URL.canParse(href, url) ? new URL(href, url).href : url;
}
