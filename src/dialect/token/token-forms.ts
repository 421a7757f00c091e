/**
 * Raw forms of open models, by the special token that opens them: DeepSeek, Kimi K2, Step, gpt-oss harmony, Gemma, Cohere,
 * Granite, Phi, Llama, LFM. As data: which tokens end a form and how its text is read. A form that cannot be read is an
 * error that says why, because its tokens leave no doubt that a call was meant.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import type { FrameContext, FrameEnd } from "../frame/frame.ts";
import { isObject, shapeOf } from "../frame/shape.ts";
import { unendedThought } from "../frame/unended-thought.ts";
import { isToolName, toolName } from "../names.ts";
import { readJson, strictJson } from "../read/json-text.ts";
import { callsOfJson, namedArguments } from "../read/read-json.ts";
import { type DecodedPart, decodedCall, type Repairs } from "../types.ts";
import { readBareObject } from "./bare-object.ts";
import { readPythonCalls } from "./python-calls.ts";
import type { TokenForm } from "./token-framer.ts";

type Read = TokenForm["read"];

interface NamedCall {
  readonly raw: string;
  readonly name: string;
  readonly input: JsonObject | undefined;
  readonly repairs: Repairs;
  readonly end: FrameEnd;
  readonly cut: boolean;
  readonly id?: string | undefined;
}

/** A call by its name and its arguments; `input` is `undefined` if they could not be read. */
export function namedCall({ raw, name, input, repairs, end, cut, id }: NamedCall, context: FrameContext): readonly DecodedPart[] {
  if (end !== "closed") repairs.add("missing end tag");
  const known = isToolName(name) ? toolName(name, context.tools, repairs) : "";
  const unreadable = known === "" ? "the call does not name a tool" : input === undefined ? "its arguments cannot be read" : undefined;
  const typed = input === undefined ? {} : namedArguments(input, shapeOf(context.tools(known)), repairs);
  return [{ type: "call", call: decodedCall({ name: known, input: typed, raw, repairs, cutOff: end === "cut" && cut, unreadable, id }) }];
}

export function jsonArguments(text: string, repairs: Repairs): { readonly input: JsonObject | undefined; readonly cut: boolean } {
  const body = text
    .trim()
    .replace(/^```(?:json)?\s*/, "")
    .replace(/\s*```$/, "");
  if (body === "") return { input: {}, cut: true };
  const read = readJson(body);
  if (read?.mended) repairs.add("JSON syntax");
  return { input: read !== undefined && isObject(read.value) ? read.value : undefined, cut: read?.cut ?? true };
}

const maxTail = 160;

/** Without the tokens at either end; those inside a text belong to it. */
function betweenTokens(raw: string): string {
  const body = raw.replace(/^(?:\s*<\/?[|｜][^<>]{1,40}>)+/u, "");
  const from = Math.max(0, body.length - maxTail);
  return body.slice(0, from) + body.slice(from).replace(/(?:<\/?[|｜][^<>]{1,40}>\s*)+$/u, "");
}

/** A name, a separating token, and JSON: `functions.Read:0<|tool_call_argument_begin|>{…}`, `function<｜tool▁sep｜>Read⏎{…}`. */
const separated: Read = (raw, end, context) => {
  const repairs: Repairs = new Set();
  const inner = raw.replace(/^<[|｜][^<>]*>/u, "").replace(/<[|｜]tool[▁_]call[▁_]end[|｜]>$/iu, "");
  const at = /<[|｜]tool[▁_](?:sep|call[▁_]argument[▁_]begin)[|｜]>/iu.exec(inner);
  const before = at === null ? "" : inner.slice(0, at.index).trim();
  const after = at === null ? inner : inner.slice(at.index + at[0].length);
  const brace = after.search(/[{\n`]/);
  const follows = before === "" || before === "function";
  const written = follows ? after.slice(0, brace < 0 ? after.length : brace).trim() : before;
  const name = /^(?:functions\.)?(.*?)(?::\d+)?$/s.exec(written)?.[1] ?? written;
  const { input, cut } = jsonArguments(follows ? after.slice(brace < 0 ? after.length : brace) : after, repairs);
  return namedCall({ raw, name, input, repairs, end, cut, ...(written === name ? {} : { id: written }) }, context);
};

/** Mistral: `Read[CALL_ID]x[ARGS]{…}`. */
export const readNamedJson: Read = (raw, end, context) => {
  const repairs: Repairs = new Set();
  const brace = raw.indexOf("{");
  const head = (brace < 0 ? raw : raw.slice(0, brace)).replace(/\[ARGS\]\s*$/, "");
  const [name = "", id] = head.split("[CALL_ID]").map((one) => one.trim());
  const { input, cut } = jsonArguments(brace < 0 ? "" : raw.slice(brace), repairs);
  return namedCall({ raw, name, input, repairs, end, cut, id }, context);
};

/** One JSON value or a list, or Python's notation, between two tokens. */
const listed: Read = (raw, end, context) => {
  const body = betweenTokens(raw).trim();
  const python = readPythonCalls(body);
  if (python !== undefined) return pythonParts(python, raw, context);
  const repairs: Repairs = new Set();
  const read = readJson(body);
  // Some models write no closing token, so whole JSON needs none.
  if (end !== "closed" && read?.mended !== false) repairs.add("missing end tag");
  if (read?.mended) repairs.add("JSON syntax");
  const cutOff = end === "cut" && (read?.cut ?? true);
  const calls = read && callsOfJson(read.value, { raw, repairs, cutOff, sure: true }, context);
  if (calls !== undefined) return calls;
  const unreadable = body === "" ? "the call ends before its name" : "it holds neither JSON calls nor Python calls";
  return [{ type: "call", call: decodedCall({ name: "", input: {}, raw, repairs, cutOff, unreadable }) }];
};

export function pythonParts(
  calls: NonNullable<ReturnType<typeof readPythonCalls>>,
  raw: string,
  context: FrameContext,
): readonly DecodedPart[] {
  return calls.flatMap(({ name, input }) =>
    namedCall({ raw, name: name.replace(/\.call$/, ""), input, repairs: new Set(), end: "closed", cut: false }, context),
  );
}

/** gpt-oss: `<|channel|>commentary to=functions.Read <|constrain|>json<|message|>{…}<|call|>`. */
const harmony: Read = (raw, end, context) => {
  const message = /<[|｜]message[|｜]>/iu.exec(raw);
  const at = message?.index ?? -1;
  const head = at < 0 ? raw : raw.slice(0, at);
  const body = raw.slice(at + (message?.[0].length ?? 0)).replace(/<[|｜](?:call|end|return)[|｜]>$/iu, "");
  const to = /\bto=(?:functions\.)?([^\s<]+)/.exec(head)?.[1];
  if (to === undefined) return at < 0 ? undefined : [{ type: "text", text: /\banalysis\b/.test(head) ? raw : body }];
  const repairs: Repairs = new Set();
  const { input, cut } = at < 0 ? { input: undefined, cut: true } : jsonArguments(body, repairs);
  // The calls that OpenAI's wrapper holds stand in one list.
  const wrapped = to === "multi_tool_use.parallel" && context.tools(to) === undefined && input !== undefined;
  const calls = wrapped ? callsOfJson(input, { raw, repairs, cutOff: end === "cut" && cut, sure: true }, context) : undefined;
  return calls ?? namedCall({ raw, name: to, input, repairs, end, cut }, context);
};

/** Gemma: `call:Read{path:<escape>a<escape>}`. */
const gemma: Read = (raw, end, context) => {
  const body = raw.replace(/^<[^<>]*>/, "").replace(/<(?:end_function_call|tool_call\|)>$/, "");
  const call = /^\s*call:([^{\s]+)\s*(\{[\s\S]*)?$/.exec(body);
  const input = readBareObject(call?.[2] ?? "{}");
  return namedCall({ raw, name: call?.[1] ?? "", input, repairs: new Set(), end, cut: true }, context);
};

/** Apertus: `[{"Read": {…}}]`, each call under the name of its tool. */
const keyed: Read = (raw, end, context) => {
  const list = strictJson(betweenTokens(raw));
  const given = Array.isArray(list) ? (list as readonly Json[]) : [];
  if (given.length === 0 || !given.every(isObject)) return listed(raw, end, context);
  return given
    .flatMap((one) => Object.entries(one))
    .flatMap(([name, value]) => {
      const input = isObject(value) ? value : undefined;
      return namedCall({ raw, name, input, repairs: new Set(), end, cut: false }, context);
    });
};

const thought: Read = (raw, end, context) => [
  { type: "text", text: raw },
  ...(end === "cut" ? unendedThought(raw.replace(/^<[^<>]*>/u, ""), context.decode) : []),
];

function form(read: Read, quoting: TokenForm["quoting"], ends: readonly string[], stops: readonly string[] = []): TokenForm {
  return { read, quoting, ends: new Set(ends), stops: new Set(stops) };
}

const harmonyForm = form(harmony, "recipient", ["call", "end", "return"], ["start"]);
const listForm = form(
  listed,
  "json",
  ["end_action", "/tool_call", "tool_call_end", "action_end", "python_end"],
  ["eom_id", "eot_id", "im_end"],
);

/** The form that a token opens. */
export const tokenForms: ReadonlyMap<string, TokenForm> = new Map([
  ["tool_call_begin", form(separated, "json", ["tool_call_end"], ["tool_call_begin", "tool_calls_end", "tool_calls_section_end"])],
  ["start", harmonyForm],
  ["channel", harmonyForm],
  ["start_function_call", form(gemma, "marks", ["end_function_call"], ["start_function_call"])],
  ["|tool_call", form(gemma, "marks", ["tool_call|"], ["|tool_call"])],
  ["start_action", listForm],
  ["tool_call", listForm],
  ["tool_call_start", listForm],
  ["python_start", listForm],
  ["start_thinking", form(thought, "none", ["end_thinking"])],
  ["inner_prefix", form(thought, "none", ["inner_suffix"])],
  ["tools_prefix", form(keyed, "json", ["tools_suffix"])],
]);

/** Tokens that begin a section of calls and say nothing themselves. */
export const sectionTokens: ReadonlySet<string> = new Set([
  ...["tool_calls_begin", "tool_calls_section_begin", "tool_call_section_begin", "dsml:function_calls", "dsml:tool_calls"],
]);

/** Tokens that end a section of calls or a turn; they are dropped beside a call. */
export const closingTokens: ReadonlySet<string> = new Set([
  ...["tool_calls_end", "tool_calls_section_end", "tool_call_end", "end_action", "/tool_call", "tool_call|", "python_end", "action_end"],
  ...["tool_call_section_end", "/dsml:function_calls", "/dsml:tool_calls", "/dsml:invoke", "tools_suffix"],
  ...["eom_id", "eot_id", "eom", "eot", "im_end", "call", "return", "end", "end_of_sentence"],
]);
