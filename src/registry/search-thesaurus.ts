/**
 * The concept tables in the form a search needs: from a stem to the stems that may stand for it, and the phrases
 * that count as one word. Built at the first search, never at start-up.
 */
import { nearGroups, sameGroups } from "./search-concepts.ts";
import { idiomRules, situationRules } from "./search-situations.ts";
import { topicLines } from "./search-topics.ts";
import { isLightWord, isStopWord, stem } from "./search-words.ts";

/** A word and how much it counts for the one asked. */
export interface Alternative {
  readonly term: string;
  readonly weight: number;
}

const sameWeight = 0.85;
const nearWeight = 0.5;
const situationWeight = 0.8;
const idiomWeight = 0.8;
const leastWeight = 0.3;
/** The weakest relations of a common word cost time and decide nothing. */
const maxAlternatives = 20;

export interface Thesaurus {
  alternatives(term: string): readonly Alternative[];
  /** The stem of a phrase that starts at `at`, longest first, and how many words it takes. */
  phraseAt(stems: readonly string[], at: number): { readonly term: string; readonly length: number } | undefined;
  idiomAt(stems: readonly string[], at: number): { readonly alternatives: readonly Alternative[]; readonly length: number } | undefined;
  /** Every stem it knows, for the correction of misspelled words. */
  readonly terms: readonly string[];
  /** The fields a word belongs to, each as a term of its own. */
  topicsOf(term: string): readonly string[];
}

/** `pull_request` and the words `pull request` have the same stem. */
export function phraseStem(phrase: string): string {
  return phrase.split("_").map(stem).join("_");
}

let built: Thesaurus | undefined;

export function thesaurus(): Thesaurus {
  built ??= build();
  return built;
}

function build(): Thesaurus {
  const links = new Map<string, Map<string, number>>();
  const phrases = new Map<string, string[][]>();
  const idioms = new Map<string, { parts: string[]; alternatives: Alternative[] }[]>();
  const link = (from: string, to: string, weight: number) => {
    if (from === to) return;
    const known = links.get(from) ?? new Map<string, number>();
    links.set(from, known);
    known.set(to, Math.max(known.get(to) ?? 0, weight));
  };
  const learned = new Set<string>();
  const learn = (word: string): string => {
    const term = phraseStem(word);
    const parts = term.split("_");
    const [first] = parts;
    if (parts.length > 1 && first !== undefined && !learned.has(term)) phrases.set(first, [...(phrases.get(first) ?? []), parts]);
    learned.add(term);
    return term;
  };
  for (const [lines, weight] of [
    [sameGroups, sameWeight],
    [nearGroups, nearWeight],
  ] as const) {
    for (const line of lines) {
      const group = line.split(" ").map(learn);
      for (const a of group) for (const b of group) link(a, b, weight);
    }
  }
  for (const line of idiomRules) {
    const [left = "", right = ""] = line.split(" > ");
    const parts = phraseStem(left).split("_");
    const [first] = parts;
    if (first === undefined) continue;
    const alternatives = right.split(" ").map((word) => ({ term: phraseStem(word), weight: idiomWeight }));
    idioms.set(first, [...(idioms.get(first) ?? []), { parts, alternatives }]);
  }
  const direct = new Map([...links].map(([from, to]) => [from, [...to]]));
  // What stands for a word also stands for the words that mean the same.
  for (const [term, others] of direct) {
    for (const [other, weight] of others) {
      if (weight < sameWeight) continue;
      for (const [further, ofOther] of direct.get(other) ?? []) if (weight * ofOther >= leastWeight) link(term, further, weight * ofOther);
    }
  }
  for (const line of situationRules) {
    const [left = "", right = ""] = line.split(" > ");
    const to = right.split(" ").map(learn);
    for (const a of left.split(" ").map(learn)) {
      for (const b of to) {
        link(a, b, situationWeight);
        for (const [other, weight] of direct.get(b) ?? []) if (weight >= sameWeight) link(a, other, situationWeight * weight);
      }
    }
  }
  const topics = new Map<string, string[]>();
  for (const line of topicLines) {
    const [heads = "", situation = ""] = line.split(" : ");
    const topic = `@${heads.replaceAll(" ", "-")}`;
    for (const word of `${heads} ${situation}`.split(" ")) {
      if (isStopWord(word) || isLightWord(word)) continue;
      const term = stem(word);
      const list = topics.get(term) ?? [];
      topics.set(term, list);
      if (!list.includes(topic)) list.push(topic);
    }
  }
  const alternatives = new Map(
    [...links].map(([term, to]) => {
      const strongest = [...to].sort(([, a], [, b]) => b - a).slice(0, maxAlternatives);
      return [term, strongest.map(([other, weight]) => ({ term: other, weight }))];
    }),
  );
  const fits = (parts: readonly string[], stems: readonly string[], at: number) => parts.every((part, step) => stems[at + step] === part);
  return {
    terms: [...links.keys()].filter((term) => !term.includes("_")),
    topicsOf: (term) => topics.get(term) ?? [],
    alternatives: (term) => alternatives.get(term) ?? [],
    phraseAt(stems, at) {
      const first = stems[at];
      const candidates = (first === undefined ? undefined : phrases.get(first))?.filter((parts) => fits(parts, stems, at)) ?? [];
      const best = candidates.reduce<string[] | undefined>(
        (longest, parts) => (longest && longest.length >= parts.length ? longest : parts),
        undefined,
      );
      return best && { term: best.join("_"), length: best.length };
    },
    idiomAt(stems, at) {
      const first = stems[at];
      const found = (first === undefined ? undefined : idioms.get(first))?.find(({ parts }) => fits(parts, stems, at));
      return found && { alternatives: found.alternatives, length: found.parts.length };
    },
  };
}

/** A word without relations here is a name: of a product, a server, a person. */
export function isProperName(term: string): boolean {
  return thesaurus().alternatives(term).length === 0 && thesaurus().topicsOf(term).length <= 1;
}
