/** What every subject of the store works with. */
import type { Owner } from "../contract/index.ts";
import type { Database } from "./database.ts";

export interface StoreContext {
  readonly database: Database;
  /** The home: long texts lie beside the database. */
  readonly directory: string;
  readonly owner: Owner;
  isAlive(owner: Owner): boolean;
  now(): number;
}
