/** Records of the audit as lines that tell one decision each: what was decided, by whom, about what, and why. Pure. */
import type { IconName } from "../parts/icon.tsx";
import type { Key } from "../words/en.ts";

export interface AuditEntry {
  readonly seq: number;
  readonly time: number;
  readonly session_id: string;
  readonly kind: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface AuditLine {
  readonly entry: AuditEntry;
  readonly chip: "allow" | "ask" | "deny" | "undone" | "run" | "";
  readonly icon: IconName;
  /** A word of the reader's language, or the record's own code where there is none. */
  readonly word: Key | undefined;
  readonly code: string;
  readonly what: string;
  readonly rule: string;
  readonly words: string;
  /** As it was recorded: `http:mei phone 10.0.0.2`; empty if no person was needed. */
  readonly by: string;
  /** What decided where no person did. */
  readonly decided: "mode" | "rule" | "";
}

const wordOf: Readonly<Record<string, Key>> = {
  approval_requested: "recAsked",
  approval_renewed: "recAskedAnew",
  once: "recOnce",
  always: "recAlways",
  deny: "recDenied",
  denied: "recDenied",
  call_started: "recStarted",
  success: "recDone",
  ok: "recDone",
  error: "recFailed",
  failed: "recFailed",
  cancelled: "recStopped",
  rolled_back: "recUndone",
  interrupted: "recInterrupted",
  given: "recGiven",
  refused: "recRefused",
  value_answered: "recGiven",
  rule_added: "recRuleAdded",
  rule_removed: "recRuleRemoved",
  webhook_added: "recWebhookAdded",
  webhook_removed: "recWebhookRemoved",
  policy_changed: "recPolicyChanged",
  session_forked: "recForked",
  session_deleted: "recDeleted",
  gc: "recCleaned",
};

const icons = { allow: "check", ask: "hand", deny: "ban", undone: "undo", run: "key", "": "info" } as const;

/**
 * With `all` every record as it is. Else how a call began, a question that was answered and the end of a call that a person
 * allowed are left out: the answer tells all three.
 */
export function auditLines(entries: readonly AuditEntry[], { all }: { readonly all: boolean }): readonly AuditLine[] {
  const answered = new Set(entries.filter(({ kind }) => kind === "approval_answered").map(({ body }) => body.call_id));
  const asked = new Map(
    entries.flatMap(({ body }) => (typeof body.summary === "string" ? [[body.approval_id, body.summary] as const] : [])),
  );
  const told = (entry: AuditEntry): boolean => {
    if (all) return true;
    if (entry.kind === "call_started") return false;
    const isAnswered = answered.has(entry.body.call_id);
    if (entry.kind === "approval_requested") return !isAnswered;
    return !(entry.kind === "call_settled" && isAnswered && entry.body.status === "success");
  };
  return entries.filter(told).map((entry) => lineOf(entry, asked, all));
}

function lineOf(entry: AuditEntry, asked: ReadonlyMap<unknown, string>, all: boolean): AuditLine {
  const { body, kind } = entry;
  const one = (name: string): string => (typeof body[name] === "string" ? (body[name] as string) : "");
  const outcome = one("result_status") === "denied" ? "denied" : one("answer") || one("verdict") || one("decision") || one("status");
  const code = outcome === "" ? kind : outcome;
  const rule = one("rule");
  const isSettled = kind === "call_settled";
  const isUndo = isSettled && outcome === "success" && /^undo/i.test(one("tool") || one("summary"));
  // The end of a call that nobody was asked about is where its decision is told.
  const isAllowed = isSettled && outcome === "success" && !isUndo && !all && rule !== "";
  const chip = isUndo ? "undone" : isAllowed ? "allow" : chipOf(code, kind);
  const what = one("summary") || asked.get(body.approval_id) || one("command") || rule || one("key") || one("tool");
  return {
    entry,
    chip,
    icon: icons[chip],
    word: isUndo ? "recUndone" : isAllowed ? "recAllowed" : wordOf[code],
    code,
    what,
    rule: rule === what ? "" : rule,
    words: one("words"),
    by: one("answered_by") || one("by"),
    decided: isSettled && rule !== "" ? (rule.startsWith("builtin:") ? "mode" : "rule") : "",
  };
}

function chipOf(code: string, kind: string): AuditLine["chip"] {
  if (/^(?:deny|denied|refused|error|failed)$/.test(code)) return "deny";
  if (/^(?:allow|once|always|granted)$/.test(code)) return "allow";
  if (/^(?:given|value_answered)$/.test(code)) return "run";
  return /^(?:ask|rehearse|suspended|pending)$/.test(code) || /^approval_re/.test(kind) ? "ask" : "";
}
