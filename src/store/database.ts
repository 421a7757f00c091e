/**
 * One connection to the state database: cached statements, transactions, waiting for other
 * processes without stopping this one, and the news that something was committed.
 *
 * Durable and relaxed transactions share the connection; `synchronous` is switched between them.
 * In WAL mode both survive the death of the process, and a durable one also syncs everything
 * committed before it. Work that may wait joins the next transaction of any kind, in the order it
 * came, and every read comes after it: nobody on this connection can tell that it waited.
 * Refuses every operation after damage was seen or after `close`.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { failureOf, isBusy, isDamage, readOnlyFailure, storeFailure } from "./failures.ts";
import { releaseAfter } from "./lingering.ts";

export type Parameter = string | number | null | Uint8Array;

/** A lock is waited for this long in all; each try inside SQLite blocks for `busyTimeoutMs` at most. */
const patienceMs = 30_000;
const pollMs = 20;

/** How far work that may wait is behind at most: in time, and in what is held in memory for it. */
const maxWaitMs = 20;
const maxWaiting = 256;
const maxWaitingSize = 4 << 20;

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface DatabaseOptions {
  readonly connection: DatabaseSyncInstance;
  readonly directory: string;
  readonly readOnly?: boolean;
  /** Called once, with what SQLite said, when an operation met damaged pages. */
  onDamage(reason: string): void;
  /** Called when nothing of the connection remains: others may set the file aside from now on. */
  onClose(): void;
}

/** Databases with work that waits: a process that ends without closing them still gets it down. */
const unfinished = new Set<{ flushAtExit(): void }>();
let watching = false;

function finishAtExit(database: { flushAtExit(): void }): void {
  unfinished.add(database);
  if (watching) return;
  watching = true;
  process.on("exit", () => {
    for (const each of unfinished) each.flushAtExit();
  });
}

export class Database {
  readonly #options: DatabaseOptions;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #lists = new Map<string, StatementSyncInstance>();
  readonly #memory = new Map<string, unknown>();
  readonly #endings = new Map<string, () => void>();
  readonly #waiters = new Set<() => void>();
  #connection: DatabaseSyncInstance | undefined;
  #syncing = false;
  #damage: unknown;
  #poll: NodeJS.Timeout | undefined;
  #version = 0;
  #waiting: Waiting[] = [];
  #waitingSize = 0;
  #flushTimer: NodeJS.Timeout | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#connection = options.connection;
  }

  get readOnly(): boolean {
    return this.#options.readOnly ?? false;
  }

  /** Number of rows changed. Only inside `write`. */
  run(sql: string, ...parameters: Parameter[]): number {
    return this.#statement(sql).run(...parameters).changes;
  }

  one<Row>(sql: string, ...parameters: Parameter[]): Row | undefined {
    return this.#statement(sql).get(...parameters) as Row | undefined;
  }

  /** The first row as a list of its columns: what the steps of every call use, for it costs a third less. */
  columns<Row extends readonly unknown[]>(sql: string, ...parameters: Parameter[]): Row | undefined {
    let statement = this.#lists.get(sql);
    if (statement === undefined) {
      statement = this.#open().prepare(sql, { returnArrays: true });
      this.#lists.set(sql, statement);
    }
    return statement.get(...parameters) as Row | undefined;
  }

  /** What one transaction keeps asking for, looked up once in it. Forgotten when it ends. */
  remembered<T>(key: string, look: () => T): T {
    if (!this.#memory.has(key)) this.#memory.set(key, look());
    return this.#memory.get(key) as T;
  }

  remember(key: string, value: unknown): void {
    this.#memory.set(key, value);
  }

  /** Written once, at the end of the transaction, however often it changes in it. */
  atEnd(key: string, work: () => void): void {
    this.#endings.set(key, work);
  }

  all<Row>(sql: string, ...parameters: Parameter[]): Row[] {
    return this.#statement(sql).all(...parameters) as Row[];
  }

  /** Outside a transaction, for pragmas. */
  exec(sql: string): void {
    this.#open().exec(sql);
  }

  /** One snapshot, so that several statements agree. */
  read<T>(work: () => T): Promise<T> {
    return this.#patiently(() => {
      this.#flush();
      return this.#inTransaction("BEGIN", work);
    });
  }

  /** For one statement: the cheaper read. */
  query<T>(work: () => T): Promise<T> {
    return this.#patiently(() => {
      this.#flush();
      return work();
    });
  }

  /** All of `work` or nothing; the write lock is taken first, so that what `work` reads still holds when it writes. */
  write<T>(durable: boolean, work: () => T): Promise<T> {
    return this.#patiently(() => this.#commit(durable, work));
  }

  /** A relaxed write that may wait a moment for company. `size` is about what it holds in memory meanwhile. */
  writeSoon<T>(work: () => T, size: number): Promise<T> {
    if (this.readOnly) return Promise.reject(readOnlyFailure(this.#options.directory));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#waitingSize += size;
      finishAtExit(this);
      if (this.#waiting.length >= maxWaiting || this.#waitingSize >= maxWaitingSize) this.#flushNow();
      else this.#flushTimer ??= setTimeout(() => this.#flushNow(), maxWaitMs);
    });
  }

  /** Resolves at the next commit by anybody, counted from the moment of this call. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#connection === undefined) return resolve();
      const done = (): void => {
        signal.removeEventListener("abort", done);
        this.#waiters.delete(done);
        if (this.#waiters.size === 0) this.#stopPolling();
        resolve();
      };
      this.#waiters.add(done);
      signal.addEventListener("abort", done);
      if (this.#poll === undefined) this.#startPolling();
    });
  }

  /** Moves with the commits of other connections only, and asks for no lock. 0 if it cannot be told. */
  othersVersion(): number {
    try {
      return this.#dataVersion();
    } catch {
      return 0;
    }
  }

  close(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#connection = undefined;
    const left = this.#waiting;
    this.#forgetWaiting();
    for (const { reject } of left)
      reject(storeFailure("store_closed", "Karyi's state was closed before this was recorded.", "Open it again."));
    const statements = this.#forgetStatements();
    this.#stopPolling();
    this.#wake();
    try {
      connection.close();
    } finally {
      releaseAfter(connection, statements, this.#options.onClose);
    }
  }

  #commit<T>(durable: boolean, work: () => T): T {
    const first = this.#waiting;
    if (first.length === 0) return this.#commitAlone(durable, work);
    this.#forgetWaiting();
    let joined: { readonly values: unknown[]; readonly value: T };
    try {
      joined = this.#commitAlone(durable, () => ({ values: first.map((waiting) => waiting.work()), value: work() }));
    } catch (error) {
      if (isBusy(error)) {
        this.#waiting = first;
        throw error;
      }
      // One of them cannot be done. Each by itself, so that it takes no other down.
      for (const waiting of first) this.#settleAlone(waiting);
      return this.#commitAlone(durable, work);
    }
    first.forEach((waiting, index) => {
      waiting.resolve(joined.values[index] as never);
    });
    return joined.value;
  }

  #commitAlone<T>(durable: boolean, work: () => T): T {
    if (this.#syncing !== durable) {
      // Not a cached statement: SQLite applies this pragma when it compiles it.
      this.#open().exec(durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
      this.#syncing = durable;
    }
    const value = this.#inTransaction("BEGIN IMMEDIATE", work);
    this.#wake();
    return value;
  }

  #settleAlone({ work, resolve, reject }: Waiting): void {
    try {
      resolve(this.#commitAlone(false, work) as never);
    } catch (error) {
      reject(failureOf(error, this.#options.directory));
    }
  }

  #flush(): void {
    if (this.#waiting.length > 0) this.#commit(false, () => {});
  }

  #flushNow(): void {
    const waiting = this.#waiting;
    this.#patiently(() => this.#flush()).catch((error: unknown) => {
      for (const { reject } of waiting) reject(error);
    });
  }

  /** The last moment: whoever is in the way is not waited for. */
  flushAtExit(): void {
    try {
      this.#flush();
    } catch {
      // Nobody is left to tell.
    }
  }

  #forgetWaiting(): void {
    unfinished.delete(this);
    this.#waiting = [];
    this.#waitingSize = 0;
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
  }

  async #patiently<T>(work: () => T): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return work();
      } catch (error) {
        if (isDamage(error)) this.#noteDamage(error);
        if (!isBusy(error) || Date.now() > deadline) throw failureOf(error, this.#options.directory);
      }
      // Apart from each other, so that two processes do not keep meeting.
      await delay(1 + Math.random() * Math.min(attempt * 4, 50));
    }
  }

  #inTransaction<T>(begin: string, work: () => T): T {
    const connection = this.#open();
    this.#statement(begin).run();
    try {
      const value = work();
      for (const ending of this.#endings.values()) ending();
      this.#statement("COMMIT").run();
      return value;
    } catch (error) {
      // SQLite has rolled back by itself after some errors (a full disk).
      if (connection.isTransaction) connection.exec("ROLLBACK");
      throw error;
    } finally {
      this.#memory.clear();
      this.#endings.clear();
    }
  }

  #statement(sql: string): StatementSyncInstance {
    if (this.#damage !== undefined) throw failureOf(this.#damage, this.#options.directory);
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#open().prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #forgetStatements(): readonly object[] {
    const statements = [...this.#statements.values(), ...this.#lists.values()];
    this.#statements.clear();
    this.#lists.clear();
    return statements;
  }

  #open(): DatabaseSyncInstance {
    if (this.#connection === undefined) throw storeFailure("store_closed", "Karyi's state is closed.", "Open it again before using it.");
    return this.#connection;
  }

  #noteDamage(error: unknown): void {
    if (this.#damage !== undefined) return;
    this.#damage = error;
    this.#wake();
    this.#options.onDamage(error instanceof Error ? error.message : String(error));
  }

  #wake(): void {
    if (this.#waiters.size === 0) return;
    for (const waiter of [...this.#waiters]) waiter();
  }

  #dataVersion(): number {
    return this.one<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
  }

  /** `data_version` moves with the commits of other connections only, so this never sees its own. */
  #startPolling(): void {
    try {
      this.#version = this.#dataVersion();
    } catch {
      // Whoever waits looks again and meets the error where it can be reported.
      this.#wake();
      return;
    }
    this.#poll = setInterval(() => {
      try {
        if (this.#dataVersion() !== this.#version) this.#wake();
      } catch (error) {
        if (!isBusy(error)) this.#wake();
      }
    }, pollMs);
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }
}
