/** Any of a terminal's colours as one of the tones that can be read in both themes. Pure. */

export type Tone = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

const named = new Set<string>(["red", "green", "yellow", "blue", "magenta", "cyan"]);
/** Below this a colour is a grey, and greys are the text's own. */
const leastSaturation = 0.25;
const cube = [0, 95, 135, 175, 215, 255] as const;
const first16 = [undefined, "red", "green", "yellow", "blue", "magenta", "cyan", undefined] as const;

/** `name` as anser gives it: `ansi-red`, `ansi-bright-red`, `ansi-palette-208`, `ansi-truecolor` with its three numbers. */
export function toneOf(name: string | null, truecolour: string | null): Tone | undefined {
  if (name === null) return undefined;
  const plain = name.replace(/^ansi-(?:bright-)?/, "");
  if (named.has(plain)) return plain as Tone;
  if (plain === "truecolor") return toneOfRgb((truecolour ?? "").split(",").map(Number));
  const index = /^palette-(\d+)$/.exec(plain)?.[1];
  return index === undefined ? undefined : toneOfIndex(Number(index));
}

function toneOfIndex(index: number): Tone | undefined {
  if (index < 16) return first16[index % 8];
  if (index >= 232) return undefined;
  const place = index - 16;
  return toneOfRgb([cube[Math.floor(place / 36)] ?? 0, cube[Math.floor(place / 6) % 6] ?? 0, cube[place % 6] ?? 0]);
}

function toneOfRgb([red = 0, green = 0, blue = 0]: readonly number[]): Tone | undefined {
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (most === 0 || spread / most < leastSaturation) return undefined;
  const turn = most === red ? ((green - blue) / spread + 6) % 6 : most === green ? (blue - red) / spread + 2 : (red - green) / spread + 4;
  const tones: readonly Tone[] = ["red", "yellow", "green", "cyan", "blue", "magenta"];
  return tones[Math.round(turn) % 6];
}
