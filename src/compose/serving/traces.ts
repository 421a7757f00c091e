/**
 * Traces for an OpenTelemetry collector (OTLP over HTTP, JSON), if `OTEL_EXPORTER_OTLP_ENDPOINT` names one. A span holds
 * method, path, status and time, nothing of what was asked. A collector that does not answer costs nothing but its spans.
 */
import { randomBytes } from "node:crypto";
import { parsedUrl } from "../../contract/index.ts";
import type { RequestSpan } from "../../gateway/index.ts";
import { postJson } from "../../host/server/index.ts";

export interface Traces {
  note(span: RequestSpan): void;
  close(): Promise<void>;
}

const batchSpans = 200;
const maxWaitingSpans = 5000;
const pauseMs = 5000;
const sendMs = 10_000;

/** `undefined` if no endpoint is configured. */
export function createTraces(env: Readonly<Record<string, string | undefined>>, version: string): Traces | undefined {
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const address = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base === undefined ? undefined : `${base.replace(/\/$/, "")}/v1/traces`);
  if (address === undefined || parsedUrl(address) === undefined) return undefined;
  const resource = { attributes: [attribute("service.name", env.OTEL_SERVICE_NAME ?? "karyi"), attribute("service.version", version)] };
  let waiting: object[] = [];

  const send = async (): Promise<void> => {
    const spans = waiting;
    waiting = [];
    if (spans.length === 0) return;
    const body = { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "karyi", version }, spans }] }] };
    try {
      await postJson(address, JSON.stringify(body), { timeoutMs: sendMs });
    } catch {
      // Traces are a courtesy: nothing waits for a collector that is not there.
    }
  };
  const timer = setInterval(() => void send(), pauseMs);
  timer.unref();

  return {
    note({ name, status, seconds, requestId }) {
      if (waiting.length >= maxWaitingSpans) return;
      const end = BigInt(Date.now()) * 1_000_000n;
      waiting.push({
        traceId: randomBytes(16).toString("hex"),
        spanId: randomBytes(8).toString("hex"),
        name,
        kind: 2,
        startTimeUnixNano: String(end - BigInt(Math.round(seconds * 1e9))),
        endTimeUnixNano: String(end),
        attributes: [attribute("http.response.status_code", status), attribute("karyi.request_id", requestId)],
        status: { code: status >= 500 ? 2 : 1 },
      });
      if (waiting.length >= batchSpans) void send();
    },
    async close() {
      clearInterval(timer);
      await send();
    },
  };
}

function attribute(key: string, value: string | number): object {
  return { key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value } };
}
