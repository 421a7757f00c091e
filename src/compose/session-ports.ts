/** The ports of each session, made once and kept while the engine lives: search, processes, tasks, terminal, values. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ChangeSets, Masker, SessionRecord, Store, Terminals } from "../contract/index.ts";
import type { SessionPorts } from "../engine/index.ts";
import { createSearch, type ProcessRoom, ReachedTerminal, type Sandbox, terminalEnvironment } from "../host/index.ts";
import { type AskValue, createValueRequests, type Vault } from "../vault/index.ts";
import { SessionTasks } from "./session-tasks.ts";

export interface SessionPortsOptions {
  readonly store: Store;
  readonly vault: Vault;
  readonly masker: Masker;
  readonly sandbox: Sandbox;
  readonly processes: ProcessRoom;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly foregroundBudgetMs: number | undefined;
  readonly missingValue: "interactive" | "warn";
  readonly terminal: "own" | "kept";
  readonly askValue?: AskValue;
  roots(workspace: string): readonly string[];
  log(message: string, cause?: unknown): void;
}

export class SessionPortsRoom {
  readonly #options: SessionPortsOptions;
  readonly #known = new Map<string, Promise<Partial<SessionPorts>>>();
  readonly #tasks: SessionTasks[] = [];
  readonly #terminals: ReachedTerminal[] = [];
  readonly #search = createSearch();
  readonly #changeSets: ChangeSets;

  constructor(options: SessionPortsOptions) {
    this.#options = options;
    const { sandbox } = options;
    this.#changeSets = {
      load: (id) => sandbox.load(id),
      commit: (id, callId) => sandbox.commit(sandbox.load(id), callId),
      discard: (id) => sandbox.discard(id),
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
    await Promise.all(this.#tasks.map(({ background }) => background.stopAll()));
    await Promise.all(this.#terminals.map((terminal) => terminal.close()));
  }

  async #make(session: SessionRecord): Promise<Partial<SessionPorts>> {
    const { store, vault, masker, processes, foregroundBudgetMs, missingValue, askValue, log } = this.#options;
    const tasks = new SessionTasks(store, session.id);
    this.#tasks.push(tasks);
    const terminal = reachTerminal(session, this.#options);
    this.#terminals.push(terminal);
    const place = { workspace: session.workspace, sessionId: session.id };
    return {
      search: this.#search,
      tasks,
      processes: processes.processes(tasks.background, foregroundBudgetMs, this.#options.roots(session.workspace)),
      changeSets: this.#changeSets,
      terminals: unlessConfined(terminal, processes),
      values: vault.values(place, { missing: missingValue, warn: (message) => log(message) }),
      valueRequests: createValueRequests({
        vault,
        place,
        mask: (text) => masker.mask(text),
        onWarning: (message) => log(message),
        onEvent: async (event) => {
          await store.appendEvents(session.id, [event]);
        },
        ...(askValue === undefined ? {} : { ask: askValue }),
      }),
    };
  }
}

/** Where a session's live terminal listens for a person who wants to look at it or take over. */
export function terminalSocket(home: string, sessionId: string): string {
  return join(home, "run", `${createHash("sha256").update(sessionId).digest("hex").slice(0, 16)}.sock`);
}

/** The session's terminal; what happens in it is told to the session of this process's call. */
function reachTerminal({ id, state }: SessionRecord, options: SessionPortsOptions): ReachedTerminal {
  const { env, askValue, home, log, store, masker, terminal } = options;
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
        store.appendEvents(id, [draft]).catch((error) => log("A waiting program could not be reported", error));
      },
      ...(askValue === undefined
        ? {}
        : {
            askSecret: async (question, signal) => {
              const reply = await askValue({ key: "password", reason: question, once: true }, signal);
              return reply.kind === "given" ? reply.value : undefined;
            },
          }),
    },
  });
}

/** Asked before anything is judged and before anything runs: where the config demands a sandbox there is no terminal at all. */
function unlessConfined(terminal: Terminals, processes: ProcessRoom): Terminals {
  const demand = () => processes.demandNoSandbox("The terminal");
  return {
    peek: async () => {
      demand();
      return terminal.peek();
    },
    run: async (command, options) => {
      demand();
      return terminal.run(command, options);
    },
    input: async (text, options) => {
      demand();
      return terminal.input(text, options);
    },
    screen: async () => {
      demand();
      return terminal.screen();
    },
  };
}
