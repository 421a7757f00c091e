import { describe, expect, it, test } from "vitest";
import { bodyText } from "./body-text.ts";
import { formatJson } from "./format-json.ts";
import { pageText } from "./html/page-text.ts";

const size = 100_000;
const filled = (text: string): string => text.repeat(Math.ceil(size / text.length));
const markdownOf = (html: string): string => pageText(html, { url: "https://site.example/", mode: "main", links: true }).markdown;

/** Of this process alone, so that a busy machine changes nothing. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage().user;
  work();
  return process.cpuUsage().user - before;
}

const read = async (body: string, type: string): Promise<string> => {
  const answer = { url: "https://site.example/", status: 200, headers: { "content-type": type }, redirects: [] };
  const options = { mode: "main" as const, links: true, signal: new AbortController().signal };
  return (await bodyText({ ...answer, body: Buffer.from(body, "latin1"), truncated: false, cached: false }, options)).text;
};

describe("a page made to be slow costs no more than a few times an ordinary one of its length", () => {
  const ordinary = `<main>${filled("<p>Some words of <b>a paragraph</b> with <a href='/x'>a link</a> in it.</p>")}</main>`;

  it.each([
    ["a title of brackets", `<title>${filled("[")}</title><h1>a</h1><p>x</p>`],
    ["a heading of brackets", `<title>t</title><h1>${filled("[")}</h1><p>x</p>`],
    ["a heading of marks", `<h1>${filled("#")}x</h1><p>x</p>`],
    ["blanks in code", `<main><pre>${filled(" ")}x</pre></main>`],
    ["empty lines in code", `<main><pre>${filled(" \n")}x</pre></main>`],
    ["empty lines in code of a list", `<main><ul><li>a<pre>x${filled("\n")}x</pre></ul></main>`],
    ["open comments in a style", `<p style="${filled("/* ")}">x</p>`],
    ["zeros in a colour", `<p style="color:rgba(,${filled("0")}">x</p>`],
    ["functions in a style", `<p style="transform:${filled("translate(")};filter:${filled("opacity(")}">x</p>`],
    ["links in links", `<main>${"<a href=x><div>".repeat(290)}${filled("word ")}</main>`],
    ["ticks in code", `<main><code>${filled("`a")}</code></main>`],
    ["quotes in quotes", `<main>${"<blockquote>".repeat(590)}${filled("x<br>")}</main>`],
    ["a row far wider than the others", `<table><tr>${filled("<td>a").slice(0, 30_000)}</tr>${filled("<tr><td>b")}</table>`],
  ])("%s", (_name, html) => {
    markdownOf(ordinary);
    const limit = 15 * costOf(() => markdownOf(ordinary));
    let text = "";
    expect(costOf(() => (text = markdownOf(html)))).toBeLessThan(limit);
    expect(text.length).toBeLessThan(20 * html.length);
  });
});

test("a table of more rows than a call takes arguments is written whole", () => {
  expect(markdownOf(`<table><tr><th>a${"<tr><td>b".repeat(130_000)}</table>`).split("\n")).toHaveLength(130_002);
});

test("a body without a type is told apart whatever comments it begins with", async () => {
  expect(await read(`${"<!---->".repeat(70)}words`, "")).toBe(`${"<!---->".repeat(70)}words`);
  expect(await read(`${"<!-- a -->\n".repeat(5)}<!doctype html><title>t</title><p>words</p>`, "")).toBe("# t\n\nwords");
});

test("what a server calls text and is none is named in a line", async () => {
  expect(await read("\x7fELF\0\0\0\x01", "text/plain")).toBe("Binary content (text/plain), 8 bytes; not shown.");
  expect(await read("a\0b\0", "text/plain; charset=utf-16le")).toBe("ab");
});

test("JSON that would be little but indents has none, and still a line for each value", () => {
  const deep = `${"[".repeat(100)}${"1,".repeat(60_000)}1${"]".repeat(100)}`;
  expect(formatJson(deep)).toBe(`${"[\n".repeat(100)}${"1,\n".repeat(60_000)}1${"\n]".repeat(100)}`);
});
