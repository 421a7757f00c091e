/**
 * JSON values to calls: the many shapes in which models write a call as JSON.
 * A value is a call only when it names a tool and its arguments; `package.json` and tool definitions are not.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import type { FrameContext } from "../frame/frame.ts";
import { isObject, type Shape, shapeOf } from "../frame/shape.ts";
import { isToolName, toolName } from "../names.ts";
import { type DecodedPart, decodedCall, type Repair, type Repairs } from "../types.ts";
import { valueOfJson } from "./coerce.ts";
import { readJson } from "./json-text.ts";
import { knownName } from "./markup-value.ts";

const nameKeys = ["name", "tool", "tool_name", "toolName", "function", "function_name", "recipient_name", "action"];
const argumentKeys = ["arguments", "parameters", "input", "params", "args", "tool_input", "action_input", "kwargs"];
const listKeys = ["tool_calls", "tool_uses", "calls", "function_calls", "toolCalls"];

/** First keys of an object that may be a call, so that other JSON is not held back. */
export const callKeys: ReadonlySet<string> = new Set([
  ...nameKeys,
  ...argumentKeys,
  ...listKeys,
  "function_call",
  "tools",
  "reply",
  "type",
  "id",
  "call_id",
  "index",
  "role",
  "content",
  "choices",
  "object",
  "output",
  "tool_result",
  "tool_use_id",
  "tool_call_id",
]);

interface Found {
  readonly name: string;
  readonly input: Json;
  readonly repairs: readonly Repair[];
  readonly id: string | undefined;
  readonly unreadable?: string;
}

interface JsonSource {
  readonly raw: string;
  readonly repairs: Repairs;
  readonly cutOff: boolean;
  /** It stands where only a call can stand, so a name alone is one. */
  readonly sure: boolean;
}

/** `undefined`: this value is no call. */
export function callsOfJson(value: Json, source: JsonSource, context: FrameContext): readonly DecodedPart[] | undefined {
  const reply = replyOf(value, context);
  if (reply !== undefined) return reply;
  const found = findCalls(value, source.sure, context, source.cutOff);
  if (found === undefined || found.length === 0) return undefined;
  return found.map(({ name, input, repairs, id, unreadable }) => ({
    type: "call",
    call: decodedCall({ name, input, raw: source.raw, repairs: [...source.repairs, ...repairs], cutOff: source.cutOff, unreadable, id }),
  }));
}

const halfCall: Found = { name: "", input: {}, repairs: [], id: undefined, unreadable: "the call ends before its arguments" };

/** `{"reply": "…", "tools": "<tools>…</tools>"}` (D1). */
function replyOf(value: Json, context: FrameContext): readonly DecodedPart[] | undefined {
  if (!isObject(value) || !("reply" in value || typeof value.tools === "string")) return undefined;
  const { reply, tools } = value;
  if (tools !== undefined && tools !== null && typeof tools !== "string" && !Array.isArray(tools) && !isObject(tools)) return undefined;
  if (reply !== undefined && typeof reply !== "string" && reply !== null) return undefined;
  const parts: DecodedPart[] = typeof reply === "string" && reply !== "" ? [{ type: "text", text: reply }] : [];
  if (typeof tools === "string") return [...parts, ...context.decode(tools)];
  if (tools === undefined || tools === null) return parts.length > 0 ? parts : undefined;
  const source = { raw: JSON.stringify(tools), repairs: new Set<Repair>(["params as JSON"]), cutOff: false, sure: false };
  const calls = callsOfJson(tools, source, context);
  return calls === undefined ? undefined : [...parts, ...calls];
}

/** `cutOff`: the last call of a list may be half a call; the whole ones before it count all the same. */
function findCalls(value: Json, sure: boolean, context: FrameContext, cutOff = false): readonly Found[] | undefined {
  if (Array.isArray(value)) {
    const all = (value as readonly Json[]).map((one) => (isObject(one) ? findOne(one, sure, context) : undefined));
    if (cutOff && all.length > 1 && all.at(-1) === undefined) all[all.length - 1] = halfCall;
    return all.length > 0 && all.every((one) => one !== undefined) ? all : undefined;
  }
  if (!isObject(value)) return undefined;
  for (const key of listKeys) {
    const list = value[key];
    if (Array.isArray(list)) return findCalls(list as readonly Json[], true, context, cutOff);
  }
  if (isObject(value.function_call)) return findCalls(value.function_call, true, context);
  const one = findOne(value, sure, context);
  return one === undefined ? undefined : [one];
}

function findOne(value: JsonObject, sure: boolean, context: FrameContext): Found | undefined {
  if (value.type === "tool_result" || value.role === "tool" || "tool_use_id" in value) return undefined;
  // Cohere numbers its calls by what elsewhere marks a result.
  const isNumbered = typeof value.tool_name === "string" && isObject(value.parameters);
  if ("tool_call_id" in value && !isNumbered) return undefined;
  const inner = isObject(value.function) ? value.function : isObject(value.tool) ? value.tool : undefined;
  const repairs: Repairs = new Set();
  const id = [value.id, value.call_id, value.tool_call_id].find((one): one is string => typeof one === "string");
  const holder = inner ?? value;
  const nameKey = nameKeys.find((key) => typeof holder[key] === "string");
  const written = nameKey === undefined ? "" : String(holder[nameKey]);
  if (nameKey === undefined || !isToolName(written.trim())) return undefined;
  const name = toolName(written, context.tools, repairs);
  const schema = context.tools(name);
  const shape = shapeOf(schema);
  const argumentKey = argumentKeys.find((key) => key !== nameKey && Object.hasOwn(holder, key));
  if (argumentKey === undefined) {
    const rest = Object.entries(holder).filter(([key]) => key !== nameKey && key !== "id" && key !== "type");
    if (schema === undefined && !(sure && rest.length === 0)) return undefined;
    if (rest.length > 0) {
      if (!rest.every(([key]) => shape?.declares(key))) return undefined;
      repairs.add("flat arguments");
    }
    return { name, input: valueOfJson(Object.fromEntries(rest), shape, repairs), repairs: [...repairs], id };
  }
  const given = holder[argumentKey];
  if (isDefinition(holder, given)) return undefined;
  const input = argumentsOf(given, shape, repairs);
  if (input === undefined) {
    if (!sure && schema === undefined) return undefined;
    return { name, input: {}, repairs: [...repairs], id, unreadable: `the ${argumentKey} of ${name} are not a JSON object` };
  }
  return { name, input, repairs: [...repairs], id };
}

/** `{"name", "description", "parameters": {"type": "object", "properties"}}` describes a tool. */
function isDefinition(holder: JsonObject, given: Json | undefined): boolean {
  return isObject(given) && given.type === "object" && isObject(given.properties) && typeof holder.description === "string";
}

/** Arguments as an object; JSON in a string is read once more, which is a repair. */
function argumentsOf(given: Json | undefined, shape: Shape | undefined, repairs: Repairs): JsonObject | undefined {
  if (given === undefined || given === null) return {};
  let value: Json = given;
  for (let layers = 0; typeof value === "string" && layers < 3; layers += 1) {
    if (value.trim() === "") return {};
    const read = readJson(value);
    if (read === undefined) return undefined;
    repairs.add("double-encoded JSON");
    if (read.mended) repairs.add("JSON syntax");
    value = read.value;
  }
  if (!isObject(value)) return undefined;
  return namedArguments(value, shape, repairs);
}

/** Checks the spelling of parameter names and the types below them against the schema. */
export function namedArguments(value: JsonObject, shape: Shape | undefined, repairs: Repairs): JsonObject {
  if (shape === undefined) return value;
  const names = Object.keys(value);
  const renamed = names.some((name) => knownName(name, shape, new Set()) !== name);
  const named = renamed ? Object.fromEntries(Object.entries(value).map(([key, one]) => [knownName(key, shape, repairs), one])) : value;
  const typed = valueOfJson(named, shape, repairs);
  return isObject(typed) ? typed : named;
}
