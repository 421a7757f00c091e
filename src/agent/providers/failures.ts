/** Tells failures of providers apart: those that pass, those that a shorter request mends, and the rest. */
import { APICallError } from "@ai-sdk/provider";
import { ProviderFailure } from "./model.ts";

const overflowWords = new RegExp(
  [
    "prompt is too long|input is too long|too many (?:input )?tokens|token limit|reduce the length",
    "context[ _-]?length|context window|context limit|context size|maximum context|exceeds? the (?:available )?context",
    "maximum prompt length|input token count|maximum number of tokens|tokens \\+ `?max_new_tokens",
  ].join("|"),
  "i",
);
const imageWords = /image/i;
const windowForm = [
  /maximum (?:context|prompt) length (?:is|of) ([\d,]+)/i,
  /> ([\d,]+\d)\b/i,
  /(?:allowed|must be <=) \(?([\d,]+)/i,
  /context (?:size|window|length)[^\d]{0,20}([\d,]{3,})/i,
];

/** Local servers also say with 422 or 500 that a request is too long. */
const overflowStatus = new Set([400, 422, 500]);
/** What a provider package throws if it is set up or asked wrongly: asking again cannot help. */
const fatalErrors =
  /^AI_(?:LoadAPIKey|LoadSetting|NoSuchModel|NoSuchProviderReference|UnsupportedFunctionality|InvalidPrompt|InvalidArgument)\w*Error$/;

export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (APICallError.isInstance(error)) return ofResponse(error);
  const message = messageOf(error);
  if (overflowWords.test(message)) return overflow(message, error);
  if (error instanceof Error && fatalErrors.test(error.name))
    return new ProviderFailure("fatal", "provider_error", message, { cause: error });
  return new ProviderFailure("retry", "provider_error", message, { cause: error });
}

function ofResponse(error: APICallError): ProviderFailure {
  const { statusCode, responseHeaders } = error;
  const message = saidBy(error);
  if (statusCode === undefined || statusCode === 200) {
    // The connection failed, or the stream carried an error.
    return overflowWords.test(message) ? overflow(message, error) : new ProviderFailure("retry", "connection", message, { cause: error });
  }
  const text = `${statusCode}: ${message}`;
  const after = retryAfter(responseHeaders);
  if (overflowStatus.has(statusCode) && overflowWords.test(message)) return overflow(message, error);
  if (statusCode === 429 || statusCode >= 500) {
    return new ProviderFailure("retry", `http_${statusCode}`, text, {
      ...(after === undefined ? {} : { retryAfterMs: after }),
      cause: error,
    });
  }
  if (statusCode === 413 || (statusCode === 400 && imageWords.test(message)))
    return new ProviderFailure("too_large", `http_${statusCode}`, text, { cause: error });
  return new ProviderFailure("fatal", `http_${statusCode}`, text, { cause: error });
}

function overflow(message: string, cause: unknown): ProviderFailure {
  const found = windowForm.map((form) => form.exec(message)?.[1]).find((digits) => digits !== undefined);
  const windowTokens = found === undefined ? undefined : Number(found.replaceAll(",", ""));
  return new ProviderFailure("overflow", "context_overflow", message, { ...(windowTokens ? { windowTokens } : {}), cause });
}

/** The provider's own words: a page of HTML or JSON is no sentence. */
function saidBy({ message, responseBody }: APICallError): string {
  if (message !== "" && message.length < 2000) return message;
  return (responseBody ?? "The provider gave no reason.").slice(0, 500);
}

function retryAfter(headers: Record<string, string> | undefined): number | undefined {
  const ms = Number(headers?.["retry-after-ms"]);
  if (headers?.["retry-after-ms"] !== undefined && Number.isFinite(ms) && ms >= 0) return ms;
  const text = headers?.["retry-after"];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return String(error);
  const { message, error: inner } = error as { readonly message?: unknown; readonly error?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return inner === undefined ? JSON.stringify(error).slice(0, 500) : messageOf(inner);
}
