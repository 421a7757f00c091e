/** A call tried without counting, and exactly its result applied in the place of the call. */
import { api, pathOf } from "../api/client.ts";
import type { Approval, Rehearsal, Result } from "../api/types.ts";

/** The same call as a dry run; what a command would change is kept, to be applied later. */
export async function rehearse({ session_id: id, tool, input }: Approval): Promise<Rehearsal> {
  const result = await api<Result>("POST", pathOf("sessions", id, "calls"), { tool, input, dry_run: true, keep: true });
  if (result.status !== "planned" && result.status !== "ok") throw new Error(result.error?.message ?? result.output);
  const data = (result.data ?? {}) as {
    readonly exit_code?: number;
    readonly duration_ms?: number;
    readonly changes?: Rehearsal["changes"];
    readonly change_set?: string;
    readonly network_attempts?: number;
    readonly withheld?: Rehearsal["withheld"];
    readonly stdout?: string;
    readonly stderr?: string;
  };
  return {
    exit_code: data.exit_code ?? null,
    ...(data.duration_ms === undefined ? {} : { duration_ms: data.duration_ms }),
    change_set: data.change_set ?? null,
    changes_total: data.changes?.length ?? 0,
    network_attempts: data.network_attempts ?? 0,
    withheld: data.withheld ?? [],
    dropped: [],
    output: [data.stdout ?? result.output, data.stderr ?? ""].filter((text) => text.trim() !== "").join("\n"),
    changes: data.changes ?? [],
  };
}

/** Commits the change set of a dry run. The person has just said so, so that its own question is answered at once. */
export async function applyChangeSet(sessionId: string, changeSet: string): Promise<Result> {
  const result = await api<Result>("POST", pathOf("sessions", sessionId, "calls"), {
    tool: "CommitChanges",
    input: { id: changeSet },
  });
  if (result.approval_id === undefined) return result;
  const { nonce } = await api<Approval>("GET", pathOf("approvals", result.approval_id));
  const said = await api<{ readonly result?: Result }>("POST", pathOf("approvals", result.approval_id, "answer"), {
    answer: "once",
    nonce,
  });
  return said.result ?? result;
}
