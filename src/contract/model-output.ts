/** How much of a text a model reads (C8): estimates of tokens where no provider has counted them, and the cut. */

const bytesPerAsciiToken = 4;
const headShare = 0.8;

/** About four letters a token, and a token for each character of other scripts. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) others += 1;
  return Math.ceil((text.length - others) / bytesPerAsciiToken + others);
}

/** Head and tail of a text, with the reference under which `ReadOutput` reads the whole. */
export function cutForModel(text: string, maxTokens: number, ref: string): string {
  const head = headOf(text, Math.floor(maxTokens * headShare));
  const tail = tailOf(text.slice(head.length), maxTokens - Math.floor(maxTokens * headShare));
  const dropped = text.length - head.length - tail.length;
  return `${head}\n[${dropped} characters left out here; ReadOutput {"ref": "${ref}"} reads the whole]\n${tail}`;
}

/** The longest beginning of `text` that has at most so many estimated tokens; no character is split. */
function headOf(text: string, tokens: number): string {
  return text.slice(0, cutAt(text, tokens, 0, 1));
}

function tailOf(text: string, tokens: number): string {
  return text.slice(cutAt(text, tokens, text.length - 1, -1) + 1);
}

/** Index of the first character, from `start` in the direction `step`, that does not fit any more. */
function cutAt(text: string, tokens: number, start: number, step: 1 | -1): number {
  let left = tokens * bytesPerAsciiToken;
  let at = start;
  while (at >= 0 && at < text.length) {
    left -= text.charCodeAt(at) > 0x7f ? bytesPerAsciiToken : 1;
    if (left < 0) break;
    at += step;
  }
  const isLow = (index: number) => (text.charCodeAt(index) & 0xfc00) === 0xdc00;
  // A surrogate pair stays together.
  if (step === 1 && isLow(at)) return at - 1;
  return step === -1 && isLow(at + 1) ? at + 1 : at;
}
