/**
 * From a question to what is asked: a list of concepts, each a few words of which any one will do.
 * Knows how people phrase things (fixed expressions, separated verbs, misspellings), not which tools exist.
 */
import { distance } from "fastest-levenshtein";
import { segmentChinese } from "./search-chinese.ts";
import { type Alternative, phraseAt, phraseStem, synonymsOf, synonymTerms } from "./search-synonyms.ts";
import { bigrams, cjkRuns, hasCjk, isLightWord, isStopWord, stem, words } from "./search-words.ts";

export interface Concept {
  readonly weight: number;
  /** The word itself comes first, with weight 1. */
  readonly alternatives: readonly Alternative[];
}

/** What an index knows of words. */
export interface Vocabulary {
  has(term: string): boolean;
  /** Every term that begins with these two letters. */
  startingWith(letters: string): readonly string[];
}

const lightWeight = 0.3;
const constituentWeight = 0.6;
const misspelledWeight = 0.7;
const beginningWeight = 0.6;
/** A question is a sentence; more is cut, so that a pasted document costs no more than one. */
const maxQuestion = 500;
const maxConcepts = 40;
const contentWeight = 0.4;
const sayingVerbs = new Set([
  "tell",
  "say",
  "text",
  "email",
  "mail",
  "write",
  "message",
  "notify",
  "inform",
  "remind",
  "announce",
  "post",
  "note",
  "reply",
  "know",
]);
const particles = new Set(["on", "off", "up", "down", "back", "out", "in", "away", "aside", "together", "over", "know"]);
const particleReach = 7;

export function conceptsOf(question: string, vocabulary: Vocabulary): readonly Concept[] {
  const text = question.slice(0, maxQuestion);
  const concepts: Concept[] = [];
  if (hasCjk(text)) concepts.push(...chineseConcepts(text, vocabulary));
  concepts.push(...wordConcepts(text, vocabulary));
  return merged(concepts).slice(0, maxConcepts);
}

function wordConcepts(text: string, vocabulary: Vocabulary): readonly Concept[] {
  const plain = joinParticles(words(text));
  const stems = plain.map(stem);
  const concepts: Concept[] = [];
  const content = contentStart(plain);
  let phraseEnd = 0;
  for (let at = 0; at < stems.length; at++) {
    const phrase = phraseAt(stems, at);
    if (phrase !== undefined) {
      concepts.push(known(phrase.term, 1));
      phraseEnd = Math.max(phraseEnd, at + phrase.length);
    }
    const word = plain[at];
    const term = stems[at];
    if (word === undefined || term === undefined || isStopWord(word)) continue;
    const weight = (isLightWord(word) ? lightWeight : 1) * (at < phraseEnd ? constituentWeight : 1) * (at >= content ? contentWeight : 1);
    concepts.push(understood(term, weight, vocabulary));
    const next = stems[at + 1];
    if (next !== undefined && vocabulary.has(term + next)) concepts.push(known(term + next, 1));
  }
  return concepts;
}

/** "tell the team that lunch is ready", "studies about sleep": what follows is handed to the tool and does not name it. */
function contentStart(plain: readonly string[]): number {
  const about = plain.findIndex((word, at) => at >= 2 && (word === "about" || word === "regarding" || word === "called"));
  const that = plain.findIndex((word, at) => at >= 2 && word === "that" && plain.slice(0, at).some((before) => sayingVerbs.has(before)));
  const starts = [about, that].filter((at) => at >= 0);
  return starts.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...starts);
}

/** "turn the light off" is "turn off the light": the particle moves to its verb where the two make a known phrase. */
function joinParticles(plain: readonly string[]): readonly string[] {
  const result = [...plain];
  for (let at = 0; at < result.length; at++) {
    for (let step = 2; step <= particleReach; step++) {
      const particle = result[at + step];
      if (particle === undefined) break;
      if (!particles.has(particle)) continue;
      const pair = [result[at] ?? "", particle].map(stem);
      if (phraseAt(pair, 0)?.length !== 2) continue;
      result.splice(at + step, 1);
      result.splice(at + 1, 0, particle);
      break;
    }
  }
  return result;
}

function known(term: string, weight: number): Concept {
  return { weight, alternatives: [{ term, weight: 1 }, ...synonymsOf(term)] };
}

/** A word nobody here knows may be misspelled, shortened, or two words written as one. */
function understood(term: string, weight: number, vocabulary: Vocabulary): Concept {
  const concept = known(term, weight);
  if (concept.alternatives.some((alternative) => vocabulary.has(alternative.term))) return concept;
  const guesses = guessesFor(term, vocabulary);
  return { weight, alternatives: [...concept.alternatives, ...guesses] };
}

function guessesFor(term: string, vocabulary: Vocabulary): readonly Alternative[] {
  if (term.length < 4) return [];
  const candidates = [...vocabulary.startingWith(term.slice(0, 2)), ...termsWithSynonyms(term.slice(0, 1))];
  const beginnings = candidates.filter((other) => beginsAlike(term, other));
  if (beginnings.length > 0) return withMeaning(beginnings.slice(0, 8), beginningWeight);
  const halves = twoWords(term, vocabulary);
  if (halves.length > 0) return halves.map((half) => ({ term: half, weight: beginningWeight }));
  const tolerated = term.length >= 7 ? 2 : 1;
  const all = [...vocabulary.startingWith(term.slice(0, 1)), ...termsWithSynonyms(term.slice(0, 1))];
  let nearest = tolerated + 1;
  let found: string[] = [];
  for (const other of all) {
    if (other.length < 4 || Math.abs(other.length - term.length) > tolerated) continue;
    const apart = swapped(term, other) ? 1 : distance(term, other);
    if (apart < nearest) found = [];
    if (apart <= nearest && apart <= tolerated) {
      nearest = apart;
      found.push(other);
    }
  }
  return withMeaning([...new Set(found)].slice(0, 4), misspelledWeight);
}

function withMeaning(terms: readonly string[], weight: number): readonly Alternative[] {
  return terms.flatMap((term) => [
    { term, weight },
    ...synonymsOf(term).map((other) => ({ term: other.term, weight: other.weight * weight })),
  ]);
}

/** `repo` for `repository`, `config` for `configure`; the other way round only where nearly all of the word is the same. */
function beginsAlike(asked: string, other: string): boolean {
  if (other.startsWith(asked)) return other.length - asked.length <= 7;
  return other.length >= 6 && asked.startsWith(other) && asked.length - other.length <= 3;
}

function twoWords(term: string, vocabulary: Vocabulary): readonly string[] {
  for (let cut = 3; cut <= term.length - 3; cut++) {
    const halves = [stem(term.slice(0, cut)), stem(term.slice(cut))];
    if (halves.every((half) => vocabulary.has(half))) return halves;
  }
  return [];
}

/** Two neighbouring letters exchanged: one mistake of the fingers, two of the usual count. */
function swapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

const byLetter = new Map<string, string[]>();

function termsWithSynonyms(letter: string): readonly string[] {
  if (byLetter.size === 0) {
    for (const term of synonymTerms()) {
      const [first = ""] = term;
      const list = byLetter.get(first);
      if (list === undefined) byLetter.set(first, [term]);
      else list.push(term);
    }
  }
  return byLetter.get(letter) ?? [];
}

function chineseConcepts(text: string, vocabulary: Vocabulary): readonly Concept[] {
  return cjkRuns(text).flatMap((run) => {
    const { found, rest } = segmentChinese(run);
    const words = found.map((english) => {
      const terms = english.map(phraseStem);
      const light = terms.every(isLightWord);
      return { weight: light ? lightWeight : 1, alternatives: terms.flatMap((term) => known(term, 1).alternatives) };
    });
    const literal = bigrams(run).filter((pair) => vocabulary.has(pair));
    const open = rest.flatMap(bigrams).filter((pair) => vocabulary.has(pair));
    return [...words, ...[...new Set([...literal, ...open])].map((pair) => ({ weight: 0.7, alternatives: [{ term: pair, weight: 1 }] }))];
  });
}

/** A word said twice is one concept. */
function merged(concepts: readonly Concept[]): readonly Concept[] {
  const seen = new Map<string, Concept>();
  for (const concept of concepts) {
    const first = concept.alternatives[0];
    if (first === undefined) continue;
    const before = seen.get(first.term);
    if (before === undefined || before.weight < concept.weight) seen.set(first.term, concept);
  }
  return [...seen.values()];
}
