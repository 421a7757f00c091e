/** The face of a running engine: sessions, approvals, tools, upkeep. Every method is one step to the room that does it. */
import { dirname, resolve } from "node:path";
import {
  type AgentRunner,
  type ApprovalRecord,
  type ApprovalReply,
  type ApprovalStatus,
  type CallOptions,
  type CallRecord,
  type Decision,
  type DescribedTool,
  type GarbageReport,
  type KaryiEngine,
  type KaryiEvent,
  type Listening,
  type LiveTerminal,
  type Mode,
  type OpenSessionOptions,
  type Result,
  type SessionHandle,
  type SessionRecord,
  type SessionRights,
  type Store,
  type Tool,
  type ToolCard,
  ToolFailure,
  type Toolkit,
  type ToolRegistration,
  traitsOf,
} from "../contract/index.ts";
import type { Engine, RecoveredCall, Session } from "../engine/index.ts";
import {
  canonical,
  endTerminal,
  isDirectory,
  lookAtTerminal,
  type Places,
  sweepDirectories,
  sweepOlder,
  sweepSetAside,
} from "../host/index.ts";
import type { McpClients } from "../mcp/client/index.ts";
import { explain } from "../policy/index.ts";
import { dataSchemaOf, type ToolRegistry, toolSpec, uncheckedParts } from "../registry/index.ts";
import type { Vault } from "../vault/index.ts";
import type { AgentFiles } from "./agent-files.ts";
import { createRunner } from "./agent-room.ts";
import type { LoadedConfig } from "./config-layers.ts";
import { pendingFolder } from "./hooks/pending-folder.ts";
import { refuseOptions } from "./refuse-options.ts";
import { terminalSocket } from "./session-ports.ts";
import { callsPerStep, Upkeep } from "./upkeep.ts";
import { refuseValue } from "./wait-for-value.ts";
import { WiredSession } from "./wired-session.ts";
import type { Wiring } from "./wiring.ts";

/** How long an answer waits for the process that asked before the call goes on elsewhere. */
const handOverMs = 400;
/** A run that is alive waits for the answer itself, however busy the machine is. */
const runHandOverMs = 60_000;

/** Work that dead processes had left half done. */
export interface RecoveryReport {
  readonly calls: readonly RecoveredCall[];
  /** Other workspaces of this home where something waits; nothing was touched there. */
  readonly waiting: readonly string[];
}

export class WiredEngine implements KaryiEngine {
  readonly places: Places;
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #wiring: Wiring;
  readonly #upkeep: Upkeep;
  readonly runner: AgentRunner;
  #recovered: RecoveryReport = { calls: [], waiting: [] };

  constructor(engine: Engine, store: Store, places: Places, wiring: Wiring) {
    this.#engine = engine;
    this.#store = store;
    this.places = places;
    this.#wiring = wiring;
    this.#upkeep = new Upkeep(store.readOnly ? undefined : places.home, () => this.collectGarbage({ maxCalls: callsPerStep }));
    this.runner = createRunner({ engine: this, store, wiring, writer: engine, env: wiring.env, log: wiring.log });
    this.registry.execute = async (agent, name, params) => {
      const session = await this.openSession({ id: `toolkit:${agent}`, toolkit: agent });
      return session.call(name, params);
    };
  }

  /** For the parts of compose that serve; fronts get the interfaces of contract. */
  get store(): Store {
    return this.#store;
  }

  /** For the parts of compose that serve, like `store`. */
  get wiring(): Wiring {
    return this.#wiring;
  }

  get workspace(): string {
    return this.places.workspace;
  }

  get home(): string {
    return this.places.home;
  }

  get registry(): ToolRegistry {
    return this.#wiring.registry;
  }

  get config(): LoadedConfig {
    return this.#wiring.config;
  }

  /** Agents and skills of a workspace, as their files are now. */
  get agentFiles(): AgentFiles {
    return this.#wiring.agentFiles;
  }

  /** The configured MCP servers. */
  get servers(): McpClients | undefined {
    return this.#wiring.clients;
  }

  /** Secure variables: set, listed and removed by a person, used by name. */
  get vault(): Vault {
    return this.#wiring.vault;
  }

  /** Findings of the recovery when the engine was opened, or when `recover` was called last. */
  get recovered(): RecoveryReport {
    return this.#recovered;
  }

  /** Takes back or finishes what dead processes left half done in this workspace, or in every workspace of the home. */
  async recover({ everywhere = false }: { readonly everywhere?: boolean } = {}): Promise<RecoveryReport> {
    const { workspace } = this.places;
    const { takenBack, journaled, waiting } = await this.#wiring.recover(everywhere);
    const calls = await this.#engine.recover({ takenBack, journaled, ...(everywhere ? {} : { workspace }) });
    // A write that was cut short leaves its new content beside the file.
    const written = (await Promise.all(calls.map(({ callId }) => this.#store.journal(callId)))).flat();
    await sweepDirectories([workspace, ...written.map(({ path }) => dirname(path))]);
    const orphaned = everywhere ? [] : (await this.#store.orphanWorkspaces()).filter((other) => other !== workspace);
    this.#recovered = { calls, waiting: [...new Set([...waiting, ...orphaned])] };
    return this.#recovered;
  }

  async openSession(options: OpenSessionOptions = {}): Promise<SessionHandle> {
    refuseOptions(options);
    const workspace = await this.#workspaceOf(options);
    const cwd = options.cwd === undefined ? undefined : await canonical(options.cwd);
    const rights = await this.#rightsOf(options, workspace);
    const { owner = "local", channel = "local", id = `workspace:${workspace}` } = options;
    const key = { owner, channel, externalId: id };
    if (rights !== undefined) {
      const known = await this.#store.sessionByKey(key);
      const place = { id: known?.id, workspace: known?.workspace ?? workspace };
      await this.#wiring.policies.refuse({ ...known?.state.rights, ...rights }, place);
    }
    const session = await this.#engine.openSession({
      key,
      workspace,
      cwd: cwd ?? workspace,
      ...(rights === undefined ? {} : { rights }),
    });
    const { approve, approvals, askValue, mode } = options;
    const people = { ...(approve && { approve }), ...(approvals && { approvals }), ...(askValue && { askValue }) };
    await this.#wiring.policies.hold(await this.#latest(session.record), people, mode);
    if (cwd !== undefined && cwd !== session.cwd) {
      session.open.apply({ state: { cwd } });
      await this.#store.patchSession(session.record.id, { state: { cwd } });
    }
    return this.#handle(session);
  }

  async sessionById(id: string): Promise<SessionHandle | undefined> {
    if ((await this.#store.session(id)) === undefined) return undefined;
    return this.#handle(await this.#engine.attach(id));
  }

  #handle(session: Session): SessionHandle {
    return new WiredSession(session, {
      engine: this.#engine,
      store: this.#store,
      runner: () => this.runner,
      mode: (record) => this.#wiring.policies.mode(record),
      setMode: (record, mode) => this.#setMode(record, mode),
      tasks: (record) => this.#wiring.tasks(record),
      learnTools: (name) => this.#wiring.learnTools(name),
    });
  }

  async #workspaceOf({ workspace, id, owner, channel }: OpenSessionOptions): Promise<string> {
    if (workspace === undefined) {
      const key = id === undefined ? undefined : { owner: owner ?? "local", channel: channel ?? "local", externalId: id };
      // A session that exists keeps its workspace, whichever engine opens it.
      const known = key && (await this.#store.sessionByKey(key));
      return known?.workspace ?? this.workspace;
    }
    const path = await canonical(resolve(this.workspace, workspace));
    if (await isDirectory(path)) return path;
    throw new ToolFailure("invalid_tool_input", `The workspace ${path} is not a directory.`, {
      hint: "Create it first, or name another one.",
      details: { reason: "workspace_missing" },
    });
  }

  async #rightsOf(options: OpenSessionOptions, workspace: string): Promise<SessionRights | undefined> {
    const { mode, rules, network, parent, worktree } = options;
    const roots = options.roots && (await Promise.all(options.roots.map((root) => canonical(resolve(workspace, root)))));
    const toolkit = this.#toolkitOf(options.toolkit);
    const rights: SessionRights = {
      ...(mode && { mode }),
      ...(rules && { rules }),
      ...(roots && { roots }),
      ...(network && { network }),
      ...(toolkit && { toolkit: { agent: toolkit.agent, tools: toolkit.tools } }),
      ...(parent && { parent: parent.id }),
      ...(worktree && { worktree }),
    };
    return Object.keys(rights).length === 0 ? undefined : rights;
  }

  #toolkitOf(toolkit: Toolkit | string | undefined): Toolkit | undefined {
    if (typeof toolkit !== "string") return toolkit;
    const found = this.registry.getToolkit(toolkit);
    if (found) return found;
    throw new ToolFailure("invalid_tool_input", `The agent '${toolkit}' has no toolkit.`, {
      hint: "Make it first: registry.createToolkit(agent, names).",
      details: { reason: "toolkit_missing" },
    });
  }

  async #latest(record: SessionRecord): Promise<SessionRecord> {
    return (await this.#store.session(record.id)) ?? record;
  }

  async #setMode(record: SessionRecord, mode: Mode): Promise<void> {
    const { state } = await this.#latest(record);
    const rights = { ...state.rights, mode };
    await this.#wiring.policies.refuse(rights, record);
    await this.#store.patchSession(record.id, { state: { rights } });
    await this.#wiring.policies.hold(await this.#latest(record), {}, mode);
  }

  listSessions(): Promise<readonly SessionRecord[]> {
    return this.#store.listSessions();
  }

  tools(): readonly ToolCard[] {
    return this.registry.list();
  }

  describeTool(name: string): DescribedTool | undefined {
    const tool = this.registry.get(name);
    return tool && this.describe(tool);
  }

  registerTool(tool: Tool): ToolRegistration {
    return this.registry.register(tool);
  }

  approvals(status?: ApprovalStatus): Promise<readonly ApprovalRecord[]> {
    return this.#store.listApprovals(status === undefined ? {} : { status });
  }

  approval(id: string): Promise<ApprovalRecord | undefined> {
    return this.#store.approval(id);
  }

  refreshApproval(record: ApprovalRecord): Promise<ApprovalRecord> {
    return this.#engine.refreshApproval(record);
  }

  answer(approvalId: string, reply: ApprovalReply, answeredBy = "library"): Promise<ApprovalRecord | undefined> {
    return this.#engine.answer(approvalId, reply, answeredBy);
  }

  /** Refuses a value that a run waits for in any process. False if none waits under this id. */
  refuseValue(requestId: string, words?: string): Promise<boolean> {
    return refuseValue(requestId, words === undefined ? {} : { words }, {
      store: this.#store,
      openRuns: () => this.#store.runs.runs({ open: true }),
      append: (sessionId, drafts) => this.#engine.append(sessionId, drafts),
    });
  }

  resume(approvalId: string, options?: CallOptions): Promise<Result> {
    return this.#engine.resume(approvalId, options);
  }

  async finishAnswered(approval: ApprovalRecord): Promise<Result> {
    const open = await this.#store.runs.runs({ sessionId: approval.sessionId, open: true });
    const runs = open.some(({ phase, orphaned }) => phase === "running" && !orphaned);
    return (await this.#finishedElsewhere(approval.callId, runs ? runHandOverMs : handOverMs)) ?? this.resume(approval.id);
  }

  async #finishedElsewhere(callId: string, patienceMs: number): Promise<Result | undefined> {
    const deadline = AbortSignal.timeout(patienceMs);
    for (;;) {
      const changed = this.#store.changed(deadline);
      const record = await this.#store.call(callId);
      if (record?.result) return record.result;
      if (record?.ownerId === this.#store.owner.id || (deadline.aborted && record?.phase !== "running")) return undefined;
      await changed;
    }
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#store.changed(signal);
  }

  describe(tool: Tool): DescribedTool {
    const traits = traitsOf(tool);
    const unchecked = uncheckedParts(tool);
    const dataSchema = dataSchemaOf(tool);
    return {
      ...toolSpec(tool),
      ...(dataSchema && { dataSchema }),
      traits,
      safetyLevel: tool.plan ? 2 : 0,
      ...(unchecked.length > 0 && { unchecked }),
    };
  }

  explainDecision(decision: Decision): string {
    return explain(decision);
  }

  call(id: string): Promise<CallRecord | undefined> {
    return this.#store.call(id);
  }

  /** Live events of this process. */
  onEvent(listener: (event: KaryiEvent) => void, listening?: Listening): () => void {
    return this.#engine.listen(listener, listening);
  }

  /** Removes what is older than the configured retention, kept dry runs included. */
  async collectGarbage(
    request: { readonly olderThanDays?: number; readonly dryRun?: boolean; readonly maxCalls?: number } = {},
  ): Promise<GarbageReport> {
    if (this.#store.readOnly) throw homeReadOnly(this.places.home);
    const { retentionDays, retentionOutputBytes } = this.config.effective;
    const days = request.olderThanDays ?? retentionDays;
    const dryRun = request.dryRun ?? false;
    const olderThan = Date.now() - days * 86_400_000;
    const changeSets = this.#wiring.forgetChangeSets(olderThan, dryRun, await this.#awaitedChangeSets());
    this.#wiring.sweepSessions(
      (await this.listSessions()).map(({ id }) => id),
      dryRun,
    );
    await sweepSetAside(this.places.home, olderThan, dryRun);
    // Of calls of another agent that it never told the end of: refused by its person, or cut off.
    if (!dryRun) await sweepOlder(pendingFolder(this.places.home), olderThan);
    // What nothing refers to goes first: on a full disk the records could not be changed otherwise.
    const unused = dryRun ? 0 : await this.#wiring.blobs.sweep(await this.#store.usedBlobs());
    const { maxCalls } = request;
    const report = await this.#store.gc({
      olderThan,
      maxOutputBytes: retentionOutputBytes,
      dryRun,
      ...(maxCalls === undefined ? {} : { maxCalls }),
    });
    if (dryRun) return { ...report, changeSets };
    const freed = report.calls === 0 ? 0 : await this.#wiring.blobs.sweep(await this.#store.usedBlobs());
    return { ...report, changeSets, bytesFreed: report.bytesFreed + unused + freed };
  }

  /** Change sets that somebody may still say yes to. */
  async #awaitedChangeSets(): Promise<ReadonlySet<string>> {
    const open = [...(await this.approvals("pending")), ...(await this.approvals("granted"))];
    return new Set(open.flatMap(({ card }) => card.rehearsal?.change_set ?? []));
  }

  /** Where the live terminal of a session can be attached to. */
  terminalSocket(sessionId: string): string {
    return terminalSocket(this.places.home, sessionId);
  }

  /** The live terminals of this home, whichever process serves them. */
  async terminals(): Promise<readonly LiveTerminal[]> {
    const found = await Promise.all(
      (await this.listSessions()).map(async (session) => ({ session, live: await lookAtTerminal(this.terminalSocket(session.id)) })),
    );
    return found.flatMap(({ session, live }) => (live ? [{ session, pid: live.pid, kept: live.kept, ...live.state }] : []));
  }

  /** Ends a session's terminal and everything in it; false where none was live. */
  async removeSession(sessionId: string): Promise<void> {
    await this.#store.deleteSession(sessionId);
    await this.endTerminal(sessionId);
    this.#wiring.removeSession(sessionId);
  }

  endTerminal(sessionId: string): Promise<boolean> {
    return endTerminal(this.terminalSocket(sessionId));
  }

  verifyAudit(): ReturnType<Store["verifyAudit"]> {
    return this.#store.verifyAudit();
  }

  readAudit(after: number, limit: number): ReturnType<Store["readAudit"]> {
    return this.#store.readAudit(after, limit);
  }

  async close(): Promise<void> {
    await this.runner.close();
    this.#engine.close();
    await this.#upkeep.end();
    await this.#wiring.close();
    await this.#store.close();
  }
}

function homeReadOnly(home: string): ToolFailure {
  return new ToolFailure("tool_error", `Karyi's home ${home} is read-only: nothing is removed there.`, {
    hint: "Give this user write permission on the directory, or use another --home.",
    details: { reason: "store_readonly" },
  });
}
