/**
 * Forms of calls that have no marks of their own and are known by how a line begins: ReAct, Qwen-Agent, and a tool's name
 * above its JSON (GLM-4). Only `auto` hears them. Owns where such a call begins; refuses what ordinary prose could be, so a name
 * alone counts only if there is such a tool.
 */
import { toolName } from "../names.ts";
import type { SchemaLookup } from "../types.ts";
import { shapeOf } from "./shape.ts";

export interface LineForm {
  readonly name: string;
  /** `stated`: its marks leave no doubt. `named`: only the tool's name and its parameters tell. */
  readonly sure: "stated" | "named";
  /** Behind the header: where the JSON begins, or what stands in its place. */
  readonly end: number;
  /** What stands behind the header. */
  readonly body: "json" | "fence" | "none";
}

type Step = string | RegExp;

const blanks = /[ \t]{0,16}/y;
const number = /[ \t]{0,4}\d{0,3}[ \t]{0,4}/y;
const colon = /[ \t]{0,4}[:：]?[ \t]{0,16}`?/y;
const name = /[\p{L}_][\p{L}\p{N}_.:/-]{0,127}/uy;
const nextLine = /`?[ \t]{0,16}(?:\r?\n\s{0,8})?/y;
const beforeJson = /\s{0,16}/y;

const reAct: readonly Step[] = ["Action", number, ":", colon, name, nextLine, "Action", blanks, "Input", number, ":", beforeJson];
const qwenAgent: readonly Step[] = ["✿FUNCTION✿", colon, name, nextLine, "✿ARGS✿", colon, beforeJson];
const nameAlone: readonly Step[] = [name, /[ \t]{0,16}(?:\r?\n[ \t]{0,16})?/y];

const longest = 512;
const reActMark = "Action";
const maxName = 129;
const maxBlank = 16;

/** `wait`: the text ends too early to say. `undefined`: no such form begins at `at`, where a line begins. */
export function lineFormAt(text: string, at: number, final: boolean, tools: SchemaLookup): LineForm | "wait" | undefined {
  if (!mayBegin(text, at)) return undefined;
  const code = text.charCodeAt(at);
  const isFlower = code === 0x273f;
  const window = text.slice(at, at + longest);
  const open = !final && window.length < longest;
  const found = isFlower ? marked(window, qwenAgent, open, tools) : code === 65 ? marked(window, reAct, open, tools) : undefined;
  const sight = found ?? (isFlower ? undefined : aloneAbove(window, open, tools));
  return typeof sight === "object" ? { ...sight, end: at + sight.end } : sight;
}

/** Most lines of prose answer it with their second word: only a word alone on its line, or a mark, may begin a form. */
function mayBegin(text: string, at: number): boolean {
  const first = text.charCodeAt(at);
  if (first === 0x273f || (first === 65 && text.startsWith(reActMark.slice(0, text.length - at), at))) return true;
  const limit = Math.min(text.length, at + maxName);
  let p = at;
  while (p < limit && isNamePart(text.charCodeAt(p))) p += 1;
  if (p === at) return false;
  while (p < text.length && p < limit + maxBlank && (text.charCodeAt(p) === 32 || text.charCodeAt(p) === 9)) p += 1;
  return p >= text.length || text.charCodeAt(p) === 10 || text.charCodeAt(p) === 13;
}

/** Letters, digits and `_.:/-`; whatever is no ASCII is looked at later. */
function isNamePart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 45 && code <= 58) || code === 95 || code > 127;
}

/** How far the steps lead: `more` if the text ends on the way. */
function walk(
  window: string,
  steps: readonly Step[],
  open: boolean,
): { readonly state: "done" | "more" | "off"; readonly name: string; readonly at: number } {
  let at = 0;
  let named = "";
  for (const step of steps) {
    if (typeof step === "string") {
      if (!window.startsWith(step, at)) return { state: step.startsWith(window.slice(at)) ? "more" : "off", name: named, at };
      at += step.length;
      continue;
    }
    step.lastIndex = at;
    const match = step.exec(window)?.[0];
    if (match === undefined) return { state: at === window.length ? "more" : "off", name: named, at };
    at += match.length;
    if (step === name) named = match;
    if (at === window.length && open) return { state: "more", name: named, at };
  }
  return { state: "done", name: named, at };
}

function marked(window: string, steps: readonly Step[], open: boolean, tools: SchemaLookup): LineForm | "wait" | undefined {
  const { state, name: written, at } = walk(window, steps, open);
  if (state === "more" && open) return "wait";
  const isKnown = written !== "" && tools(toolName(written, tools, new Set())) !== undefined;
  // The stream ended, or went on otherwise, behind the mark and the name of a tool: a call was meant.
  if (state !== "done") {
    const began = window.startsWith("✿") || (state === "more" && /\n\s*Action/.test(window.slice(0, at)));
    return isKnown && began ? { name: written, sure: "stated", end: at, body: "none" } : undefined;
  }
  if (window.charAt(at) === "{") return { name: written, sure: "stated", end: at, body: "json" };
  const fence = /^```(?:json)?\s{0,8}(?=\{)/.exec(window.slice(at));
  if (fence !== null) return { name: written, sure: "stated", end: at + fence[0].length, body: "fence" };
  if (open && /^(?:`{1,3}(?:j|js|jso|json)?\s{0,8})?$/.test(window.slice(at))) return "wait";
  return isKnown ? { name: written, sure: "stated", end: at, body: "none" } : undefined;
}

const firstKey = /\{\s{0,64}(?:"([^"\n]{1,64})"\s{0,8}:|\})/y;
const halfKey = /^\{\s{0,64}(?:"(?:[^"\n]{1,64}(?:"\s{0,8})?)?)?$/;

/** A line that is a tool's name, and below it an object whose first key is one of its parameters. */
function aloneAbove(window: string, open: boolean, tools: SchemaLookup): LineForm | "wait" | undefined {
  const { state, name: written, at } = walk(window, nameAlone, open);
  if (state === "off" || (state === "more" && !open)) return undefined;
  const isWhole = at > written.length;
  const schema = isWhole ? tools(toolName(written, tools, new Set())) : undefined;
  if (state === "more") return isWhole && schema === undefined ? undefined : "wait";
  if (schema === undefined || window.charAt(at) !== "{" || !/\n/.test(window.slice(0, at))) return undefined;
  firstKey.lastIndex = at;
  const key = firstKey.exec(window);
  if (key === null) return open && halfKey.test(window.slice(at)) ? "wait" : undefined;
  const fits = key[1] === undefined || shapeOf(schema)?.declares(key[1]) === true;
  return fits ? { name: written, sure: "named", end: at, body: "json" } : undefined;
}
