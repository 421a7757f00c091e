/** What every subject of the store works with. */
import type { Owner } from "../contract/index.ts";
import type { Database } from "./database.ts";
import type { LongOutputs } from "./long-outputs.ts";

export interface StoreContext {
  readonly database: Database;
  /** The home: long texts lie beside the database. */
  readonly directory: string;
  readonly longOutputs: LongOutputs;
  readonly owner: Owner;
  /** Of this owner; absent if others know by its pid whether it lives. */
  readonly leaseMs?: number | undefined;
  isAlive(owner: Owner): boolean;
  /** Alive, but it does not go on until somebody lets it. */
  isStopped(owner: Owner): boolean;
  now(): number;
}
