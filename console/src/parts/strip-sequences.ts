/** Keeps of a program's output what is text or colour; titles, links, clipboard, cursor moves are dropped. Pure. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this finds
const strings = /\u001b(?:\]|P|X|\^|_)[\s\S]*?(?:\u0007|\u001b\\|$)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this finds
const otherControls = /\u001b\[[0-?]*[ -/]*(?!m)[@-~]|\u001b[ -/]*[0-Zc-~\\^_`ab]|\u009b[0-?]*[ -/]*[@-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
const bareControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;

export function stripSequences(text: string): string {
  const plain = text.replace(strings, "").replace(otherControls, "");
  return plain
    .split("\n")
    .map((line) => {
      const at = line.trimEnd().lastIndexOf("\r");
      return at < 0 ? line : line.trimEnd().slice(at + 1);
    })
    .join("\n")
    .replace(bareControls, "");
}
