/**
 * What a server asks of the person while it works on a call: a form, a page to open, an answer to a prompt. Each field is one
 * question. Everything but a clear answer is a no, and where nobody can be asked the server is told so.
 */
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject } from "./imported-tool.ts";

/** Whoever sits at the session that made the call. */
export interface Person {
  readonly sessionId: string;
  /** `undefined`: they refused, or there is nobody. */
  ask(question: { readonly key: string; readonly reason: string }, signal: AbortSignal): Promise<string | undefined>;
}

type FormValue = string | number | boolean | string[];
type Field = JsonObject;

const maxFields = 20;
const maxWords = 4_000;
/** How often a field is asked for again if what was typed is no value of it. */
const attempts = 3;
const yes = /^(?:y|yes|true|1|ok|是|好)$/i;
const no = /^(?:n|no|false|0|否|不)$/i;

export async function elicited(params: ElicitRequest["params"], person: Person | undefined, signal: AbortSignal): Promise<ElicitResult> {
  if (person === undefined) return { action: "cancel" };
  if (params.mode === "url") {
    const reason = words(`${params.message}\nOpen this page if you trust it, then answer yes: ${params.url}`);
    return { action: yes.test((await person.ask({ key: "yes", reason }, signal)) ?? "") ? "accept" : "decline" };
  }
  const { properties, required } = params.requestedSchema as { readonly properties?: unknown; readonly required?: unknown };
  const fields = Object.entries(isObject(properties) ? properties : {});
  if (fields.length > maxFields) return { action: "decline" };
  if (fields.length === 0) {
    const answer = await person.ask({ key: "yes", reason: words(params.message) }, signal);
    return yes.test(answer ?? "") ? { action: "accept", content: {} } : { action: "decline" };
  }
  const content: Record<string, FormValue> = {};
  for (const [name, field] of fields) {
    const isNeeded = Array.isArray(required) && (required as unknown[]).includes(name);
    const value = await fieldValue(name, isObject(field) ? field : {}, { isNeeded, message: params.message, person, signal });
    if (value === "refused") return { action: "decline" };
    if (value !== undefined) content[name] = value.is;
  }
  return { action: "accept", content };
}

/** The person's own answer to a prompt of a server; `undefined` if there is none. */
export async function sampled(params: unknown, person: Person | undefined, signal: AbortSignal): Promise<string | undefined> {
  const { messages, systemPrompt } = (isObject(params) ? params : {}) as { readonly messages?: unknown; readonly systemPrompt?: unknown };
  const said = (Array.isArray(messages) ? (messages as Json[]) : []).filter(isObject).map(messageText);
  const prompt = [...(typeof systemPrompt === "string" && systemPrompt !== "" ? [systemPrompt] : []), ...said].join("\n\n");
  const answer = await person?.ask({ key: "answer", reason: words(`It wants an answer to this prompt:\n${prompt}`) }, signal);
  return answer === undefined || answer === "" ? undefined : answer;
}

interface Asked {
  readonly isNeeded: boolean;
  readonly message: string;
  readonly person: Person;
  readonly signal: AbortSignal;
}

async function fieldValue(
  name: string,
  field: Field,
  { isNeeded, message, person, signal }: Asked,
): Promise<{ readonly is: FormValue } | "refused" | undefined> {
  const fallback = field.default as FormValue | undefined;
  let wrong = "";
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const reason = words([message, `${titleOf(name, field)} (${kindOf(field, isNeeded)})`, wrong].filter((part) => part !== "").join("\n"));
    const typed = await person.ask({ key: name, reason }, signal);
    if (typed === undefined) return "refused";
    if (typed.trim() === "" && fallback !== undefined) return { is: fallback };
    if (typed.trim() === "" && !isNeeded) return undefined;
    const value = typed.trim() === "" ? undefined : parsed(typed, field);
    if (value !== undefined) return { is: value };
    wrong = `That is no value of ${name}.`;
  }
  return "refused";
}

function parsed(typed: string, field: Field): FormValue | undefined {
  const choices = choicesOf(field);
  if (field.type === "array") {
    const picked = typed
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
    const isKnown = choices.length === 0 || picked.every((one) => choices.includes(one));
    return isKnown && isWithin(picked.length, field.minItems, field.maxItems) ? picked : undefined;
  }
  if (choices.length > 0) return choices.find((choice) => choice === typed.trim());
  if (field.type === "boolean") return yes.test(typed.trim()) ? true : no.test(typed.trim()) ? false : undefined;
  if (field.type === "number" || field.type === "integer") {
    const value = Number(typed.trim());
    const isNumber = typed.trim() !== "" && Number.isFinite(value) && (field.type === "number" || Number.isInteger(value));
    return isNumber && isWithin(value, field.minimum, field.maximum) ? value : undefined;
  }
  return isWithin([...typed].length, field.minLength, field.maxLength) ? typed : undefined;
}

function isWithin(value: number, least: Json | undefined, most: Json | undefined): boolean {
  return !(typeof least === "number" && value < least) && !(typeof most === "number" && value > most);
}

/** Of the forms that the protocol's eras have: `enum`, `oneOf` with `const`, and both within `items`. */
function choicesOf(field: Field): readonly string[] {
  const from = isObject(field.items) ? field.items : field;
  if (Array.isArray(from.enum)) return (from.enum as Json[]).map(String);
  const titled = [from.oneOf, from.anyOf].find((list) => Array.isArray(list)) as Json[] | undefined;
  return (titled ?? []).filter(isObject).flatMap((choice) => (choice.const === undefined ? [] : [String(choice.const)]));
}

function titleOf(name: string, { title, description }: Field): string {
  const called = typeof title === "string" && title !== "" ? title : name;
  return typeof description === "string" && description !== "" ? `${called}: ${description}` : called;
}

function kindOf(field: Field, isNeeded: boolean): string {
  const choices = choicesOf(field);
  const kind = choices.length > 0 ? `${field.type === "array" ? "some" : "one"} of ${choices.join(", ")}` : String(field.type ?? "text");
  const fallback = field.default === undefined ? "" : `; empty means ${JSON.stringify(field.default)}`;
  return `${kind}${isNeeded ? "" : ", optional"}${fallback}`;
}

function messageText({ role, content }: JsonObject): string {
  const blocks = (Array.isArray(content) ? (content as Json[]) : [content ?? null]).filter(isObject);
  return `${String(role)}: ${blocks.map((block) => (block.type === "text" ? String(block.text) : `[${String(block.type)}]`)).join("\n")}`;
}

function words(text: string): string {
  return text.length <= maxWords ? text : `${text.slice(0, maxWords)} […]`;
}
