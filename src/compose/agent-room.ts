/** Wires the agent room: runs over the store, models from the config, instructions from the workspace. */
import { randomUUID } from "node:crypto";
import { isAbsolute, join, resolve } from "node:path";
import { openModel, Runner } from "../agent/index.ts";
import {
  type AgentRunner,
  type EventDraft,
  type KaryiEngine,
  type RunStore,
  type SessionHandle,
  type Store,
  ToolFailure,
} from "../contract/index.ts";
import { createEmbeddedDurable } from "../durable/index.ts";
import { appendTextFile, readTextFile, writeTextFile } from "../host/index.ts";
import type { LoadedConfig } from "./config-layers.ts";
import { importInstalled } from "./installed-package.ts";
import { createSubagents, definitionsOf, offersOf, type SubagentWiring } from "./subagents.ts";
import type { EventWriter, Wiring } from "./wiring.ts";

export interface AgentRoomOptions {
  readonly engine: KaryiEngine & Pick<SubagentWiring, "recover">;
  readonly store: Store;
  readonly wiring: Pick<Wiring, "masker" | "configOf" | "agentFiles" | "policies" | "meetSubagents">;
  readonly writer: Pick<EventWriter, "publish">;
  readonly env: Readonly<Record<string, string | undefined>>;
  log(message: string, cause?: unknown): void;
}

/** Longer instructions are cut: they are in every request. */
const maxInstructions = 64 * 1024;

export function createRunner({ engine, store, wiring, writer, env, log }: AgentRoomOptions): AgentRunner {
  const { masker } = wiring;
  const configOf = async ({ workspace }: Pick<SessionHandle, "workspace">): Promise<LoadedConfig["effective"]> =>
    (await wiring.configOf(workspace)).effective;
  const durable = createEmbeddedDurable({
    store: { ...masked(store.runs, (drafts) => masker.maskJson(drafts)), changed: (signal) => store.changed(signal) },
    publish: (events) => writer.publish(events),
    now: Date.now,
  });
  const definitions = definitionsOf(wiring.agentFiles, store, wiring.policies);
  const modelOf = async (id: string, session: Pick<SessionHandle, "workspace">, record?: string) => {
    const { providers } = await configOf(session);
    return openModel(id, {
      providers,
      env,
      readText: (path) => readNamed(path, session.workspace),
      importPackage: (name) => importInstalled(name, engine.home),
      ...(record === undefined ? {} : { record: recordFile(resolve(record)) }),
    });
  };
  const defaultModel = async (session: SessionHandle) => (await configOf(session)).model;
  const sideWork = createSubagents({
    home: engine.home,
    store,
    durable,
    engine,
    definitions,
    defaultModel,
    openModel: modelOf,
    maxDepth: async (session) => (await configOf(session)).maxAgentDepth,
    recover: (options) => engine.recover(options),
    log,
  });
  wiring.meetSubagents(sideWork);
  return new Runner({
    durable,
    engine,
    definitions,
    sideWork,
    openModel: modelOf,
    defaultModel,
    fallbackModel: async (id, session) => {
      const [, provider = "", name = ""] = /^([^/]+)\/(.+)$/.exec(id) ?? [];
      return (await configOf(session)).providers[provider]?.models?.[name]?.fallback;
    },
    instructions: instructionsOf,
    offers: (session) => offersOf(wiring.agentFiles, session),
    lastSeq: async (id) => (await store.eventHeads([id])).get(id)?.last ?? 0,
    keepOutput: async (sessionId, text) => {
      const writer = await store.createOutput(sessionId);
      await writer.write(text);
      await writer.close();
      return writer.ref;
    },
    maskJson: (value) => masker.maskJson(value),
    maskStream: () => masker.stream(),
    modelOutputTokens: async (session) => (await configOf(session)).modelOutputTokens,
    platform: process.platform,
    now: Date.now,
    newId: randomUUID,
    log,
  });
}

/** Events that are written with a step are masked like all others. */
function masked(runs: RunStore, mask: (drafts: readonly EventDraft[]) => readonly EventDraft[]): RunStore {
  return {
    ...runs,
    recordStep: (runId, name, output, extras) =>
      runs.recordStep(runId, name, output, extras.events === undefined ? extras : { ...extras, events: mask(extras.events) }),
    endRun: (runId, outcome, events, unless) => runs.endRun(runId, outcome, mask(events), unless),
  };
}

async function instructionsOf(workspace: string): Promise<{ readonly name: string; readonly text: string } | undefined> {
  for (const name of ["AGENTS.md", "CLAUDE.md"]) {
    const text = await readTextFile(join(workspace, name)).catch(() => undefined);
    if (text !== undefined && text.trim() !== "") return { name, text: text.slice(0, maxInstructions) };
  }
  return undefined;
}

function recordFile(path: string) {
  return { write: (text: string) => writeTextFile(path, text), append: (text: string) => appendTextFile(path, text) };
}

/** A file that a person named: from where they stand, else from the workspace. */
async function readNamed(path: string, workspace: string): Promise<string> {
  const places = isAbsolute(path) ? [path] : [resolve(path), resolve(workspace, path)];
  for (const place of places) {
    const text = await readTextFile(place).catch(() => undefined);
    if (text !== undefined) return text;
  }
  throw new ToolFailure("invalid_tool_input", `The file ${path} cannot be read.`, { details: { reason: "file_not_found", path } });
}
