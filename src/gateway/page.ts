/** Pages of lists: an opaque cursor says where the next one begins. */
import { invalid } from "./problem.ts";

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** The page after the item whose key the cursor holds; a list that changed meanwhile goes on at the same place. */
export function pageOf<T>(
  all: readonly T[],
  key: (item: T) => string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Page<T> {
  let start = 0;
  if (cursor !== undefined) {
    const after = decodeCursor(cursor);
    const index = all.findIndex((item) => key(item) === after);
    if (index < 0) throw invalid("The cursor is not of this list.", { parameter: "cursor" });
    start = index + 1;
  }
  const items = all.slice(start, start + limit);
  const last = items.at(-1);
  return { items, nextCursor: last !== undefined && start + limit < all.length ? encodeCursor(key(last)) : null };
}

export function encodeCursor(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** Throws 400 for what `encodeCursor` never made: Node would read nothing out of it, and nothing means the beginning. */
export function decodeCursor(cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  if (encodeCursor(text) !== cursor) throw invalid("This is not a cursor.", { parameter: "cursor" });
  return text;
}
