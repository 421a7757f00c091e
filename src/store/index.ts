/** Durable state on SQLite: sessions, calls, events, approvals, locks, outputs and the audit chain of one home. */
export { openStore } from "./sqlite-store.ts";
