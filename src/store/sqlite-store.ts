/**
 * The store on SQLite: one file in the home, every operation one transaction. Owns what may be said
 * about durability; the subjects beside it own their tables.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Owner, Store } from "../contract/index.ts";
import { answerApproval, findApproval, listApprovals } from "./approvals.ts";
import { appendAudit, readAudit, verifyAudit } from "./audit.ts";
import { findCall, listCalls, readJournal, usedBlobs } from "./call-records.ts";
import { adoptOrphans, appendJournal, requestApproval, settleCall, startCall } from "./calls.ts";
import type { StoreContext } from "./context.ts";
import { insertEvents, readEvents } from "./events.ts";
import { collect } from "./gc.ts";
import { dropLocks, takeLocks } from "./locks.ts";
import { LongOutputs } from "./long-outputs.ts";
import { fileName, openDatabase } from "./opening.ts";
import { defaultOutputQuotaBytes, readOutput, StoredOutput } from "./outputs.ts";
import { registerOwner, unregisterOwner } from "./owners.ts";
import { applyPatch, findSession, listSessions, openSession, seenFiles, unknownSession } from "./sessions.ts";
import { listTasks, saveTask } from "./tasks.ts";

export interface StoreOptions {
  /** Private to Karyi; created where it is missing. */
  readonly directory: string;
  readonly owner: Owner;
  /** Whether that process still runs, the same start of it. */
  isAlive(owner: Owner): boolean;
  now?(): number;
  /** Said to the person: what was damaged and where it is now. */
  onDamage?(message: string): void;
  /** Of one output; above it the middle is dropped and counted. */
  readonly outputQuotaBytes?: number;
}

/** What the next process would have to read through before it can begin. */
const longLogBytes = 1024 * 1024;

export async function openStore(options: StoreOptions): Promise<Store> {
  const now = options.now ?? Date.now;
  const database = await openDatabase({ directory: options.directory, now, onDamage: options.onDamage ?? (() => {}) });
  const { owner } = options;
  const longOutputs = new LongOutputs(options.directory);
  const context: StoreContext = {
    database,
    directory: options.directory,
    longOutputs,
    owner,
    now,
    isAlive: (other) => options.isAlive(other),
  };
  const quota = options.outputQuotaBytes ?? defaultOutputQuotaBytes;
  /** Calls that took locks here, so that settling any other one need not look. */
  const locking = new Set<string>();
  try {
    await registerOwner(context);
  } catch (error) {
    database.close();
    throw error;
  }
  /** Calls that run here, and whether any before-image was written for them: most have none to look for. */
  const journaled = new Map<string, boolean>();
  /** Known to exist: sessions are never removed. */
  const sessions = new Set<string>();
  let closing: Promise<void> | undefined;

  function commit<T>({ durable, soon }: { durable: boolean; soon?: boolean }, size: number, work: () => T): Promise<T> {
    return soon === true && !durable ? database.writeSoon(work, size) : database.write(durable, work);
  }

  return {
    owner,

    openSession: (key, workspace, initial) => openSession(context, key, workspace, initial),
    session: (id) => database.query(() => findSession(database, id)),
    listSessions: () => database.query(() => listSessions(database)),
    patchSession: (id, patch) => database.write(true, () => applyPatch(database, id, patch)),
    seenFiles: (sessionId) => database.query(() => seenFiles(database, sessionId)),

    startCall(start) {
      if (!journaled.has(start.call.id)) journaled.set(start.call.id, start.journal.length > 0);
      return database.write(start.durable, () => startCall(context, start));
    },
    startCallSoon(callId, make) {
      journaled.set(callId, false);
      return database.writeSoon(() => {
        const started = startCall(context, { ...make(), journal: [], durable: false });
        return started.kind === "started" ? started.events : [];
      }, 0);
    },
    async settleCall(settlement) {
      const { callId } = settlement;
      const events = await commit(settlement, settlement.result.output.length, () => {
        if (locking.has(callId)) dropLocks(context, callId);
        return settleCall(context, settlement);
      });
      locking.delete(callId);
      journaled.delete(callId);
      return events;
    },
    call: (id) => database.query(() => findCall(context, id)),
    listCalls: (filter) => database.query(() => listCalls(context, filter)),
    journal: async (callId) => (journaled.get(callId) === false ? [] : database.query(() => readJournal(database, callId))),
    appendJournal(callId, entries) {
      journaled.delete(callId);
      return database.write(true, () => appendJournal(database, callId, entries));
    },
    adoptOrphans: () => adoptOrphans(context),

    appendEvents: (sessionId, events, soon = false) =>
      commit({ durable: false, soon }, 0, () => insertEvents(database, sessionId, events, now())),
    readEvents: (sessionId, after, limit) => database.query(() => readEvents(database, sessionId, after, limit)),

    requestApproval: (draft) => database.write(true, () => requestApproval(context, draft)),
    answerApproval: (answer) => database.write(true, () => answerApproval(database, answer, now())),
    approval: (id) => database.query(() => findApproval(database, id, now())),
    listApprovals: (filter) => database.query(() => listApprovals(database, filter, now())),

    async acquireLocks(callId, paths) {
      if (paths.length === 0) return undefined;
      const holder = await database.write(false, () => takeLocks(context, callId, paths));
      if (holder === undefined) locking.add(callId);
      return holder;
    },
    async releaseLocks(callId) {
      if (!locking.has(callId)) return;
      await database.write(false, () => dropLocks(context, callId));
      locking.delete(callId);
    },

    async createOutput(sessionId) {
      if (!sessions.has(sessionId)) {
        if ((await database.query(() => findSession(database, sessionId))) === undefined) throw unknownSession(sessionId);
        sessions.add(sessionId);
      }
      return new StoredOutput(context, sessionId, quota);
    },
    readOutput: (sessionId, ref, offset, limit) => readOutput(context, sessionId, ref, offset, limit),

    saveTask: (sessionId, task) => database.write(false, () => saveTask(context, sessionId, task)),
    tasks: (sessionId) => database.query(() => listTasks(context, sessionId)),

    audit: (rows) =>
      database.write(true, () => {
        for (const row of rows) appendAudit(database, now(), row.sessionId, row.kind, row.body);
      }),
    readAudit: (after, limit) => database.read(() => readAudit(database, after, limit)),
    verifyAudit: () => verifyAudit(database),

    changed: (signal) => database.changed(signal),

    usedBlobs: () => database.query(() => usedBlobs(database)),
    gc: (request) => collect(context, request),
    close() {
      // Where even this cannot be written, the next process finds the owner dead.
      closing ??= unregisterOwner(context)
        .then(() => shortenLog(context, options.directory))
        .catch(() => {})
        .then(() => {
          database.close();
          longOutputs.close();
        });
      return closing;
    },
  };
}

async function shortenLog({ database }: StoreContext, directory: string): Promise<void> {
  const log = statSync(join(directory, `${fileName}-wal`), { throwIfNoEntry: false });
  if (log !== undefined && log.size > longLogBytes) await database.query(() => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
}
