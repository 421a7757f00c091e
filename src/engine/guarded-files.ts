/**
 * The file writer a tool receives: bound to its approved plan and to the life of its call.
 * A path the plan did not name is refused, and so is any write after the call was ended.
 */
import { type FileWriter, type Fingerprint, type PathFacts, type Plan, type ReplaceOptions, ToolFailure } from "../contract/index.ts";

export interface GuardedFiles {
  readonly files: FileWriter;
  /** The call is over: whatever the tool still tries is refused. */
  revoke(): void;
}

/**
 * `written` collects what was written, so that it need not be read again for the journal. Between the end of a call's
 * time and the end of its grace a tool may still put back what it wrote, and nothing else.
 */
export function guardFiles(files: FileWriter, plan: Plan, signal: AbortSignal, written: Map<string, Fingerprint>): GuardedFiles {
  const planned = new Set<string>();
  for (const effect of plan.effects) if (effect.kind === "write") planned.add(effect.path.real);
  const touched = new Set<string>();
  let revoked = false;
  const check = (facts: PathFacts) => {
    if (revoked || (signal.aborted && !touched.has(facts.real)))
      throw new ToolFailure("cancelled", "The call was ended before this write.");
    if (!planned.has(facts.real)) {
      throw new ToolFailure("tool_forbidden_path", `The approved plan does not change ${facts.real}.`, {
        details: { reason: "not_planned", path: facts.real },
      });
    }
    touched.add(facts.real);
  };
  return {
    revoke: () => {
      revoked = true;
    },
    files: {
      resolve: (path, whose) => files.resolve(path, whose),
      stat: (path) => files.stat(path),
      open: (facts) => files.open(facts),
      readAll: (facts, maxBytes) => files.readAll(facts, maxBytes),
      list: (path) => files.list(path),
      async replace(facts: PathFacts, bytes: Uint8Array, options: ReplaceOptions): Promise<Fingerprint> {
        check(facts);
        const fingerprint = await files.replace(facts, bytes, options);
        written.set(facts.real, fingerprint);
        return fingerprint;
      },
      async remove(facts: PathFacts, expect: Fingerprint): Promise<void> {
        check(facts);
        await files.remove(facts, expect);
        written.delete(facts.real);
      },
    },
  };
}
