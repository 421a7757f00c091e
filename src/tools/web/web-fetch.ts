/**
 * WebFetch (W1): pages of the public web as text. Every address stands in the plan, so the policy judges each and the
 * card shows each whole. What comes back is a stranger's word and stands between marks that a page cannot guess.
 */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  defineTool,
  type Http,
  type HttpAnswer,
  type JsonObject,
  markUntrusted,
  ToolFailure,
  type ToolOutput,
} from "../../contract/index.ts";
import { webFetchData } from "../data/other-data.ts";
import { type BodyText, bodyText, maxBytesOf } from "./body-text.ts";
import { withoutBlobPage } from "./github-raw.ts";

const mostCharacters = 1_048_576;
const shortBody = 600;
/** Converting comes after the transfer. */
const conversionMs = 60_000;

const input = z.object({
  url: z.string().min(1).optional(),
  url_list: z.array(z.string().min(1)).min(1).max(20).optional().describe("Instead of url"),
  timeout: z.number().positive().max(120).default(30).describe("Seconds"),
  max_content_length: z.int().min(1).max(mostCharacters).default(mostCharacters).describe("Characters of each page"),
  mode: z.enum(["main", "page"]).default("main").describe("Main content or all"),
  links: z.boolean().default(true).describe("With addresses"),
});

type Input = z.infer<typeof input>;

/** What a caller gives WebFetch. */
export type WebFetchGiven = z.input<typeof input>;

export const webFetch = defineTool<Input, "http", undefined>({
  name: "WebFetch",
  aliases: ["web_fetch"],
  description: "Fetches web pages and gives their text as Markdown; JSON, text and PDF too. Public addresses only.",
  input,
  dataSchema: webFetchData,
  synonyms: { urls: "url_list" },
  example: { url: "https://example.com/guide" },
  traits: { readOnly: true, concurrencySafe: true, searchHint: "fetch web page url download http website read article" },
  needs: ["http"],
  timeoutMs: ({ timeout }) => timeout * 1000 + conversionMs,
  plan: (asked) => {
    const urls = [...new Set(urlsOf(asked).map(withoutBlobPage))];
    return {
      summary: `Fetch ${urls.join(", ")}`,
      effects: urls.map((url) => ({ kind: "connect" as const, url, method: "GET" })),
      preview: { type: "text", text: urls.join("\n") },
    };
  },
  async run(asked, { http, signal }) {
    const nonce = randomBytes(8).toString("hex");
    const urls = urlsOf(asked);
    const once = new Map<string, Promise<Outcome>>();
    for (const url of urls) {
      const key = keyOf(url);
      if (!once.has(key)) once.set(key, fetchOne(url, asked, nonce, http, signal));
    }
    const outcomes = await Promise.all(urls.map(async (url) => ({ ...((await once.get(keyOf(url))) as Outcome), url })));
    signal.throwIfAborted();
    return answerOf(outcomes, nonce);
  },
});

interface Fetched {
  readonly kind: "page";
  readonly answer: HttpAnswer;
  readonly body: BodyText;
  readonly content: string;
  readonly length: number;
}

type Outcome = Fetched | { readonly kind: "failed"; readonly failure: ToolFailure };
type Named = Outcome & { readonly url: string };

function urlsOf({ url, url_list }: Input): readonly string[] {
  if ((url === undefined) === (url_list === undefined)) {
    throw new ToolFailure("invalid_tool_input", "Give either `url` or `url_list`.", { details: { reason: "bad_parameters" } });
  }
  return url_list ?? [url as string];
}

/** A fragment is for the browser: the page is the same. */
function keyOf(url: string): string {
  return withoutBlobPage(url).replace(/#.*$/, "");
}

async function fetchOne(url: string, asked: Input, nonce: string, http: Http, signal: AbortSignal): Promise<Outcome> {
  try {
    const answer = await http.send({
      url: withoutBlobPage(url),
      headers: {
        accept:
          "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.8, text/*;q=0.7, application/pdf;q=0.6, */*;q=0.3",
      },
      timeoutMs: asked.timeout * 1000,
      signal,
      maxBytes: maxBytesOf,
      purpose: "page",
    });
    const body = await bodyText(answer, { mode: asked.mode, links: asked.links, signal });
    if (answer.status < 200 || answer.status > 299) return { kind: "failed", failure: httpError(url, answer, body, nonce) };
    const { text, length } = cut(body.text, asked.max_content_length);
    return { kind: "page", answer, body, content: text, length };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolFailure) return { kind: "failed", failure: error };
    throw error;
  }
}

function httpError(url: string, { status, headers }: HttpAnswer, { text }: BodyText, nonce: string): ToolFailure {
  const retry = headers["retry-after"];
  const said = text.trim() === "" ? "" : `\n${markUntrusted(nonce, url, text.trim().slice(0, shortBody))}`;
  const after = retry === undefined ? "" : ` Retry-After: ${retry.slice(0, 100)}.`;
  return new ToolFailure("tool_error", `${url} answered HTTP ${status}.${after}${said}`, {
    details: { reason: "http_error", status, ...(retry === undefined ? {} : { retry_after: retry }) },
  });
}

/** In characters: an emoji is one, and none is cut in two. */
function cut(text: string, most: number): { readonly text: string; readonly length: number } {
  if (!/[\ud800-\udbff]/.test(text)) return { text: text.slice(0, most), length: text.length };
  let length = 0;
  let end = text.length;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1) {
    if (length === most) end = at;
    length += 1;
  }
  return { text: text.slice(0, end), length };
}

function answerOf(outcomes: readonly Named[], nonce: string): ToolOutput {
  const data = { results: outcomes.map(wire) };
  const failures = outcomes.flatMap((outcome) => (outcome.kind === "failed" ? [outcome.failure] : []));
  const [first] = failures;
  if (first !== undefined && failures.length === outcomes.length) throw allFailed(failures, data);
  return { output: outcomes.map((outcome) => shown(outcome, nonce)).join("\n\n"), data };
}

function allFailed(failures: readonly ToolFailure[], data: JsonObject): ToolFailure {
  const [first] = failures as [ToolFailure];
  const code = failures.every((failure) => failure.code === first.code) ? first.code : "tool_error";
  const message =
    failures.length === 1 ? first.message : `None of the pages could be fetched.\n${failures.map((failure) => failure.message).join("\n")}`;
  return new ToolFailure(code, message, {
    data,
    ...(first.hint === undefined ? {} : { hint: first.hint }),
    ...(first.details === undefined ? {} : { details: first.details }),
    cause: first,
  });
}

function wire(outcome: Named): JsonObject {
  const { url } = outcome;
  if (outcome.kind === "failed") {
    const { code, message, details } = outcome.failure.toError();
    return { url, error: { code, message, ...(details === undefined ? {} : { details }) } };
  }
  const { answer, body, content, length } = outcome;
  return {
    url,
    final_url: answer.url,
    redirects: [...answer.redirects],
    status: answer.status,
    content_type: body.mediaType,
    title: body.title,
    content,
    content_length: length,
    truncated: answer.truncated || isCut(outcome),
    ...(answer.cached ? { cached: true } : {}),
  };
}

function isCut({ content, body }: Fetched): boolean {
  return content.length < body.text.length;
}

function shown(outcome: Named, nonce: string): string {
  const { url } = outcome;
  if (outcome.kind === "failed") return `Error for ${url} (${outcome.failure.code}): ${outcome.failure.message}`;
  const { answer, content, length } = outcome;
  const notes = [
    content === "" ? "[The page is empty.]" : "",
    answer.truncated ? "[The page is longer than what is read of one; the rest was cut.]" : "",
    isCut(outcome) ? `[Cut: ${length.toLocaleString("en-US")} characters in all.]` : "",
    answer.url === keyOf(url) || answer.redirects.length === 0 ? "" : `[Redirected to ${answer.url}]`,
    answer.proxy === undefined ? "" : `[Through the proxy ${answer.proxy}, which chose the address; it could not be checked here.]`,
  ];
  return [markUntrusted(nonce, answer.url, content), ...notes.filter((note) => note !== "")].join("\n");
}
