/** How deep a JSON value is nested, measured without recursion: a hostile body must not overflow a stack. */
export const maxDepth = 64;

/** Stops counting just above `maxDepth`. */
export function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      for (const inner of Array.isArray(one) ? one : Object.values(one)) if (typeof inner === "object" && inner !== null) next.push(inner);
    }
    if (next.length === 0) return depth + 1;
    level = next;
  }
  return maxDepth + 1;
}
