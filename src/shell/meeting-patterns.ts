/**
 * Whether two patterns of one name can mean the same name, shown by such a name. Pure; pattern times pattern at most.
 * A bracket that names a class, an equivalence or a collating element is taken for any character: more is found, never less.
 */

interface Piece {
  /** Any run of characters; otherwise exactly one. */
  readonly star: boolean;
  readonly takes: (char: string) => boolean;
  /** The only character it takes, if there is one. */
  readonly only?: string;
}

const tried = [..."abcdefghijklmnopqrstuvwxyz0123456789._-ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const any = (): boolean => true;

/** No file has a longer name. */
const maxLength = 1_024;

/** A name that both match, or `undefined`. */
export function meetingName(one: string, other: string, classOf: (body: string, char: string) => boolean): string | undefined {
  if (one.length > maxLength || other.length > maxLength) return undefined;
  const a = piecesOf(one, classOf);
  const b = piecesOf(other, classOf);
  const known = new Map<number, string | undefined>();
  const meet = (i: number, j: number): string | undefined => {
    const key = i * (b.length + 1) + j;
    if (known.has(key)) return known.get(key);
    known.set(key, undefined);
    const found = step(i, j);
    known.set(key, found);
    return found;
  };
  const step = (i: number, j: number): string | undefined => {
    const x = a[i];
    const y = b[j];
    if (x === undefined && y === undefined) return "";
    if (x?.star === true) return meet(i + 1, j) ?? (y === undefined || y.star ? undefined : prefixed(y, any, meet(i, j + 1)));
    if (y?.star === true) return meet(i, j + 1) ?? (x === undefined ? undefined : prefixed(x, any, meet(i + 1, j)));
    if (x === undefined || y === undefined) return undefined;
    return prefixed(x, y.takes, meet(i + 1, j + 1), y.only);
  };
  return meet(0, 0);
}

function prefixed(piece: Piece, also: (char: string) => boolean, rest: string | undefined, only = piece.only): string | undefined {
  if (rest === undefined) return undefined;
  const char = (only === undefined ? tried : [only]).find((candidate) => piece.takes(candidate) && also(candidate));
  return char === undefined ? undefined : char + rest;
}

function piecesOf(pattern: string, classOf: (body: string, char: string) => boolean): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern.charAt(at);
    const end = char === "[" ? closingBracket(pattern, at) : -1;
    if (char === "*") pieces.push({ star: true, takes: any });
    else if (char === "?") pieces.push({ star: false, takes: any });
    else if (end >= 0) {
      const body = pattern.slice(at + 1, end);
      pieces.push({ star: false, takes: (one) => classOf(body, one) });
      at = end;
    } else {
      if (char === "\\") at += 1;
      const only = pattern.charAt(at);
      pieces.push({ star: false, takes: (one) => one === only, only });
    }
  }
  return pieces;
}

/** Where a bracket that opens at `open` closes; -1 if it never does and so is a character of its own. */
export function closingBracket(pattern: string, open: number): number {
  let index = open + 1;
  if (pattern[index] === "!" || pattern[index] === "^") index += 1;
  if (pattern[index] === "]") index += 1;
  while (index < pattern.length) {
    const kind = pattern[index] === "[" ? pattern.charAt(index + 1) : "";
    if (kind !== "" && ":=.".includes(kind)) {
      const end = pattern.indexOf(`${kind}]`, index + 2);
      if (end > 0) index = end + 1;
    } else if (pattern[index] === "]") return index;
    index += 1;
  }
  return -1;
}
