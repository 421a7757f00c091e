/**
 * The text that Claude Code gives its shell, taken apart: `source SNAPSHOT && eval 'COMMAND' \< /dev/null && pwd -P >| FILE`.
 * Refuses what it does not know exactly: such a text runs as it is.
 */

export interface WrappedCommand {
  readonly command: string;
  /** The agent reads the new directory there. */
  readonly directoryFile: string;
}

export function unwrapped(text: string): WrappedCommand | undefined {
  const at = /(?:^|&&|;)\s*eval\s+/.exec(text);
  if (at === null) return undefined;
  const word = firstWord(text.slice(at.index + at[0].length));
  if (word === undefined) return undefined;
  const tail = /^\s*(?:\\?<\s*\/dev\/null)?\s*&&\s*pwd\s+-P\s*>\|?\s*(\S+)\s*$/.exec(word.rest);
  const file = tail?.[1] === undefined ? undefined : firstWord(tail[1]);
  return file === undefined || file.rest !== "" ? undefined : { command: word.value, directoryFile: file.value };
}

/** One word of a shell with its quotes taken off; `undefined` if it holds anything that a shell would fill in. */
function firstWord(text: string): { readonly value: string; readonly rest: string } | undefined {
  let value = "";
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const single = /^'([^']*)'/.exec(rest);
    const double = /^"((?:[^"\\$`]|\\[\s\S])*)"/.exec(rest);
    const escaped = /^\\([\s\S])/.exec(rest);
    const plain = /^[^\s'"\\$`&;|<>()]/.exec(rest);
    const part = single ?? double ?? escaped ?? plain;
    if (part === null) break;
    if (escaped !== null && part === escaped && escaped[1] === "<") break;
    value += part === double ? (double?.[1] ?? "").replace(/\\([$`"\\])/g, "$1") : part === plain ? part[0] : (part[1] ?? "");
    at += part[0].length;
  }
  return at === 0 || /^[$`]/.test(text.slice(at)) ? undefined : { value, rest: text.slice(at) };
}
