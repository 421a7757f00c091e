/** Notices a model that goes in circles: the same calls three times in a row, or a few in turn (A, B, A, B). */
import type { CallOutcome, CallPart } from "../history/message.ts";

/** Turns of the longest circle that is noticed. */
const longest = 4;
/** A circle is told to the model when it closes, to the person two turns later; so much later nothing helps. */
const [toldModel, toldPerson, atEnd] = [1, 3, 12];

/** How often a circle was closed since something else was called. */
export class Repetition {
  readonly #turns: string[] = [];
  readonly #results: string[] = [];
  #told = 0;

  /** `model`: tell the model. `person`: it was told and goes on. `end`: nothing helps, and nothing changes either. */
  note(calls: readonly CallPart[]): "model" | "person" | "end" | undefined {
    this.#turns.push(JSON.stringify(calls.map(({ name, input }) => [name, input])));
    const period = periodOf(this.#turns);
    if (period === undefined) {
      // A turn that breaks the circle begins anew; one inside a longer circle does not.
      if (!lengths.some((length) => length > 1 && repeats(this.#turns, length, 1))) this.#told = 0;
      return undefined;
    }
    this.#told += 1;
    if (this.#told === toldModel) return "model";
    if (this.#told === toldPerson) return "person";
    // Results of the latest turn are not there yet. Whoever waits for something sees it move.
    return this.#told >= atEnd && repeats(this.#results, period, period) ? "end" : undefined;
  }

  gave(outcomes: readonly CallOutcome[]): void {
    this.#results.push(JSON.stringify(outcomes.map(({ output }) => output)));
  }
}

const lengths = Array.from({ length: longest }, (_, index) => index + 1);

/** Turns after which the calls come again; one call alone has to come three times. */
function periodOf(turns: readonly string[]): number | undefined {
  return lengths.find((length) => repeats(turns, length, length === 1 ? 2 : length));
}

/** The last `count` entries are those that stand `length` before them. */
function repeats(entries: readonly string[], length: number, count: number): boolean {
  if (entries.length < length + count) return false;
  for (let back = 1; back <= count; back++) if (entries.at(-back) !== entries.at(-back - length)) return false;
  return true;
}
