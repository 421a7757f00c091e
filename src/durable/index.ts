/** Runs that survive a crash, embedded over the store. */
export { createEmbeddedDurable } from "./embedded.ts";
