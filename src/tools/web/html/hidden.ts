/**
 * Which elements a person who looks at the page does not see: machinery, and what `hidden` or an inline style hides. Hidden
 * text is a common place for instructions that only a model would read.
 */
import type { PageElement } from "./dom.ts";

const machinery = new Set(
  (
    "script style template noscript head link meta base title iframe frame frameset object embed applet canvas svg video audio source track " +
    "map area input select textarea option datalist param dialog noembed noframes"
  ).split(" "),
);

/** Never shown as text, whatever its attributes say. */
export function isMachinery(element: PageElement): boolean {
  return machinery.has(element.localName) && !(element.localName === "dialog" && element.hasAttribute("open"));
}

export function isHidden(element: PageElement): boolean {
  if (element.attributes.length === 0) return false;
  if (element.hasAttribute("hidden")) return true;
  const style = element.getAttribute("style");
  return style !== null && style !== "" && hides(plainStyle(style));
}

/** Without comments and escapes, behind which a word such as `none` could be spelled. */
function plainStyle(style: string): string {
  const bare = withoutComments(style);
  if (!bare.includes("\\")) return bare.toLowerCase();
  const unescaped = bare.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex: string | undefined, other: string | undefined) => {
    const code = hex === undefined ? undefined : Number.parseInt(hex, 16);
    return code === undefined ? (other ?? "") : code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
  });
  return unescaped.toLowerCase();
}

function withoutComments(style: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = style.indexOf("/*"); at !== -1; at = style.indexOf("/*", from)) {
    parts.push(style.slice(from, at));
    const end = style.indexOf("*/", at + 2);
    if (end === -1) return parts.join("");
    from = end + 2;
  }
  return from === 0 ? style : parts.join("") + style.slice(from);
}

/** What decides about a value stands at its beginning; the rest is a picture or a list of fonts. */
const longestValue = 300;

/** Farther than any screen. */
const offScreenPixels = 900;
/** Nobody reads letters of this size, or paler than this. */
const leastFontPixels = 2;
const leastOpacity = 0.03;

const pixels: Readonly<Record<string, number>> = { em: 16, rem: 16, vw: 12, vh: 9, "%": 9, pt: 1.33, pc: 16, cm: 37.8, mm: 3.78, in: 96 };

function hides(style: string): boolean {
  const rules = rulesOf(style);
  const is = (name: string, pattern: RegExp): boolean => {
    const value = rules.get(name);
    return value !== undefined && pattern.test(value);
  };
  if (is("display", /^none$/) || is("visibility", /^(?:hidden|collapse)$/) || is("content-visibility", /^hidden$/)) return true;
  if (isPale(rules.get("opacity")) || isPale(/opacity\(([^)]*)\)/.exec(rules.get("filter") ?? "")?.[1]) || is("zoom", /^0+$/)) return true;
  if (isTiny(rules.get("font-size")) || (rules.get("font") ?? "").split(/[\s/]/).some(isTiny)) return true;
  if (is("transform", /scale[xy]?\(\s*0*\.?0*\s*[,)]/) || is("scale", /^0*\.?0+(?:\s|$)/)) return true;
  if (is("clip", /rect\(\s*(?:0(?:px)?|1px)[\s,]+(?:0(?:px)?|1px)[\s,]+(?:0(?:px)?|1px)[\s,]+(?:0(?:px)?|1px)\s*\)/)) return true;
  if (is("clip-path", /inset\(\s*(?:50|100)%|circle\(\s*0|polygon\(\s*0(?:px)?\s+0(?:px)?\s*,\s*0(?:px)?\s+0(?:px)?\s*,\s*0/)) return true;
  return isOffScreen(rules) || isClipped(rules) || isUnreadable(rules);
}

function rulesOf(style: string): ReadonlyMap<string, string> {
  const rules = new Map<string, string>();
  for (const rule of style.split(";")) {
    const colon = rule.indexOf(":");
    if (colon === -1) continue;
    // Blanks and zeros could fill up the beginning.
    const value = rule
      .slice(colon + 1)
      .replace(/\s+/g, " ")
      .replace(/0{20,}/g, "0".repeat(20))
      .slice(0, longestValue)
      .replace(/! ?important/, "");
    rules.set(rule.slice(0, colon).trim(), value.replace(/calc\( ?([^() ]+) ?\)/g, "$1").trim());
  }
  return rules;
}

function isPale(opacity: string | undefined): boolean {
  const [, number = "", percent] = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(%?)\s*$/.exec(opacity ?? "") ?? [];
  return number !== "" && Number(number) / (percent === "%" ? 100 : 1) < leastOpacity;
}

function isTiny(size: string | undefined): boolean {
  const [, choices] = /^min\(([^()]*)\)$/.exec(size ?? "") ?? [];
  if (choices !== undefined) return choices.split(",").some((choice) => isTiny(choice.trim()));
  const [, number = "", unit = ""] = /^([\d.]+(?:e-?\d+)?)([a-z]+|%)?$/.exec(size ?? "") ?? [];
  if (number === "" || Number.isNaN(Number(number))) return false;
  // A number without a unit is no size, but for zero. Per cent are those of the text around.
  if (unit === "") return Number(number) === 0;
  return Number(number) * (unit === "%" ? 0.16 : (pixels[unit] ?? 1)) < leastFontPixels;
}

const edges = [
  "left",
  "right",
  "top",
  "bottom",
  "text-indent",
  "margin-left",
  "margin-right",
  "margin-top",
  "margin",
  "inset",
  "inset-inline-start",
  "translate",
];

function isOffScreen(rules: ReadonlyMap<string, string>): boolean {
  const leaves = (value: string | undefined): boolean =>
    [...(value ?? "").replace(/-1 ?\* ?/g, "-").matchAll(/- ?(\d+(?:\.\d+)?(?:e\d+)?)([a-z]+|%)?/g)].some(
      ([, size = "0", unit = "px"]) => Number(size) * (pixels[unit] ?? 1) >= offScreenPixels,
    );
  if (edges.some((name) => leaves(rules.get(name)))) return true;
  if (/^[1-9]\d{2,}%$/.test(rules.get("text-indent") ?? "") && cutsOff(rules)) return true;
  if (leaves(/translate[^)]*\)/.exec(rules.get("transform") ?? "")?.[0])) return true;
  return /^(?:absolute|fixed)$/.test(rules.get("position") ?? "") && ["left", "top"].some((name) => isFar(rules.get(name)));
}

/** To the right or below of everything that a page could scroll to. */
function isFar(value: string | undefined): boolean {
  const [, size = "0", unit = "px"] = /^(\d+(?:\.\d+)?)([a-z]+|%)?$/.exec(value ?? "") ?? [];
  return Number(size) * (pixels[unit] ?? 1) >= 9 * offScreenPixels;
}

function isClipped(rules: ReadonlyMap<string, string>): boolean {
  const nothing = /^(?:0|1px|0(?:px|em|rem|%))$/;
  return cutsOff(rules) && ["height", "max-height", "width", "max-width"].some((name) => nothing.test(rules.get(name) ?? ""));
}

function cutsOff(rules: ReadonlyMap<string, string>): boolean {
  return ["overflow", "overflow-x", "overflow-y"].some((name) => /hidden|clip/.test(rules.get(name) ?? ""));
}

/** Text in the colour of its ground, or without any. */
function isUnreadable(rules: ReadonlyMap<string, string>): boolean {
  const colour = rules.get("color");
  if (colour === undefined) return false;
  if (/^(?:transparent|#[0-9a-f]{3}0|#[0-9a-f]{6}00)$/.test(colour) || isClear(colour)) return true;
  const ground = rules.get("background-color") ?? rules.get("background");
  return ground !== undefined && plainColour(colour) === plainColour(ground);
}

/** `rgb(0 0 0 / 0)`, `rgba(0, 0, 0, 0)`: the fourth part, or the one behind the slash, says how much is seen. */
function isClear(colour: string): boolean {
  const parts = /^(?:rgba?|hsla?)\(([^()]*)\)$/.exec(colour)?.[1]?.split(/[,/]/) ?? [];
  const alpha = parts.length === 4 || (parts.length === 2 && colour.includes("/")) ? (parts.at(-1) ?? "").trim() : "";
  return /^[\d.]+%?$/.test(alpha) && Number.parseFloat(alpha) === 0;
}

function plainColour(colour: string): string {
  const named = { white: "#ffffff", black: "#000000" }[colour] ?? colour;
  return named.replace(/^#(\w)(\w)(\w)$/, "#$1$1$2$2$3$3").replace(/\s/g, "");
}
