/** What a call row says: verb in the tense of its state, object, icon. Pure but for the words. */
import type { IconName } from "../parts/icon.tsx";
import { shortPath } from "../parts/short-path.ts";
import { pathOf } from "../state/rows.ts";
import type { CallState } from "../state/session-state.ts";
import type { Key } from "../words/en.ts";
import { t } from "../words/words.ts";

type Family = "Run" | "Edit" | "Create" | "Read" | "List" | "Search" | "Fetch" | "Undo" | "Call";

const families: Readonly<Record<string, Family>> = {
  Bash: "Run",
  Terminal: "Run",
  Edit: "Edit",
  MultiEdit: "Edit",
  NotebookEdit: "Edit",
  Write: "Create",
  Read: "Read",
  List: "List",
  Grep: "Search",
  Glob: "Search",
  WebSearch: "Search",
  WebFetch: "Fetch",
  Undo: "Undo",
};

const icons: Readonly<Record<Family, IconName>> = {
  Run: "terminal",
  Edit: "file-diff",
  Create: "file-plus",
  Read: "file-text",
  List: "folder",
  Search: "text-search",
  Fetch: "globe",
  Undo: "undo",
  Call: "tools",
};

export function familyOf(call: CallState): Family {
  const family = families[call.tool] ?? (call.undoOf.length > 0 ? "Undo" : "Call");
  if (family !== "Create" || call.status === "running" || call.status === "waiting") return family;
  return call.changes.length > 0 && call.changes.every(({ change }) => change !== "created") ? "Edit" : "Create";
}

export function iconOf(call: CallState): IconName {
  return icons[familyOf(call)];
}

export function verbOf(call: CallState): string {
  const family = familyOf(call);
  if (family === "Undo" && call.status === "ok") return t("didUndo", { n: Math.max(1, call.undoOf.length) });
  if (call.status === "cancelled") return t("stopped");
  const tense = call.status === "running" ? "doing" : call.status === "ok" && call.undoneBy === undefined ? "did" : "do";
  const verb = tense === "do" && call.undoneBy !== undefined ? t(`did${family}` as Key) : t(`${tense}${family}` as Key);
  if (family === "List" && listsWorkspace(call)) return t("listOfWorkspace", { verb });
  return family === "Call" ? `${verb} ${call.tool}` : verb;
}

/** A bare dot says nothing to a person. */
function listsWorkspace({ input }: CallState): boolean {
  return ["", ".", "./"].includes(pathOf(input) ?? "");
}

export function objectOf(call: CallState): string {
  const family = familyOf(call);
  const input = (typeof call.input === "object" && call.input !== null ? call.input : {}) as Readonly<Record<string, unknown>>;
  const one = (name: string): string => (typeof input[name] === "string" ? (input[name] as string) : "");
  if (family === "Run") return oneLine(one("command") === "" ? call.summary : one("command"));
  if (family === "Search") return oneLine(one("pattern") === "" ? one("query") : one("pattern"));
  if (family === "Fetch") return one("url") === "" ? call.summary : one("url").replace(/^https?:\/\//, "");
  if (family === "Undo") return "";
  if (family === "Call") return oneLine(call.summary.startsWith(call.tool) ? call.summary.slice(call.tool.length).trim() : call.summary);
  if (family === "List" && listsWorkspace(call)) return "";
  return shortPath(pathOf(call.input) ?? call.changes[0]?.path ?? call.summary);
}

function oneLine(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  return rest.length === 0 ? first : `${first} …`;
}
