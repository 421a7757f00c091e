/** One request to a search engine: its JSON, or a failure that tells key, quota, network, answer and engine apart. */
import { type Http, type HttpAnswer, type Json, ToolFailure } from "../../../contract/index.ts";
import { badResponse, type ProviderRequest } from "./provider.ts";

const timeoutMs = 30_000;
const answerBytes = 4 << 20;
const longestWaitMs = 10_000;
const shortBody = 300;

type Reason = "auth" | "quota" | "network" | "provider_error";

export interface ProviderCall {
  readonly http: Http;
  readonly signal: AbortSignal;
  readonly provider: string;
  /** Never to be told, wherever the answer repeats it. */
  readonly secrets: readonly string[];
}

export async function askProvider(request: ProviderRequest, call: ProviderCall): Promise<Json> {
  let answer = await sendTo(request, call);
  const waitMs = answer.status === 429 ? retryAfterMs(answer.headers["retry-after"]) : undefined;
  if (waitMs !== undefined && waitMs <= longestWaitMs) {
    await pause(waitMs, call.signal);
    answer = await sendTo(request, call);
  }
  const text = new TextDecoder().decode(answer.body);
  if (answer.status < 200 || answer.status > 299) throw refusal(answer.status, text, call);
  const body = parse(text);
  const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
  // Some answer 200 and say inside that it is none.
  if ((typeof code === "number" || typeof code === "string") && Number(code) >= 400) throw refusal(Number(code), text, call);
  return body;
}

async function sendTo(request: ProviderRequest, { http, signal, provider, secrets }: ProviderCall): Promise<HttpAnswer> {
  try {
    return await http.send({
      ...request,
      headers: { accept: "application/json", ...request.headers },
      timeoutMs,
      signal,
      maxBytes: () => answerBytes,
      purpose: "search",
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ToolFailure)) throw error;
    throw failure("network", `${provider} cannot be reached: ${without(error.message, secrets)}`);
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw badResponse("it is no JSON");
  }
}

function refusal(status: number, body: string, { provider, secrets }: ProviderCall): ToolFailure {
  const said = without(body, secrets)
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, shortBody);
  const message = `${provider} answered ${status}${said === "" ? "" : `: ${said}`}`;
  if (provider === "searxng" && status === 403) {
    return failure("provider_error", message, "Enable the json format in SearXNG's settings.yml: search.formats must list html and json.");
  }
  const reason = reasonOf(status, said);
  const hint = {
    auth: "Check the key: karyi var set …",
    quota: "The quota or the rate is used up; try later.",
    network: "",
    provider_error: "",
  }[reason];
  return failure(reason, message, hint === "" ? undefined : hint);
}

function reasonOf(status: number, said: string): Reason {
  if (status === 402 || status === 429 || status === 432 || status === 433) return "quota";
  if (status < 500 && /quota|rate.?limit|limit exceeded|enough (?:money|balance|credits?)|insufficient|billing/i.test(said)) return "quota";
  if (status === 401 || status === 403) return "auth";
  if (status < 500 && /api.?key|unauthori[sz]ed|invalid.{0,12}(?:key|token)|(?:key|token).{0,12}(?:invalid|missing|expired)/i.test(said))
    return "auth";
  return "provider_error";
}

function failure(reason: Reason, message: string, hint?: string): ToolFailure {
  return new ToolFailure("tool_error", message, { details: { reason }, ...(hint === undefined ? {} : { hint }) });
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => {
    if (secret.length < 4) return rest;
    return rest.replaceAll(secret, "[key]").replaceAll(encodeURIComponent(secret), "[key]");
  }, text);
}

function retryAfterMs(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}

function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, waitMs);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
