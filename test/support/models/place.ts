/** An engine whose models are a local server's, and a run to its end. */
import type { EngineOptions, KaryiEvent, RunOutcome, RunRequest, SessionHandle } from "../../../src/index.ts";
import { testEngine } from "../engine.ts";
import { type Format, modelServer } from "./server.ts";

export async function finished(session: SessionHandle, request: RunRequest): Promise<{ outcome: RunOutcome; events: KaryiEvent[] }> {
  const events: KaryiEvent[] = [];
  const run = session.run(request);
  for (;;) {
    const { done, value } = await run.next();
    if (done) return { outcome: value, events };
    events.push(value);
  }
}

/** Models of the provider `anthropic`, or `chat` of an OpenAI-compatible server. */
export async function modelPlace(
  format: Exclude<Format, "responses">,
  replies: Parameters<typeof modelServer>[1],
  models: object,
  options: Partial<EngineOptions> = {},
) {
  const server = await modelServer(format, replies);
  const base = { baseUrl: server.url, apiKey: "k", models };
  const providers = format === "anthropic" ? { anthropic: base } : { chat: { ...base, type: "openai-compatible" } };
  const { engine, workspace, home } = await testEngine({
    config: { providers } as never,
    env: { PATH: process.env.PATH },
    ...options,
  });
  const session = await engine.openSession({ id: "s" });
  return { server, session, workspace, engine, home };
}
