/** Patterns come from servers nobody here wrote: which of them could be made to run for ever. */

/** A repetition inside a repetition, alternatives inside one, or a reference back: the shapes that backtrack without end. */
const shapes = /\([^()]*[+*{|][^()]*\)[+*{]|\\\d/;

export function mayRunForever(pattern: string): boolean {
  return shapes.test(pattern);
}
