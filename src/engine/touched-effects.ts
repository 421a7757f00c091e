/** Effects of what another agent's input names, for calls that no tool here can plan. Looks at paths; opens nothing. */
import type { Effect, FileReader, Touch } from "../contract/index.ts";

export function touchedEffects(files: Pick<FileReader, "resolve">, touches: readonly Touch[]): Promise<readonly Effect[]> {
  return Promise.all(
    touches.map(async (touch): Promise<Effect> => {
      if (touch.kind === "connect") return { kind: "connect", url: touch.url, method: "GET" };
      if (touch.kind === "remote" || touch.kind === "unknown") return touch;
      // The other agent's tools know nothing of a session's own temporary directories.
      const path = await files.resolve(touch.path, "machine");
      if (touch.kind === "read") return { kind: "read", path, ...(touch.tree ? { tree: true } : {}) };
      const isThere = path.kind !== "absent";
      return { kind: "write", path, change: isThere ? "modify" : "create", ...(isThere && touch.replaces ? { unread: true } : {}) };
    }),
  );
}
