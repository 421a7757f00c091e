/**
 * Memory of one open session: working directory, exported variables, files read, activated tools. An engine holds one
 * `OpenSessionState` a session, however many handles there are, and reads it again if another process changed it.
 * Changes made by a call are collected and written in the transaction that settles it.
 */

import type { FileMemory, Fingerprint, MutableSession, SessionPatch, SessionRecord, SessionState } from "../contract/index.ts";
import { changedEnv, type Store } from "../contract/index.ts";

/** The part of the store that a session's memory lives in. */
type MemoryStore = Pick<Store, "session" | "seenFiles" | "othersVersion">;

/** Fills in what the store keeps by name only. */
type OpenEnv = (env: SessionState["env"]) => Promise<SessionState["env"]>;

export class OpenSessionState {
  readonly record: SessionRecord;
  readonly #store: MemoryStore;
  readonly #openEnv: OpenEnv;
  #state: SessionState;
  #seen: Map<string, Fingerprint>;
  /** Variables that may not lie on a disk; they live as long as this process. */
  readonly #unwritten = new Map<string, string>();
  #othersVersion: number;
  #reading: Promise<void> | undefined;

  private constructor(record: SessionRecord, store: MemoryStore, openEnv: OpenEnv) {
    this.record = record;
    this.#store = store;
    this.#openEnv = openEnv;
    this.#state = record.state;
    this.#seen = new Map();
    this.#othersVersion = -1;
  }

  static async open(record: SessionRecord, store: MemoryStore, openEnv: OpenEnv): Promise<OpenSessionState> {
    const state = new OpenSessionState(record, store, openEnv);
    await state.follow();
    return state;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Reads the session again if another process has committed anything since the last look; true if it did. */
  async follow(): Promise<boolean> {
    const version = this.#store.othersVersion();
    const isOld = version !== this.#othersVersion;
    this.#othersVersion = version;
    if (isOld) this.#reading = this.#read();
    await this.#reading;
    return isOld;
  }

  async #read(): Promise<void> {
    const [record, seen] = await Promise.all([this.#store.session(this.record.id), this.#store.seenFiles(this.record.id)]);
    const state = record?.state ?? this.#state;
    const env = { ...(await this.#openEnv(state.env)), ...Object.fromEntries(this.#unwritten) };
    this.#state = { ...state, env };
    this.#seen = new Map(seen);
  }

  /** `kept` is the same patch as it lies on disk. */
  apply(patch: SessionPatch, kept: SessionPatch = patch): void {
    if (patch.state) this.#state = { ...this.#state, ...patch.state };
    if (patch.env) this.#state = { ...this.#state, env: changedEnv(this.#state.env, patch.env) };
    for (const [name, value] of Object.entries(patch.env ?? {})) {
      if (value !== null && kept.env?.[name] === null) this.#unwritten.set(name, value);
      else this.#unwritten.delete(name);
    }
    for (const [path, fingerprint] of Object.entries(patch.seen ?? {})) {
      if (fingerprint) this.#seen.set(path, fingerprint);
      else this.#seen.delete(path);
    }
  }

  seen(path: string): Fingerprint | undefined {
    return this.#seen.get(path);
  }
}

/** The session as one call sees it: reads what is settled, collects what the call changes. */
export class CallMemory implements FileMemory {
  readonly #open: OpenSessionState;
  readonly #seen: Record<string, Fingerprint | null> = {};
  #state: Partial<SessionState> = {};
  #env: Readonly<Record<string, string | null>> = {};
  #touched = false;

  constructor(open: OpenSessionState) {
    this.#open = open;
  }

  get(path: string): Fingerprint | undefined {
    if (Object.hasOwn(this.#seen, path)) return this.#seen[path] ?? undefined;
    return this.#open.seen(path);
  }

  remember(path: string, fingerprint: Fingerprint): void {
    // What the session knows already need not be written again.
    if (isSame(this.get(path), fingerprint)) return;
    this.#seen[path] = fingerprint;
    this.#touched = true;
  }

  forget(path: string): void {
    this.#seen[path] = null;
    this.#touched = true;
  }

  /** The mutable view for `run`. */
  session(roots: readonly string[], userHome: string): MutableSession {
    const { record } = this.#open;
    const memory = this;
    const collect = (change: Partial<SessionState>) => {
      this.#state = { ...this.#state, ...change };
      this.#touched = true;
    };
    const begunWith = this.#open.state.env;
    const current = () => ({ ...this.#open.state, ...this.#state });
    // Only the difference is the call's: another call may have exported something meanwhile.
    const collectEnv = (env: SessionState["env"]) => {
      const changed = Object.entries(env).filter(([name, value]) => begunWith[name] !== value);
      const removed = Object.keys(begunWith).flatMap((name): [string, null][] => (Object.hasOwn(env, name) ? [] : [[name, null]]));
      this.#env = Object.fromEntries([...changed, ...removed]);
      this.#touched = true;
    };
    return {
      id: record.id,
      workspace: record.workspace,
      roots,
      userHome,
      get cwd() {
        return current().cwd;
      },
      get env() {
        return changedEnv(current().env, memory.#env);
      },
      setCwd: (cwd) => collect({ cwd }),
      setEnv: collectEnv,
    };
  }

  /** What the call changed, or nothing. */
  patch(): SessionPatch | undefined {
    if (!this.#touched) return undefined;
    return {
      ...(Object.keys(this.#state).length === 0 ? {} : { state: this.#state }),
      ...(Object.keys(this.#env).length === 0 ? {} : { env: this.#env }),
      seen: this.#seen,
    };
  }
}

function isSame(known: Fingerprint | undefined, { size, mtimeMs, hash }: Fingerprint): boolean {
  return known?.size === size && known.mtimeMs === mtimeMs && known.hash === hash;
}
