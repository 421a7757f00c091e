/** The ports of each session, made once and kept while the engine lives: search, processes, tasks, terminal, values. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ChangeSets, Masker, SessionRecord, Store, Terminals } from "../contract/index.ts";
import type { SessionPorts } from "../engine/index.ts";
import {
  createSearch,
  createTerminal,
  type ProcessRoom,
  type Sandbox,
  type SessionTerminal,
  serveTerminal,
  terminalEnvironment,
} from "../host/index.ts";
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
  readonly askValue?: AskValue;
  roots(workspace: string): readonly string[];
  log(message: string, cause?: unknown): void;
}

export class SessionPortsRoom {
  readonly #options: SessionPortsOptions;
  readonly #known = new Map<string, Promise<Partial<SessionPorts>>>();
  readonly #tasks: SessionTasks[] = [];
  readonly #terminals: LazyTerminal[] = [];
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

  /** Background commands and terminals die with the engine. */
  async close(): Promise<void> {
    await Promise.all(this.#tasks.map(({ background }) => background.stopAll()));
    await Promise.all(this.#terminals.map((terminal) => terminal.close()));
  }

  async #make(session: SessionRecord): Promise<Partial<SessionPorts>> {
    const { store, vault, masker, processes, foregroundBudgetMs, missingValue, askValue, log } = this.#options;
    const tasks = new SessionTasks(store, session.id);
    this.#tasks.push(tasks);
    const terminal = new LazyTerminal(session, this.#options);
    this.#terminals.push(terminal);
    const place = { workspace: session.workspace, sessionId: session.id };
    return {
      search: this.#search,
      tasks,
      processes: processes.processes(tasks.background, foregroundBudgetMs, this.#options.roots(session.workspace)),
      changeSets: this.#changeSets,
      terminals: terminal,
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

/** The session's terminal, started by its first use. */
class LazyTerminal implements Terminals {
  readonly #session: SessionRecord;
  readonly #options: SessionPortsOptions;
  #terminal: SessionTerminal | undefined;
  #served: Promise<Awaited<ReturnType<typeof serveTerminal>> | undefined> | undefined;

  constructor(session: SessionRecord, options: SessionPortsOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Asked before anything is judged: where the config demands a sandbox there is no terminal at all. */
  peek: Terminals["peek"] = async () => {
    this.#options.processes.demandNoSandbox("The terminal");
    return this.#terminal?.peek() ?? { state: "absent" };
  };
  run: Terminals["run"] = async (command, options) => (await this.#started()).run(command, options);
  input: Terminals["input"] = async (text, options) => (await this.#started()).input(text, options);
  screen: Terminals["screen"] = async () => (await this.#started()).screen();

  async close(): Promise<void> {
    await (await this.#served)?.close();
    this.#terminal?.close();
  }

  async #started(): Promise<SessionTerminal> {
    if (this.#terminal) return this.#terminal;
    const { env, askValue, home, log, store, masker, processes } = this.#options;
    processes.demandNoSandbox("The terminal");
    const { id, state } = this.#session;
    const terminal = createTerminal({
      cwd: state.cwd,
      env: terminalEnvironment(env, state.env),
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
              const reply = await askValue({ key: "password", reason: question }, signal);
              return reply.kind === "given" ? reply.value : undefined;
            },
          }),
    });
    this.#terminal = terminal;
    this.#served = serveTerminal(terminal, terminalSocket(home, id)).catch((error) => {
      log("The terminal cannot be attached to", error);
      return undefined;
    });
    await this.#served;
    return terminal;
  }
}
