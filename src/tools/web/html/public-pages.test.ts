/**
 * Pages in the structure of well-known public sites, with their content labelled in comments: `main` must be found, `either`
 * may be shown (bylines, dates, votes), all else is furniture. The comments are taken out before a page is read.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isElement, isText, type PageElement, type PageNode, parsePage } from "./dom.ts";
import { wordsOf } from "./fixtures/labelled-pages.ts";
import { pageText } from "./page-text.ts";

const folder = new URL("./fixtures/pages/", import.meta.url);
const sources = readdirSync(folder)
  .filter((name) => name.endsWith(".html"))
  .map((name) => ({ name, source: readFileSync(new URL(name, folder), "utf8") }));

type Label = "main" | "either" | "furniture";
const marks: Readonly<Record<string, Label>> = { main: "main", either: "either", not: "furniture" };
const wordless = new Set(["script", "style", "template", "noscript", "svg", "head", "textarea", "option"]);
const withinWords = /^(?:span|a|b|i|em|strong|code|wbr|sub|sup|bdi|font|u|small)$/;

function labelsOf(source: string): Readonly<Record<Label, readonly string[]>> {
  const texts: Record<Label, string> = { main: "", either: "", furniture: "" };
  const open: Label[] = [];
  const add = (text: string): void => {
    texts[open.at(-1) ?? "furniture"] += text;
  };
  const space = (element: PageElement): void => {
    if (!withinWords.test(element.localName)) for (const label of ["main", "either", "furniture"] as const) texts[label] += " ";
  };
  const walk = (within: PageElement): void => {
    for (let node: PageNode | null = within.firstChild; node !== null; node = node.nextSibling) {
      if (isText(node)) add(node.nodeValue ?? "");
      else if (isElement(node)) {
        if (wordless.has(node.localName)) continue;
        space(node);
        walk(node);
        space(node);
      } else {
        const mark = node.nodeValue ?? "";
        const label = marks[mark];
        if (label !== undefined) open.push(label);
        else if (mark === "end") open.pop();
      }
    }
  };
  walk(parsePage(source).body);
  expect(open).toEqual([]);
  return { main: wordsOf(texts.main), either: wordsOf(texts.either), furniture: wordsOf(texts.furniture) };
}

interface Score {
  readonly name: string;
  readonly recall: number;
  readonly boilerplate: number;
}

function scoreOf(name: string, source: string): Score {
  const labels = labelsOf(source);
  const html = source.replace(/<!--(?:main|either|not|end)-->/g, "").replace(/<!-- reason:.*?-->\n?/s, "");
  const { title, markdown } = pageText(html, { url: "https://site.example/dir/page", mode: "main", links: false });
  // The numbers of lists and the names of languages at fences stand for markup, not for words.
  const shown = wordsOf(markdown.replace(/^\s*(?:[-*>] )*\d+\. /gm, "").replace(/^\s*`{3,}\S*$/gm, ""));
  const needed = new Map<string, number>();
  const allowed = new Map<string, number>();
  for (const word of labels.main) needed.set(word, (needed.get(word) ?? 0) + 1);
  for (const word of [...labels.either, ...wordsOf(title)]) allowed.set(word, (allowed.get(word) ?? 0) + 1);
  const takeFrom = (counts: Map<string, number>, word: string): boolean => {
    const count = counts.get(word) ?? 0;
    if (count > 0) counts.set(word, count - 1);
    return count > 0;
  };
  let found = 0;
  let foreign = 0;
  for (const word of shown) {
    if (takeFrom(needed, word)) found += 1;
    else if (!takeFrom(allowed, word)) foreign += 1;
  }
  return { name, recall: found / labels.main.length, boilerplate: foreign / shown.length };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const inPercent = (value: number): string => `${(value * 100).toFixed(1)} %`;

describe("pages in the structure of public sites", () => {
  const scores = sources.map(({ name, source }) => scoreOf(name, source));

  it("there are at least 35, each with a reason", () => {
    expect(sources.length).toBeGreaterThanOrEqual(35);
    expect(sources.filter(({ source }) => !/^<!-- reason: \S.{20,} -->\n/.test(source)).map(({ name }) => name)).toEqual([]);
  });

  it("words are found: 99.5% at the median, 95% on every page", () => {
    expect(scores.filter(({ recall }) => recall < 0.95).map(({ name, recall }) => `${name} ${inPercent(recall)}`)).toEqual([]);
    expect(median(scores.map(({ recall }) => recall))).toBeGreaterThanOrEqual(0.995);
  });

  it("boilerplate is at most 3% at the median, and at most a third of any page", () => {
    expect(
      scores.filter(({ boilerplate }) => boilerplate > 1 / 3).map(({ name, boilerplate }) => `${name} ${inPercent(boilerplate)}`),
    ).toEqual([]);
    expect(median(scores.map(({ boilerplate }) => boilerplate))).toBeLessThanOrEqual(0.03);
  });
});
