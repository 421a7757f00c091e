/** Pages as Markdown against parsing them, fetches against the bare client, and fuzzy updates of long artifacts. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHttp, createSlots, PageCache } from "../src/host/index.ts";
import { findPlace } from "../src/tools/artifact/find-place.ts";
import { parsePage } from "../src/tools/web/html/dom.ts";
import { pageText } from "../src/tools/web/html/page-text.ts";
import { question, record } from "./measure.ts";
import { smoke } from "./place.ts";

const section = (n: number): string =>
  `<section><h2 id="s${n}">Section ${n}</h2><p>Some words with <a href="/x/${n}">a link</a>, <b>bold</b> ones and <code>x_${n}</code>, as pages have them.</p>` +
  `<ul><li>one</li><li>two <em>items</em></li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>${n}</td></tr></table></section>`;
const sections = Array.from({ length: smoke ? 20 : 3_600 }, (_, n) => section(n)).join("");
const page = `<!doctype html><html><head><title>Long</title></head><body><nav><a href="/">Home</a></nav><main>${sections}</main></body></html>`;

question({
  name: "web: a page of 1 MB as Markdown over parsing it",
  limit: () => void parsePage(page),
  ours: () => void pageText(page, { url: "https://e.example/", mode: "main", links: true }),
  bound: 2,
  pairs: 7,
});

const server = createServer((_, response) => void response.writeHead(200, { "cache-control": "no-store" }).end("x".repeat(20_000)));
let origin = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const http = createHttp(
  {
    refuseAddresses: () => undefined,
    judgeRedirect: () => ({ verdict: "follow", reason: "" }),
    isLocal: () => true,
    holdsSecret: () => false,
  },
  { env: {}, userAgent: "bench", cache: new PageCache("/nonexistent", Date.now), slots: createSlots() },
);
const many = Array.from({ length: smoke ? 3 : 100 }, (_, n) => n);

question({
  name: "web: 100 fetches at once over the bare client",
  limit: async () => {
    await Promise.all(many.map(async (n) => (await request(`${origin}/${n}`, { reset: true })).body.arrayBuffer()));
  },
  ours: async () => {
    const { signal } = new AbortController();
    const ask = (n: number) => ({ url: `${origin}/${n}`, timeoutMs: 30_000, signal, maxBytes: () => 1 << 20, purpose: "page" as const });
    await Promise.all(many.map((n) => http.send(ask(n))));
  },
  bound: 1.3,
  pairs: 9,
});

it("artifacts: a fuzzy update of 1 MB with 1,000 characters takes 300 ms at most", () => {
  const line = (n: number): string => `Line ${n} of the report says ${(n * 7919) % 1013} and ${(n * 104_729) % 997}.\n`;
  const text = Array.from({ length: smoke ? 200 : 24_000 }, (_, n) => line(n)).join("");
  const wanted = text.slice(text.length / 2, text.length / 2 + 1000).replaceAll("report", "survey");
  const times: number[] = [];
  for (let round = 0; round < (smoke ? 1 : 7); round++) {
    const start = performance.now();
    expect(findPlace(text, wanted).kind).toBe("fuzzy");
    times.push(performance.now() - start);
  }
  const oursMs = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  record({ name: "artifacts: fuzzy update of 1 MB", limitMs: 300, oursMs, ratio: oursMs / 300, bound: 1 });
  if (!smoke) expect(oursMs).toBeLessThanOrEqual(300);
});
