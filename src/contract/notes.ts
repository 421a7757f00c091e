/**
 * Notes below what a command printed: facts that whoever reads its output must know. `data.notes` holds them as codes with
 * parameters; the text for a model is rendered from them in English, the words for a person in their language.
 */
import type { Json } from "./json.ts";
import { shownName } from "./shown-name.ts";

const texts = {
  took: ["took {count} s", "用时 {count} 秒"],
  left_behind: ["too large to carry over to the next command: {names}", "太大，没有带到下一条命令：{names}"],
  undo_partial: ["undo cannot give back: {names}", "撤销时无法恢复：{names}"],
  sockets_dropped: ["sockets and devices that it made were not kept: {names}", "它创建的套接字和设备没有保留：{names}"],
  not_there: ["not there for commands here: {names}", "这里的命令看不到：{names}"],
  network_off: ["wanted the network {count} time(s), which is off for commands here", "{count} 次想访问网络，而这里的命令没有网络"],
  concealed: [
    "hidden from this command, since nobody was asked about them: {names}",
    "以下文件对这条命令隐藏，因为没有人被问过能否读取：{names}",
  ],
  git_obeys: ["changed what git runs or obeys later: {names}", "改动了 git 以后会运行或遵从的内容：{names}"],
  parted: ["other names of these files keep what they held: {names}", "这些文件的其他名字仍是原来的内容：{names}"],
  network_withheld: ["wanted the network {count} time(s), which it was not given", "{count} 次想访问网络，但没有给它"],
  not_shown: ["was not shown: {names}", "没有让它看到：{names}"],
  caches_dropped: ["only caches changed, and were not kept: {names}", "只改动了缓存，没有保留：{names}"],
  temporary_dropped: ["files among the temporary ones were not kept: {names}", "临时文件没有保留：{names}"],
  dropped_at_timeout: ["nothing was changed: what it had written until then was dropped", "没有任何改动：在此之前写入的内容已丢弃"],
} as const satisfies Readonly<Record<string, readonly [english: string, chinese: string]>>;

export type NoteCode = keyof typeof texts;

export interface Note {
  readonly code: NoteCode;
  readonly count?: number;
  /** The first few. */
  readonly names?: readonly string[];
  readonly names_total?: number;
}

const maxNames = 5;

export function noteOf(code: NoteCode, { count, names }: { readonly count?: number; readonly names?: readonly string[] } = {}): Note {
  return {
    code,
    ...(count === undefined ? {} : { count }),
    ...(names === undefined ? {} : { names: names.slice(0, maxNames), names_total: names.length }),
  };
}

/** The notes in `data` of a result, whoever wrote them. */
export function notesIn(data: Json | undefined): readonly Note[] {
  const notes = typeof data === "object" && data !== null && !Array.isArray(data) ? (data as { readonly notes?: Json }).notes : undefined;
  const isNote = (note: Json): boolean => Object.hasOwn(texts, String((note as { readonly code?: Json } | null)?.code));
  return Array.isArray(notes) ? (notes.filter(isNote) as unknown as readonly Note[]) : [];
}

/** Each on a line of its own. `shown` says how a path is written for this reader. */
export function noteLines(notes: readonly Note[], language: "en" | "zh", shown: (path: string) => string = (path) => path): string {
  return notes.map((note) => `[${words(note, language, shown)}]`).join("\n");
}

function words({ code, count, names = [], names_total: total = 0 }: Note, language: "en" | "zh", shown: (path: string) => string): string {
  const listed = `${names.map((name) => shownName(shown(name))).join(", ")}${total > names.length ? ", …" : ""}`;
  const [english, chinese] = texts[code];
  const text = language === "zh" ? chinese : english;
  return text.replace(/\{(count|names)\}/g, (_, name) => (name === "count" ? String(count ?? 0) : listed));
}

/** `text` with the notes below it, in English, for a model. */
export function withNotes(text: string, notes: readonly Note[]): string {
  if (notes.length === 0) return text;
  const printed = text === noOutputText ? "" : text;
  return `${printed}${printed === "" || printed.endsWith("\n") ? "" : "\n"}${noteLines(notes, "en")}`;
}

/** Stands in `output` where a command printed nothing. */
export const noOutputText = "(no output)";

/** Stands in `output` before the summary of a dry run of what cannot be rehearsed. */
export const plannedText = "Would do: ";

/** Stands before each line of `output` that the command wrote to its standard error. */
export const stderrMark = "[stderr] ";
