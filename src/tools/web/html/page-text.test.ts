import { describe, expect, it, test } from "vitest";
import { maxDepth, withBoundedDepth } from "./bounded-depth.ts";
import { type PageElement, parsePage } from "./dom.ts";
import { labelledPages, wordsOf } from "./fixtures/labelled-pages.ts";
import { pageText } from "./page-text.ts";

function markdownOf(html: string, options: { mode?: "main" | "page"; links?: boolean } = {}): string {
  return pageText(html, { url: "https://e.example/dir/page", mode: options.mode ?? "main", links: options.links ?? true }).markdown;
}

interface Score {
  readonly recall: number;
  readonly boilerplate: number;
}

function scoreOf(html: string, wanted: readonly string[]): Score {
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  const shown = wordsOf(markdownOf(html, { links: false }));
  let found = 0;
  let foreign = 0;
  for (const word of shown) {
    const count = left.get(word) ?? 0;
    if (count > 0) {
      left.set(word, count - 1);
      found += 1;
    } else if (word.startsWith("furniture")) foreign += 1;
  }
  return { recall: found / wanted.length, boilerplate: shown.length === 0 ? 0 : foreign / shown.length };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe("the main content of labelled pages", () => {
  const scores = labelledPages.map((page) => ({ ...page, ...scoreOf(page.html, page.words) }));

  it("there are at least 80 pages, each with a reason", () => {
    expect(labelledPages.length).toBeGreaterThanOrEqual(80);
    expect(labelledPages.filter(({ reason }) => reason === "")).toEqual([]);
  });

  it("words are found: 99.5% at the median, 95% on every page", () => {
    expect(scores.filter(({ recall }) => recall < 0.95).map(({ name, recall }) => `${name} ${recall.toFixed(3)}`)).toEqual([]);
    expect(median(scores.map(({ recall }) => recall))).toBeGreaterThanOrEqual(0.995);
  });

  it("boilerplate is at most 3% at the median, and no page is buried in it", () => {
    expect(
      scores.filter(({ boilerplate }) => boilerplate > 0.1).map(({ name, boilerplate }) => `${name} ${boilerplate.toFixed(3)}`),
    ).toEqual([]);
    expect(median(scores.map(({ boilerplate }) => boilerplate))).toBeLessThanOrEqual(0.03);
  });
});

test.each([
  ["nested lists with a start", "<ol start=3><li>c<ul><li>x</li></ul></li><li>d</li></ol>", "3. c\n   - x\n4. d"],
  [
    "a table with a pipe",
    "<table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td>2</td></tr></table>",
    "| a | b\\|c |\n| --- | --- |\n| 1 | 2 |",
  ],
  ["a fence with its language", '<pre><code class="hljs language-py">x = 1\n</code></pre>', "```py\nx = 1\n```"],
  ["an absolute link", '<p><a href="../x?a=1&amp;b=2#c">go</a></p>', "[go](https://e.example/x?a=1&b=2#c)"],
  ["a link that leads nowhere on the web", '<p><a href="javascript:alert(1)">go</a></p>', "go"],
  ["entities", "<p>a &lt;b&gt; &amp; caf&eacute;&nbsp;&hellip;</p>", "a <b> & café …"],
  ["text that looks like a list", "<p>1. no list</p><p># no heading</p>", "1\\. no list\n\n\\# no heading"],
  ["comments", "<p>a<!-- secret -->b</p>", "ab"],
  ["a table of one column", "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>", "| a |\n| --- |\n| 1 |"],
  ["a numbered list that stands between items", "<ol><li>a</li><ol><li>b</li></ol></ol>", "1. a\n   1. b"],
  ["a page of one picture", '<a href="/x"><img src="i.png" alt="Pic"></a>', "[![Pic](https://e.example/dir/i.png)](https://e.example/x)"],
  ["a heading with a mark to link to it", '<h1>a <a href="#a">¶</a></h1><p>b</p>', "# a\n\nb"],
  ["ticked boxes", '<ul><li><input type=checkbox checked> done</li><li><input type="checkbox"> open</li></ul>', "- [x] done\n- [ ] open"],
])("%s", (_name, html, expected) => {
  expect(markdownOf(`<html><body>${html}</body></html>`, { mode: "page" })).toBe(expected);
});

test.each([
  "hidden",
  'style="display:none"',
  'style="visibility: hidden"',
  'style="opacity:0"',
  'style="opacity: 0.0 !important"',
  'style="font-size:0"',
  'style="font-size: 0px"',
  'style="position:absolute;left:-9999px"',
  'style="text-indent:-999em"',
  'style="clip:rect(0,0,0,0);position:absolute"',
  'style="clip-path: inset(100%)"',
  'style="height:0;overflow:hidden"',
  'style="transform: translateX(-10000px)"',
  'style="color:#fff;background:white"',
  'hidden="until-found"',
  'style="opacity:0e0"',
  'style="opacity:1%"',
  'style="filter: opacity(0%)"',
  'style="font-size:0.1px"',
  'style="font-size:calc(0px)"',
  'style="font:400 0px/1 serif"',
  'style="position:absolute;left:99999px"',
  'style="translate:-9999px"',
  'style="color:#0000"',
  'style="color:rgb(0 0 0 / 0)"',
  'style="d\\69splay:none"',
  'style="display:/**/none"',
  'style="position:fixed;top:-100vh"',
  'style="position:absolute;left:-9.9e3px"',
  'style="left:calc(-1 * 9999px);position:absolute"',
  'style="text-indent:100%;white-space:nowrap;overflow:hidden"',
  'style="font-size:min(0px, 1em)"',
  `style="color:rgba(0,${" ".repeat(400)}0,0,0)"`,
  `style="opacity:0.${"0".repeat(400)}1"`,
])("what %s hides is gone", (attributes) => {
  expect(
    markdownOf(`<p>seen</p><p ${attributes}>unseen</p><p style="opacity:0.8;font-size:0.9em;left:-3px">also</p>`, { mode: "page" }),
  ).toBe("seen\n\nalso");
});

test.each([
  'style="text-align:center"',
  'style="position:relative"',
  'style="margin-left:-1em;color:#333"',
  'style="font-size:.9em"',
  'style="font-size:0.5rem;opacity:.5"',
  'style="left:0;top:0;height:0"',
  'style="color:rgb(255, 0, 0);font:400 0.8em/1.2 serif"',
  'style="position:absolute;left:1200px"',
  'style="text-indent:100%"',
  `style="background:url(data:image/png;base64,${"A".repeat(2000)});color:#222"`,
  'style=""',
])("what %s only dresses is kept", (attributes) => {
  expect(markdownOf(`<p>seen</p><p ${attributes}>dressed</p>`, { mode: "page" })).toBe("seen\n\ndressed");
});

test("an empty page is said to be empty, one that only scripts fill to need JavaScript", () => {
  expect(markdownOf("<html><body></body></html>")).toBe("(This page is empty.)");
  const shell =
    '<html><body><noscript>You need to enable JavaScript.</noscript><div id="root"></div><script src="/a.js"></script></body></html>';
  expect(markdownOf(shell)).toContain("needs JavaScript");
  expect(markdownOf('<html><body><div class="spinner">Loading…</div><script src="/a.js"></script></body></html>')).toContain(
    "needs JavaScript",
  );
  expect(markdownOf("<html><body><p>Loading docks are closed.</p><script>count()</script></body></html>")).toBe(
    "Loading docks are closed.",
  );
});

test("a page that shows nothing beside its header and footer needs JavaScript if it has scripts", () => {
  const frame = '<header>My App</header><div id="content"></div><footer>© 2024 All rights of the company</footer>';
  expect(markdownOf(`<html><body>${frame}<script>start()</script></body></html>`)).toContain("needs JavaScript");
  expect(markdownOf(`<html><body>${frame}</body></html>`)).not.toContain("JavaScript");
  expect(markdownOf("<html><body><header>My App</header><p>Closed.</p><script>count()</script></body></html>")).not.toContain("JavaScript");
});

test("an empty page that sends a browser on says where to, and is not followed", () => {
  const page = (content: string) => `<html><head><meta http-equiv="Refresh" content="${content}"></head><body></body></html>`;
  expect(markdownOf(page("0; URL='/next?a=1'"))).toBe(
    "(This page is empty. It sends a browser on to https://e.example/next?a=1, which was not followed.)",
  );
  expect(markdownOf(page("0; url=javascript:x()"))).toBe("(This page is empty.)");
  expect(markdownOf(page("30"))).toBe("(This page is empty.)");
});

test("the title comes first and is not repeated by the heading below it", () => {
  expect(markdownOf("<title>Guide | Site</title><main><h1>Guide</h1><p>Some words of the guide, enough of them.</p></main>")).toBe(
    "# Guide | Site\n\nSome words of the guide, enough of them.",
  );
});

test("a page nested deeper than anybody writes is still read", () => {
  expect(markdownOf(`${"<div>".repeat(20_000)}deep${"</div>".repeat(20_000)}<p>after</p>`, { mode: "page" })).toBe("deep\n\nafter");
});

describe("depth is bounded before a page is parsed", () => {
  const depthOf = (element: PageElement): number => {
    let deepest = 0;
    for (let child = element.firstElementChild; child !== null; child = child.nextElementSibling)
      deepest = Math.max(deepest, depthOf(child));
    return deepest + 1;
  };

  it.each(["<div>", "<b>x", "<a href=x>", "<table><tr><td>", "<ul><li>x", "<form><p>hello", "<div/>", "<svg><g>"])(
    "%s without end",
    (tags) => {
      expect(depthOf(parsePage(tags.repeat(2_000)).body)).toBeLessThan(4 * maxDepth);
    },
  );

  it.each([
    ["paragraphs without ends", "<p>x".repeat(2_000)],
    ["shapes of a picture", `<svg>${"<path d='M0 0'/>".repeat(2_000)}</svg><b>x</b>`],
    ["tags in scripts", `<script>${'"<div>"+'.repeat(2_000)}""</script><b>x</b>`],
    ["tags in comments", `<!-- ${"<div>".repeat(2_000)} --><b>x</b>`],
    ["line breaks", `${"<br>".repeat(2_000)}<b>x</b>`],
    ["elements with ends", `<div>${"<i>x</i>".repeat(2_000)}</div><b>x</b>`],
  ])("%s are no depth", (_name, html) => {
    expect(withBoundedDepth(html)).toBe(html);
  });
});
