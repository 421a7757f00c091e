/**
 * What kind of doing a question or a tool is about: looking, making, changing, removing, sending.
 * A hint for the ranking between tools on the same subject ("who is in the channel" is not "create channel"), never a filter.
 */
import type { Tool } from "../../contract/index.ts";
import { isStopWord, stem, words } from "./search-words.ts";

export type Intent = "look" | "make" | "change" | "remove" | "send";

const verbsOf: Readonly<Record<Intent, string>> = {
  look:
    "get list search find read show view describe query fetch retrieve check lookup look browse count analyze inspect explain tell compare estimate " +
    "calculate see display summarize preview track monitor detect identify know status statistics history details info verify validate watch read",
  make: "create add new make build generate insert open draft write compose register record log book reserve schedule start begin set_up launch enter put",
  change:
    "update edit set change modify move rename assign adjust mark toggle replace resize raise lower increase decrease shift correct fix convert switch",
  remove:
    "delete remove cancel drop destroy purge clear revoke archive close stop end ban unsubscribe erase wipe abort withdraw disable kick discard undo void",
  send: "send post publish reply share forward announce submit deliver text message notify push email mail answer transfer",
};

const intents = new Map<string, Intent>();
const askingWords = new Set(
  "what whats who whos which when where whose how is are was were did does do has have had any why will am".split(" "),
);
const agreement = 1.12;
const looksInstead = 0.82;
const doesInstead = 0.8;
const otherDoing = 0.9;

function intentOfTerm(term: string): Intent | undefined {
  if (intents.size === 0)
    for (const [intent, verbs] of Object.entries(verbsOf) as [Intent, string][])
      for (const verb of verbs.split(" ")) if (!intents.has(stem(verb))) intents.set(stem(verb), intent);
  return intents.get(term);
}

/** By its first words: a question looks, an order says what to do. */
export function intentOfQuestion(question: string): Intent | undefined {
  const plain = words(question.slice(0, 200));
  const [first, second, third] = plain;
  if (first === undefined) return undefined;
  const howTo = first === "how" && (second === "do" || second === "can" || second === "to" || third === "i");
  if (askingWords.has(first) && !howTo) return "look";
  for (const word of plain.slice(0, 6)) {
    if (isStopWord(word) && word !== "tell") continue;
    const intent = intentOfTerm(stem(word));
    if (intent !== undefined) return intent;
  }
  return undefined;
}

const known = new WeakMap<Tool, Intent | "none">();

export function intentOfTool(tool: Tool, nameTerms: readonly string[]): Intent | undefined {
  let intent = known.get(tool);
  if (intent === undefined) {
    const [firstOfDescription = ""] = words(tool.description.slice(0, 80));
    const terms = [...nameTerms, stem(firstOfDescription)];
    intent = terms.map(intentOfTerm).find((found) => found !== undefined) ?? "none";
    known.set(tool, intent);
  }
  return intent === "none" ? undefined : intent;
}

export function intentFactor(asked: Intent | undefined, offered: Intent | undefined): number {
  if (asked === undefined || offered === undefined) return 1;
  if (asked === offered) return agreement;
  if (asked === "look") return doesInstead;
  return offered === "look" ? looksInstead : otherDoing;
}
