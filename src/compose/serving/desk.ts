/** What the gateway asks beside the engine's own interface, from store, config and policy. */
import type { JsonObject, Mode, SessionHandle, SessionRecord, Store } from "../../contract/index.ts";
import type { GatewayDesk, SessionFacts, ValueDesk } from "../../gateway/index.ts";
import { createFiles, watchTerminal } from "../../host/index.ts";
import { textHead } from "../../tools/file/index.ts";
import { examine } from "../doctor.ts";
import { makeDiff } from "../make-diff.ts";
import type { WiredEngine } from "../wired-engine.ts";
import { createChangeViews } from "./change-views.ts";
import { demoChat, demoTour } from "./demo-agent.ts";
import { maskedOutput } from "./masked-output.ts";
import { createRuleDesk } from "./rule-desk.ts";

const maxHandles = 2000;
/** How a run ends badly; a person who cancelled one knows it. */
const failures: ReadonlySet<string> = new Set(["failed", "refused", "max_rounds", "max_cost", "max_tokens"]);

export function createDesk(engine: WiredEngine, values: ValueDesk): GatewayDesk {
  const store: Store = engine.store;
  const { wiring, places } = engine;
  const changes = createChangeViews(engine);
  const filesAt = (cwd: string) => createFiles({ cwd: () => cwd, fsync: false, userHome: places.userHome });
  const handles = new Map<string, Promise<SessionHandle>>();

  const open = ({ key, workspace, id }: SessionRecord): Promise<SessionHandle> =>
    engine.openSession({
      id: key.externalId,
      owner: key.owner,
      channel: key.channel,
      workspace,
      approvals: "record",
      askValue: values.askerOf({ id, key }),
    });

  return {
    eventHeads: (ids) => store.eventHeads(ids),
    readEvents: (id, after, limit) => store.readEvents(id, after, limit),
    readEventsBefore: (id, before, limit) => store.readEventsBefore(id, before, limit),
    sessionsOf: (owner) => store.sessionsOf(owner),
    sessionByKey: (key) => store.sessionByKey(key),
    session: (id) => store.session(id),
    handle(record) {
      const known = handles.get(record.id);
      if (known !== undefined) return known;
      const opened = open(record);
      handles.set(record.id, opened);
      opened.catch(() => handles.delete(record.id));
      const [oldest] = handles.keys();
      if (handles.size > maxHandles && oldest !== undefined) handles.delete(oldest);
      return opened;
    },
    defaultMode: engine.config.effective.mode,
    modeOf: (record): Mode => record.state.rights?.mode ?? engine.config.effective.mode,
    async sessionFacts(ids): Promise<ReadonlyMap<string, SessionFacts>> {
      const glances = await store.glanceAt(ids);
      const entries = await Promise.all(
        [...glances].map(async ([id, { title, isBusy, updatedAt }]) => {
          const [latest] = await engine.runner.list(id);
          const runs = latest !== undefined && latest.outcome === undefined;
          const { defaults } = (await store.session(id))?.state ?? {};
          const hasFailed = failures.has(latest?.status ?? "");
          return [id, { title, updatedAt, isRunning: isBusy || runs, hasFailed, ...defaults }] as const;
        }),
      );
      return new Map(entries);
    },
    async look(record, path) {
      const facts = await filesAt(record.workspace).resolve(path);
      return { ...facts, isInside: wiring.policies.roots(record).some((root) => isWithin(facts.real, root)) };
    },
    async readText(facts, maxBytes) {
      const file = await filesAt("/").open(facts);
      try {
        return await textHead(file, maxBytes);
      } finally {
        await file.close();
      }
    },
    mask: (text) => wiring.masker.mask(text),
    setCwd: async ({ key, workspace }, cwd) => {
      await engine.openSession({ id: key.externalId, owner: key.owner, channel: key.channel, workspace, cwd });
    },
    async defaultsOf({ id, state, workspace }) {
      const { defaults } = (await store.session(id))?.state ?? state;
      const { model } = (await wiring.configOf(workspace)).effective;
      return defaults?.model === undefined && model === undefined ? { ...defaults, model: await demoChat(engine.home) } : (defaults ?? {});
    },
    demoTour: (language) => demoTour(engine.home, language),
    async setDefaults(session, { model, agent }) {
      const defaults = { ...session.record.state.defaults, ...(model && { model }), ...(agent && { agent }) };
      await store.patchSession(session.id, { state: { defaults } });
    },
    forkSession: (source, key) => store.forkSession(source.id, key),
    async removeSession({ id }) {
      await engine.removeSession(id);
      handles.delete(id);
    },
    changesOf: (record) => changes.ofSession(record),
    undoPreview: (record, callIds) => changes.ofUndo(record, callIds),
    diff: makeDiff,
    rules: createRuleDesk(engine),
    doctor: async () => (await examine(engine.workspace, engine.home, process.env)) as unknown as readonly JsonObject[],
    audit: (sessionId, kind, body) => store.audit([{ sessionId, kind, body }]),
    auditRows: () => store.auditRows(),
    watchTerminal: ({ id }, on) =>
      watchTerminal(engine.terminalSocket(id), { closed: on.closed, output: maskedOutput(wiring.masker, on.output) }),
    setTerminalDriver: ({ id }, person) => wiring.drivers.set(id, person),
    lookAtSandbox: () => wiring.policies.lookAtSandbox(),
  };
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root === "/" ? root : `${root}/`);
}
