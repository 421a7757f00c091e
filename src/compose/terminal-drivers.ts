/**
 * Who drives the terminal of a session. While a person does, calls of the agent wait, in every process of the home; one
 * that has waited too long is refused with the reason, so that the model can do something else meanwhile.
 */
import { ToolFailure } from "../contract/index.ts";

/** Shorter than a plan may take. */
const patienceMs = 30_000;
/** How often another process looks whether the terminal was given back. */
const lookMs = 200;

/** Drivers as other processes of the home see them. */
interface Notes {
  write(sessionId: string, person: string): void;
  remove(sessionId: string): void;
  driverOf(sessionId: string): string | undefined;
}

interface Drive {
  readonly person: string;
  readonly ended: Promise<void>;
  end(): void;
}

export class TerminalDrivers {
  readonly #drives = new Map<string, Drive>();
  readonly #notes: Notes;
  readonly #patienceMs: number;

  constructor(notes: Notes, waitMs = patienceMs) {
    this.#notes = notes;
    this.#patienceMs = waitMs;
  }

  /** `undefined`: the terminal is given back to the agent. */
  set(sessionId: string, person: string | undefined): void {
    const before = this.#drives.get(sessionId);
    if (before?.person === person) return;
    if (person === undefined) {
      this.#drives.delete(sessionId);
      this.#notes.remove(sessionId);
    } else {
      this.#notes.write(sessionId, person);
      const { promise, resolve } = ending();
      this.#drives.set(sessionId, { person, ended: promise, end: resolve });
    }
    before?.end();
  }

  /** Throws a ToolFailure if the terminal is not given back in time. */
  async givenBack(sessionId: string, signal?: AbortSignal): Promise<void> {
    const until = performance.now() + this.#patienceMs;
    for (;;) {
      const here = this.#drives.get(sessionId);
      const person = here?.person ?? this.#notes.driverOf(sessionId);
      if (person === undefined) return;
      signal?.throwIfAborted();
      const left = until - performance.now();
      if (left <= 0) throw driven(person);
      await (here === undefined ? atMost(never, Math.min(left, lookMs), signal) : atMost(here.ended, left, signal));
    }
  }
}

const never = new Promise<void>(() => {});

function driven(person: string): ToolFailure {
  return new ToolFailure("tool_conflict", `A person (${person}) drives the terminal now; nothing was typed.`, {
    hint: "Go on with other tools, or try again when the terminal was given back.",
    details: { reason: "person_drives", person },
  });
}

function ending(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function atMost(what: Promise<void>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    void what.then(done);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
