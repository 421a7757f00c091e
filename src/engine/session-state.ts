/**
 * What one session remembers while it is open: working directory, exported variables, files read,
 * activated tools. Changes made by a call are collected and written in the transaction that settles it.
 */
import type { FileMemory, Fingerprint, MutableSession, SessionPatch, SessionRecord, SessionState } from "../contract/index.ts";

export class OpenSessionState {
  readonly record: SessionRecord;
  #state: SessionState;
  readonly #seen: Map<string, Fingerprint>;

  constructor(record: SessionRecord, seen: ReadonlyMap<string, Fingerprint>) {
    this.record = record;
    this.#state = record.state;
    this.#seen = new Map(seen);
  }

  get state(): SessionState {
    return this.#state;
  }

  apply(patch: SessionPatch): void {
    if (patch.state) this.#state = { ...this.#state, ...patch.state };
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
  #touched = false;

  constructor(open: OpenSessionState) {
    this.#open = open;
  }

  get(path: string): Fingerprint | undefined {
    if (Object.hasOwn(this.#seen, path)) return this.#seen[path] ?? undefined;
    return this.#open.seen(path);
  }

  remember(path: string, fingerprint: Fingerprint): void {
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
    const collect = (change: Partial<SessionState>) => {
      this.#state = { ...this.#state, ...change };
      this.#touched = true;
    };
    const current = () => ({ ...this.#open.state, ...this.#state });
    return {
      id: record.id,
      workspace: record.workspace,
      roots,
      userHome,
      get cwd() {
        return current().cwd;
      },
      get env() {
        return current().env;
      },
      setCwd: (cwd) => collect({ cwd }),
      setEnv: (env) => collect({ env }),
    };
  }

  /** What the call changed, or nothing. */
  patch(): SessionPatch | undefined {
    if (!this.#touched) return undefined;
    return Object.keys(this.#state).length === 0 ? { seen: this.#seen } : { state: this.#state, seen: this.#seen };
  }
}
