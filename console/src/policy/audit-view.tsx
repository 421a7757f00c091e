/** What was decided, by whom and why, newest first; and whether the chain of records is unbroken. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError, api } from "../api/client.ts";
import { agentOfSession } from "../live/sessions.ts";
import { me } from "../me.ts";
import { Icon } from "../parts/icon.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import type { Key } from "../words/en.ts";
import { atSecond, t } from "../words/words.ts";
import { type AuditEntry, type AuditLine, auditLines } from "./audit-lines.ts";

interface Page {
  readonly entries: readonly AuditEntry[];
  readonly next_cursor: string | null;
  readonly total: number;
}

const filters: readonly (readonly [string, Key, string])[] = [
  ["today", "today", ""],
  ["asked", "askedPerson", ""],
  ["denied", "deniedOnes", ""],
  ["mine", "byMe", ""],
  ["all", "everyRecord", ""],
];
const pageSize = 100;

export function AuditView({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const { route } = useLocation();
  const entries = useSignal<readonly AuditEntry[] | undefined>(undefined);
  const next = useSignal<string | null>(null);
  const problem = useSignal("");
  const chain = useSignal<{ readonly rows: number; readonly broken_at: number | null } | undefined>(undefined);
  const key = JSON.stringify(query);
  const read = (cursor: string | null): void => {
    const asked = new URLSearchParams({ limit: String(pageSize), order: "desc" });
    if (query.today === "1") asked.set("since", String(new Date().setHours(0, 0, 0, 0)));
    if (query.denied === "1") asked.set("answer", "deny");
    if (query.asked === "1") asked.set("kind", "approval_requested");
    if (cursor !== null) asked.set("cursor", cursor);
    api<Page>("GET", `/audit?${asked}`).then(
      (page) => {
        entries.value = [...(cursor === null ? [] : (entries.value ?? [])), ...page.entries];
        next.value = page.next_cursor;
      },
      (error: unknown) => (problem.value = error instanceof ApiError ? error.message : String(error)),
    );
  };
  useEffect(() => read(null), [key]);
  useEffect(() => {
    api<{ readonly rows: number; readonly broken_at: number | null }>("GET", "/audit/verify").then(
      (state) => (chain.value = state),
      () => {},
    );
  }, [chain]);
  const toggle = (name: string): void => {
    const now = new URLSearchParams(location.search);
    if (now.get(name) === "1") now.delete(name);
    else now.set(name, "1");
    route(`/policy/audit${now.size > 0 ? `?${now}` : ""}`);
  };
  const lines = auditLines(entries.value ?? [], { all: query.all === "1" || query.asked === "1" });
  const shown = lines.filter(({ entry }) => query.mine !== "1" || isMine(entry.body));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page" tabIndex={0} aria-label={t("audit")}>
      <div class="line wrap audit-head">
        {filters.map(([name, word]) => (
          <button type="button" class="chip outline" key={name} aria-pressed={query[name] === "1"} onClick={() => toggle(name)}>
            {t(word)}
          </button>
        ))}
        <span class="grow not-phone" />
        {chain.value === undefined ? null : chain.value.broken_at === null ? (
          <span class="line plus s13">
            <Icon name="circle-check" small />
            {t("chainOk", { n: chain.value.rows })}
          </span>
        ) : (
          <span class="line minus s13">
            <Icon name="circle-x" small />
            {t("chainBroken", { n: chain.value.broken_at })}
          </span>
        )}
        <button
          type="button"
          class="btn ghost"
          disabled={entries.value === undefined}
          onClick={() => save(shown.map(({ entry }) => entry))}
        >
          <Icon name="download" small />
          {t("export")}
        </button>
      </div>
      {problem.value === "" ? null : <p class="note deny">{t("failedToLoad", { message: problem.value })}</p>}
      {entries.value === undefined && problem.value === "" ? <Skeleton /> : null}
      {entries.value !== undefined && shown.length === 0 ? <p class="empty">{t("noAudit")}</p> : null}
      {shown.length > 0 ? (
        <table class="grid-table cards audit">
          <thead>
            <tr>
              <th>{t("decision")}</th>
              <th>{t("what")}</th>
              <th>{t("who")}</th>
              <th class="right">{t("time")}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => (
              <Line key={line.entry.seq} line={line} />
            ))}
          </tbody>
        </table>
      ) : null}
      {next.value === null ? null : (
        <button type="button" class="btn" onClick={() => read(next.value)}>
          {t("more")}
        </button>
      )}
    </section>
  );
}

function Line({ line }: { readonly line: AuditLine }) {
  const { entry, chip, icon, word, code, what, rule, words, by, decided } = line;
  const why = [rule, words === "" ? "" : t("quoted", { text: words })].filter((part) => part !== "").join(" · ");
  const who =
    chip === "undone" && by === ""
      ? []
      : by === ""
        ? [agentOfSession(entry.session_id), decided === "" ? "" : t(decided === "rule" ? "byRule" : "byMode")]
        : [whoOf(by)];
  return (
    <tr>
      <td>
        <span class={`chip ${chip}`}>
          <Icon name={icon} small />
          {word === undefined ? code : t(word)}
        </span>
      </td>
      <td>
        <code class="breaks">{what}</code>
        {why === "" ? null : <div class="t3 s12">{why}</div>}
      </td>
      <td class="t2">{who.filter((part) => part !== "").join(" · ")}</td>
      <td class="right t3 num">{atSecond(entry.time)}</td>
    </tr>
  );
}

const personText = /^http:(\S+)(?:\s+(\S+))?/;

/** `http:mei phone 10.0.0.2` is mei by phone; the reader is told as such. */
function whoOf(by: string): string {
  const [, user, device] = personText.exec(by) ?? [];
  if (user === undefined) return by;
  const name = typeof me.value === "object" && me.value.user_id === user ? t("you") : user;
  return device === undefined || device === "serve" || device === "browser" ? name : `${name} · ${device}`;
}

function isMine({ answered_by: answered, by }: AuditEntry["body"]): boolean {
  const [, user] = personText.exec(String(answered ?? by ?? "")) ?? [];
  return typeof me.value === "object" && user === me.value.user_id;
}

function save(entries: readonly AuditEntry[]): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([entries.map((one) => JSON.stringify(one)).join("\n")], { type: "application/x-ndjson" }));
  link.download = "karyi-audit.jsonl";
  link.click();
  URL.revokeObjectURL(link.href);
}
