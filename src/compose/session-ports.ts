/** The ports of each session, made once and kept while the engine lives: search, processes, tasks, terminal, values. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type {
  AskValue,
  ChangeSets,
  EventDraft,
  KaryiEvent,
  Masker,
  Readable,
  RunPorts,
  SessionRecord,
  Store,
  Terminals,
  Values,
} from "../contract/index.ts";
import { ToolFailure } from "../contract/index.ts";
import type { SessionPorts } from "../engine/index.ts";
import { createSearch, DriverNotes, type ProcessRoom, ReachedTerminal, type Sandbox, terminalEnvironment } from "../host/index.ts";
import { createValueRequests, type Vault } from "../vault/index.ts";
import type { EffectiveConfig } from "./config.ts";
import { sessionArtifacts } from "./session-artifacts.ts";
import { SessionTasks } from "./session-tasks.ts";
import type { AgentTasks } from "./subagents.ts";
import { TerminalDrivers } from "./terminal-drivers.ts";

export interface SessionPortsOptions {
  readonly store: Store;
  readonly vault: Vault;
  readonly masker: Masker;
  /** Only values of secure variables: what merely looks like a token stays in an artifact. */
  readonly valueMasker: Masker;
  readonly sandbox: Sandbox;
  /** Processes under the policy of a session. */
  processes(session: SessionRecord): ProcessRoom;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: "own" | "kept";
  config(session: SessionRecord): Pick<EffectiveConfig, "foregroundBudgetMs" | "missingValue">;
  roots(session: SessionRecord): readonly string[];
  /** True while nobody is asked about calls. */
  unattended(session: SessionRecord): boolean;
  /** What searches may read unasked, by the policy of now. */
  readable(session: SessionRecord): Readable;
  /** The person who can be asked for a value now. */
  askValue(session: SessionRecord): AskValue | undefined;
  /** The one writer of events. */
  append(sessionId: string, drafts: readonly EventDraft[]): Promise<void>;
  web(session: SessionRecord, values: Values): Pick<RunPorts, "http" | "webSearch">;
  /** Hands events that are in the store already to whoever listens. */
  publish(events: readonly KaryiEvent[]): void;
  log(message: string, cause?: unknown): void;
}

export class SessionPortsRoom {
  readonly #options: SessionPortsOptions;
  readonly #known = new Map<string, Promise<Partial<SessionPorts>>>();
  /** While a person drives a session's terminal its agent waits. */
  readonly drivers: TerminalDrivers;
  readonly #tasks = new Map<string, SessionTasks>();
  readonly #terminals: ReachedTerminal[] = [];
  readonly #changeSets: ChangeSets;
  #agents: AgentTasks | undefined;

  constructor(options: SessionPortsOptions) {
    this.#options = options;
    this.drivers = new TerminalDrivers(new DriverNotes(options.home));
    const { sandbox } = options;
    this.#changeSets = {
      load: (id) => sandbox.load(id),
      commit: (id, callId) => sandbox.commit(sandbox.load(id), callId),
      discard: (id) => sandbox.discard(id),
      hold: (id, what) => sandbox.hold(id, what),
      held: (id) => sandbox.held(id),
    };
  }

  of(session: SessionRecord): Promise<Partial<SessionPorts>> {
    const known = this.#known.get(session.id);
    if (known) return known;
    const ports = this.#make(session);
    this.#known.set(session.id, ports);
    return ports;
  }

  /** Background commands die with the engine, and so does a terminal that lives in it. */
  async close(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map(({ background }) => background.stopAll()));
    await Promise.all(this.#terminals.map((terminal) => terminal.close()));
  }

  meetAgents(agents: AgentTasks): void {
    this.#agents = agents;
  }

  /** To-do items, background commands and agents of a session. */
  tasks({ id }: SessionRecord): SessionTasks {
    const known = this.#tasks.get(id);
    if (known) return known;
    const tasks = new SessionTasks(this.#options.store, id, () => this.#agents);
    this.#tasks.set(id, tasks);
    return tasks;
  }

  async #make(session: SessionRecord): Promise<Partial<SessionPorts>> {
    const { store, vault, masker, log } = this.#options;
    const { foregroundBudgetMs, missingValue } = this.#options.config(session);
    const processes = this.#options.processes(session);
    const tasks = this.tasks(session);
    const terminal = reachTerminal(session, this.#options);
    this.#terminals.push(terminal);
    const place = { workspace: session.workspace, sessionId: session.id };
    const unattended = () => this.#options.unattended(session);
    const values = vault.values(place, { missing: missingValue, warn: (message) => log(message), unattended });
    return {
      ...this.#options.web(session, values),
      search: createSearch({ readable: () => this.#options.readable(session) }),
      artifacts: sessionArtifacts(store, session.id, this.#options.valueMasker, (events) => this.#options.publish(events)),
      tasks,
      processes: processes.processes(tasks.background, foregroundBudgetMs, this.#options.roots(session)),
      changeSets: this.#changeSets,
      terminals: heldBack(
        terminal,
        () => {
          if (store.readOnly) throw listensNowhere(this.#options.home);
          processes.demandNoSandbox("The terminal");
        },
        (signal) => this.drivers.givenBack(session.id, signal),
      ),
      values,
      valueRequests: createValueRequests({
        vault,
        place,
        mask: (text) => masker.mask(text),
        onWarning: (message) => log(message),
        onEvent: (event) => this.#options.append(session.id, [event]),
        asker: () => this.#options.askValue(session),
      }),
    };
  }
}

/** Where a session's live terminal listens for a person who wants to look at it or take over. */
export function terminalSocket(home: string, sessionId: string): string {
  return join(home, "run", `${createHash("sha256").update(sessionId).digest("hex").slice(0, 16)}.sock`);
}

/** The session's terminal; what happens in it is told to the session of this process's call. */
function reachTerminal(record: SessionRecord, options: SessionPortsOptions): ReachedTerminal {
  const { id, state } = record;
  const { env, home, log, masker, terminal } = options;
  return new ReachedTerminal({
    path: terminalSocket(home, id),
    place: terminal,
    begin: (session = state) => ({ cwd: session.cwd, env: terminalEnvironment(env, session.env) }),
    log,
    caller: {
      onEvent: (event) => {
        if (event.type !== "input_required") return;
        const { kind, program, question, callId } = event;
        const body = { kind, program: masker.mask(program), question: masker.mask(question) };
        const draft = { type: event.type, body, ...(callId === undefined ? {} : { callId }) };
        options.append(id, [draft]).catch((error) => log("A waiting program could not be reported", error));
      },
      askSecret: async (question, signal) => {
        const reply = await options.askValue(record)?.({ key: "password", reason: question, once: true }, signal);
        return reply?.kind === "given" ? reply.value : undefined;
      },
    },
  });
}

function listensNowhere(home: string): ToolFailure {
  return new ToolFailure("tool_error", `Karyi's home ${home} is read-only, and a terminal listens there.`, {
    hint: "Give this user write permission on the directory, or use another --home.",
    details: { reason: "store_readonly" },
  });
}

/**
 * Asked before anything is judged and before anything runs: where the config demands a sandbox, or the home is read-only, there
 * is no terminal at all, and while a person drives nothing is typed into what they see.
 */
function heldBack(terminal: Terminals, demand: () => void, givenBack: (signal?: AbortSignal) => Promise<void>): Terminals {
  return {
    peek: async () => {
      demand();
      await givenBack();
      return terminal.peek();
    },
    run: async (command, options) => {
      demand();
      await givenBack(options.signal);
      return terminal.run(command, options);
    },
    input: async (text, options) => {
      demand();
      await givenBack(options.signal);
      return terminal.input(text, options);
    },
    screen: async () => {
      demand();
      return terminal.screen();
    },
  };
}
