/**
 * The store on SQLite: one file in the home, every operation one transaction. Owns what may be said
 * about durability; the subjects beside it own their tables.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { StoreOpener } from "../contract/index.ts";
import { answerApproval, findApproval, listApprovals, renewApproval } from "./approvals.ts";
import { artifactVersions, findArtifact, listArtifacts, saveArtifact } from "./artifacts.ts";
import { appendAudit, auditRows, readAudit, verifyAudit } from "./audit.ts";
import { findCall, journalParts, journalPaths, listCalls, readJournal, usedBlobs } from "./call-records.ts";
import { adoptOrphans, appendJournal, leaveWaiting, orphanWorkspaces, requestApproval, settleCall, startCall } from "./calls.ts";
import type { StoreContext } from "./context.ts";
import { insertEvents, readEvents } from "./events.ts";
import { collect } from "./gc.ts";
import { dropLocks, takeLocks } from "./locks.ts";
import { LongOutputs } from "./long-outputs.ts";
import { fileName, openDatabase } from "./opening.ts";
import { defaultOutputQuotaBytes, readOutput, StoredOutput } from "./outputs.ts";
import { registerOwner, renewLease, unregisterOwner } from "./owners.ts";
import { runStore } from "./runs.ts";
import { deleteSession, eventHeads, forkSession, glanceAt, readEventsBefore, sessionsOf } from "./session-shelf.ts";
import { applyPatch, findSession, findSessionByKey, listSessions, openSession, seenFiles, unknownSession } from "./sessions.ts";
import { listTasks, saveTask } from "./tasks.ts";

/** What the next process would have to read through before it can begin. */
const longLogBytes = 1024 * 1024;

export const openStore: StoreOpener = async (options) => {
  const now = options.now ?? Date.now;
  const database = await openDatabase({ directory: options.directory, now, onDamage: options.onDamage ?? (() => {}) });
  const { owner } = options;
  const longOutputs = new LongOutputs(options.directory);
  const context: StoreContext = {
    database,
    directory: options.directory,
    longOutputs,
    owner,
    leaseMs: options.leaseMs,
    now,
    isAlive: (other) => options.isAlive(other),
    isStopped: (other) => options.isStopped?.(other) ?? false,
  };
  const quota = options.outputQuotaBytes ?? defaultOutputQuotaBytes;
  /** Calls that took locks here, so that settling any other one need not look. */
  const locking = new Set<string>();
  try {
    if (!database.readOnly) await registerOwner(context);
  } catch (error) {
    database.close();
    throw error;
  }
  // A renewal that fails is made again; a store that cannot be written loses its lease like one that died.
  const renewing =
    options.leaseMs === undefined || database.readOnly
      ? undefined
      : setInterval(() => renewLease(context).catch(() => {}), options.leaseMs / 3).unref();
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
    readOnly: database.readOnly,

    openSession: (key, workspace, initial) => openSession(context, key, workspace, initial),
    session: (id) => database.query(() => findSession(database, id)),
    listSessions: () => database.query(() => listSessions(database)),
    patchSession: (id, patch) => database.write(true, () => applyPatch(database, id, patch)),
    sessionsOf: (owner) => database.query(() => sessionsOf(database, owner)),
    sessionByKey: (key) => database.query(() => findSessionByKey(database, key)),
    glanceAt: (ids) => database.query(() => glanceAt(database, ids)),
    eventHeads: (ids) => database.query(() => eventHeads(database, ids)),
    readEventsBefore: (sessionId, before, limit) => database.query(() => readEventsBefore(database, sessionId, before, limit)),
    forkSession: (sessionId, key) => database.write(true, () => forkSession(context, sessionId, key)),
    deleteSession: (sessionId) => deleteSession(context, sessionId),
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
    async *journalParts(callId, order = "forwards") {
      if (journaled.get(callId) !== false) yield* journalParts(database, callId, order);
    },
    journalPaths: async (callId) => (journaled.get(callId) === false ? [] : database.query(() => journalPaths(database, callId))),
    appendJournal(callId, entries) {
      journaled.delete(callId);
      return database.write(true, () => appendJournal(database, callId, entries));
    },
    leaveWaiting: (callId) => database.write(true, () => leaveWaiting(context, callId)),
    adoptOrphans: (workspace) => adoptOrphans(context, workspace),
    orphanWorkspaces: () => database.query(() => orphanWorkspaces(context)),

    appendEvents: (sessionId, events, soon = false) =>
      commit({ durable: false, soon }, 0, () => insertEvents(database, sessionId, events, now())),
    readEvents: (sessionId, after, limit) => database.query(() => readEvents(database, sessionId, after, limit)),

    requestApproval: (draft) => database.write(true, () => requestApproval(context, draft)),
    renewApproval: (renewed) => database.write(true, () => renewApproval(database, renewed, now())),
    answerApproval: (answer) => database.write(true, () => answerApproval(database, answer, now())),
    approval: (id) => database.query(() => findApproval(database, id, now())),
    listApprovals: (filter) => database.query(() => listApprovals(database, filter, now())),

    async acquireLocks(callId, paths, steal) {
      if (paths.length === 0) return undefined;
      const holder = await database.write(false, () => takeLocks(context, callId, paths, steal));
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

    runs: runStore(context),

    saveTask: (sessionId, task) => database.write(false, () => saveTask(context, sessionId, task)),
    tasks: (sessionId) => database.query(() => listTasks(context, sessionId)),

    saveArtifact: (sessionId, draft) => database.write(true, () => saveArtifact(context, sessionId, draft)),
    artifacts: (sessionId) => database.query(() => listArtifacts(database, sessionId)),
    artifact: (sessionId, id, version) => database.query(() => findArtifact(database, sessionId, id, version)),
    artifactVersions: (sessionId, id) => database.query(() => artifactVersions(database, sessionId, id)),

    audit: (rows) =>
      database.write(true, () => {
        for (const row of rows) appendAudit(database, now(), row.sessionId, row.kind, row.body);
      }),
    readAudit: (after, limit) => database.read(() => readAudit(database, after, limit)),
    auditRows: () => database.read(() => auditRows(database)),
    verifyAudit: () => verifyAudit(database),

    othersVersion: () => database.othersVersion(),
    changed: (signal) => database.changed(signal),

    usedBlobs: () => database.query(() => usedBlobs(database)),
    gc: (request) => collect(context, request),
    close() {
      clearInterval(renewing);
      // Where even this cannot be written, the next process finds the owner dead.
      closing ??= (database.readOnly ? Promise.resolve() : unregisterOwner(context).then(() => shortenLog(context, options.directory)))
        .catch(() => {})
        .then(() => {
          database.close();
          longOutputs.close();
        });
      return closing;
    },
  };
};

async function shortenLog({ database }: StoreContext, directory: string): Promise<void> {
  const log = statSync(join(directory, `${fileName}-wal`), { throwIfNoEntry: false });
  if (log !== undefined && log.size > longLogBytes) await database.query(() => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
}
