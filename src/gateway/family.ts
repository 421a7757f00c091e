/** Which session a person began: sub-agents have sessions of their own, and their questions belong to the one at the top. */
import type { SessionRecord } from "../contract/index.ts";

/** The session at the top of the one with this id; itself if no agent started it. */
export function topOf(id: string, records: ReadonlyMap<string, SessionRecord>): SessionRecord | undefined {
  let found = records.get(id);
  for (let parent = parentOf(found); parent !== undefined; parent = parentOf(found)) found = parent;
  return found;

  function parentOf(record: SessionRecord | undefined): SessionRecord | undefined {
    const above = record?.state.rights?.parent;
    return above === undefined ? undefined : records.get(above);
  }
}

export function byId(records: readonly SessionRecord[]): ReadonlyMap<string, SessionRecord> {
  return new Map(records.map((record) => [record.id, record]));
}
