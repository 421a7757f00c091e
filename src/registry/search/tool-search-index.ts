/**
 * The search over tool texts: an inverted index that grows with the catalogue, and the ranking.
 * Each concept of a question counts once, by its best word in a tool; rare words count more than common ones;
 * tools whose name is what was asked come before tools that merely mention it. Ties keep the order of registration.
 */
import type { Tool } from "../../contract/index.ts";
import { intentFactor, intentOfQuestion, intentOfTool } from "./search-intent.ts";
import { type Concept, conceptsOf, type Vocabulary } from "./search-question.ts";
import { synonymsOf } from "./search-synonyms.ts";
import { textOf } from "./tool-text.ts";

export interface Hit {
  readonly tool: Tool;
  readonly score: number;
}

interface Posting {
  readonly tools: number[];
  readonly impacts: number[];
}

/** Candidates that get the closer look. */
const shortlist = 80;
/** Of the best score; below, a tool shares a word by chance and would only fill the model's list. */
const cutOff = 0.22;
const nameBonus = 0.5;
const serverBonus = 1;
const coverageShare = 0.62;

export class ToolSearchIndex {
  readonly #tools: Tool[] = [];
  readonly #postings = new Map<string, Posting>();
  readonly #byLetters = new Map<string, string[]>();
  readonly #vocabulary: Vocabulary = {
    has: (term) => this.#postings.has(term),
    startingWith: (letters) => this.#byLetters.get(letters) ?? [],
  };
  #scores = new Float64Array(0);
  #covered = new Float64Array(0);
  #best = new Float64Array(0);

  get size(): number {
    return this.#tools.length;
  }

  add(tool: Tool): void {
    const at = this.#tools.push(tool) - 1;
    const { terms, impacts } = textOf(tool);
    for (const [step, term] of terms.entries()) {
      let posting = this.#postings.get(term);
      if (posting === undefined) {
        posting = { tools: [], impacts: [] };
        this.#postings.set(term, posting);
        this.#learn(term);
      }
      posting.tools.push(at);
      posting.impacts.push(impacts[step] ?? 0);
    }
  }

  /** Best first. `among` restricts to the first so many tools, for a view taken before others were added. */
  search(question: string, limit: number, among = this.#tools.length): readonly Hit[] {
    const concepts = conceptsOf(question, this.#vocabulary);
    if (concepts.length === 0 || limit <= 0) return [];
    const touched = this.#score(concepts, among);
    const ranked = this.#strongest(touched, Math.max(shortlist, limit));
    const matched = matchedTerms(concepts);
    const intent = intentOfQuestion(question);
    const total = concepts.reduce((sum, concept) => sum + concept.weight, 0);
    const hits = ranked.flatMap((at) => {
      const tool = this.#tools[at];
      if (tool === undefined) return [];
      const coverage = (this.#covered[at] ?? 0) / total;
      const score =
        (this.#scores[at] ?? 0) *
        (1 - coverageShare + coverageShare * coverage) *
        (1 + nameBonus * nameMatch(tool, matched)) *
        (1 + serverBonus * serverMatch(tool, matched)) *
        intentFactor(intent, intentOfTool(tool, textOf(tool).name));
      return [{ tool, score, at }];
    });
    hits.sort((a, b) => b.score - a.score || a.at - b.at);
    const floor = (hits[0]?.score ?? 0) * cutOff;
    return hits.filter((hit) => hit.score >= floor).slice(0, limit);
  }

  #score(concepts: readonly Concept[], among: number): readonly number[] {
    if (this.#scores.length < this.#tools.length) {
      const room = Math.ceil(this.#tools.length * 1.5);
      this.#scores = new Float64Array(room);
      this.#covered = new Float64Array(room);
      this.#best = new Float64Array(room);
    }
    this.#scores.fill(0);
    this.#covered.fill(0);
    const touched: number[] = [];
    for (const concept of concepts) {
      const own = concept.alternatives[0];
      const ownPosting = own && this.#postings.get(own.term);
      const ceiling = ownPosting === undefined ? Number.POSITIVE_INFINITY : this.#rarity(ownPosting);
      const reached: number[] = [];
      for (const { term, weight } of concept.alternatives) {
        const posting = this.#postings.get(term);
        if (posting === undefined) continue;
        const worth = weight * Math.min(this.#rarity(posting), ceiling);
        for (let step = 0; step < posting.tools.length; step++) {
          const at = posting.tools[step] ?? 0;
          if (at >= among) break;
          const value = worth * (posting.impacts[step] ?? 0);
          const before = this.#best[at] ?? 0;
          if (before === 0) reached.push(at);
          if (value > before) this.#best[at] = value;
        }
      }
      for (const at of reached) {
        if (this.#scores[at] === 0) touched.push(at);
        this.#scores[at] = (this.#scores[at] ?? 0) + concept.weight * (this.#best[at] ?? 0);
        this.#covered[at] = (this.#covered[at] ?? 0) + concept.weight;
        this.#best[at] = 0;
      }
    }
    return touched;
  }

  /** The few best of many, without sorting the many. */
  #strongest(touched: readonly number[], count: number): readonly number[] {
    const scores = this.#scores;
    const before = (a: number, b: number) => (scores[a] ?? 0) - (scores[b] ?? 0) || b - a;
    const kept: number[] = [];
    for (const at of touched) {
      const last = kept[kept.length - 1];
      if (kept.length === count && last !== undefined && before(at, last) <= 0) continue;
      let low = 0;
      let high = kept.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (before(at, kept[middle] ?? 0) > 0) high = middle;
        else low = middle + 1;
      }
      kept.splice(low, 0, at);
      if (kept.length > count) kept.pop();
    }
    return kept;
  }

  #rarity(posting: Posting): number {
    const count = posting.tools.length;
    return Math.log(1 + (this.#tools.length - count + 0.5) / (count + 0.5));
  }

  #learn(term: string): void {
    for (const letters of [term.slice(0, 1), term.slice(0, 2)]) {
      const list = this.#byLetters.get(letters);
      if (list === undefined) this.#byLetters.set(letters, [term]);
      else list.push(term);
    }
  }
}

function matchedTerms(concepts: readonly Concept[]): ReadonlyMap<string, number> {
  const matched = new Map<string, number>();
  for (const concept of concepts)
    for (const { term, weight } of concept.alternatives) matched.set(term, Math.max(matched.get(term) ?? 0, weight));
  return matched;
}

/** How much of a tool's own name the question speaks of, from 0 to 1. */
function nameMatch(tool: Tool, matched: ReadonlyMap<string, number>): number {
  const { name } = textOf(tool);
  if (name.length === 0) return 0;
  return name.reduce((sum, term) => sum + (matched.get(term) ?? 0), 0) / name.length;
}

/** Whether the question names where the tool comes from. A word without synonyms is a name: of a product, a server, a person. */
function serverMatch(tool: Tool, matched: ReadonlyMap<string, number>): number {
  const { server } = textOf(tool);
  if (server.length === 0) return 0;
  return server.filter((term) => matched.get(term) === 1 && synonymsOf(term).length === 0).length / server.length;
}
