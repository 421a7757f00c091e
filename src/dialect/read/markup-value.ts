/**
 * Elements to values: the exact text of a leaf, objects and lists from nested elements, guided by the schema.
 * Where the schema says text, markup inside an element is text, whatever it looks like.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import type { Shape } from "../frame/shape.ts";
import { maxDepth, type Repairs } from "../types.ts";
import { valueOfText } from "./coerce.ts";
import { type Element, level, type Token } from "./elements.ts";
import { textOutsideCdata } from "./entities.ts";
import { isBlankRange, type Tag } from "./tag.ts";

/** Without a schema these are taken for web pages rather than for structure. */
export const htmlNames: ReadonlySet<string> = new Set(
  "blockquote body br div em h1 h2 h3 h4 h5 h6 head hr html iframe img li ol script span strong svg table tbody td textarea tfoot th thead tr ul".split(
    " ",
  ),
);

interface Leaf {
  readonly text: string;
  /** It stood in CDATA. */
  readonly quoted: boolean;
}

export class MarkupReader {
  constructor(
    readonly text: string,
    readonly tokens: readonly Token[],
    readonly repairs: Repairs,
  ) {}

  /** The text of an element, exactly: CDATA sections joined, blanks around them dropped, references decoded outside. */
  leaf(element: Pick<Element, "from" | "to" | "first" | "last">): Leaf {
    const { text, tokens } = this;
    if (element.first >= element.last) return { text: textOutsideCdata(text.slice(element.from, element.to), this.repairs), quoted: false };
    const firstToken = tokens[element.first];
    const startsQuoted = (firstToken?.kind === "cdata" || firstToken?.kind === "marker") && isBlankRange(text, element.from, firstToken.at);
    if (
      startsQuoted &&
      element.last === element.first + 1 &&
      firstToken.kind === "cdata" &&
      isBlankRange(text, firstToken.end, element.to)
    ) {
      return { text: text.slice(firstToken.at + 9, firstToken.mate), quoted: true };
    }
    if (!startsQuoted && tokens.slice(element.first, element.last).some((token) => token.kind !== "cdata" && token.kind !== "marker")) {
      this.repairs.add("unescaped markup");
      return { text: text.slice(element.from, element.to), quoted: false };
    }
    return { text: this.joined(element), quoted: startsQuoted };
  }

  private joined(element: Pick<Element, "from" | "to" | "first" | "last">): string {
    const { text, tokens } = this;
    const sections = tokens.slice(element.first, element.last).filter((token) => token.kind === "cdata" || token.kind === "marker");
    const only = sections.length === 1 ? sections[0] : undefined;
    const tail = only === undefined ? "" : text.slice(only.end, element.to).trimEnd();
    if (only?.kind === "cdata" && tail.trim() !== "" && tail.endsWith("]]>")) {
      // `]]>` inside the content was not split: the section reaches to the last one.
      this.repairs.add("unescaped markup");
      return text.slice(only.at + 9, only.end + tail.length - 3);
    }
    let out = "";
    let from = element.from;
    sections.forEach((section, index) => {
      const gap = text.slice(from, section.at);
      if (index > 0 || gap.trim() !== "") out += textOutsideCdata(gap, this.repairs);
      if (section.kind === "cdata") out += text.slice(section.at + 9, section.mate);
      else this.repairs.add("missing CDATA end");
      from = section.end;
    });
    const rest = text.slice(from, element.to);
    return rest.trim() === "" ? out : out + textOutsideCdata(rest, this.repairs);
  }

  value(element: Element, shape: Shape | undefined, depth = 0): Json {
    const kind = element.first < element.last ? this.tokens[element.first]?.kind : undefined;
    if (kind !== undefined && kind !== "cdata" && kind !== "marker" && depth < maxDepth) {
      const structured = this.structure(element, shape, depth);
      if (structured !== undefined) return structured;
    }
    const leaf = this.leaf(element);
    return valueOfText(leaf.text, shape, leaf.quoted, this.repairs);
  }

  private structure(element: Element, shape: Shape | undefined, depth: number): Json | undefined {
    const typed = shape !== undefined && shape.types.size > 0;
    const mayBeText = typed && shape.types.has("string");
    if (typed && !shape.types.has("array") && (mayBeText || !shape.types.has("object"))) return undefined;
    const { elements, stray } = level(this.text, this.tokens, element, starter(shape));
    if (stray || elements.length === 0 || elements.some((child) => !child.closed)) return undefined;
    // Where text is possible too, only a plain list of items is not text.
    if (mayBeText && elements.some((child) => child.tag.written !== "item" || child.tag.attributes.size > 0)) return undefined;
    if (!typed && elements.some((child) => htmlNames.has(child.tag.name) || child.tag.attributes.size > 0)) return undefined;
    return isList(elements, shape) ? this.list(elements, shape, depth) : this.object(elements, shape, depth + 1);
  }

  private list(elements: readonly Element[], shape: Shape | undefined, depth: number): Json {
    const item = shape?.item(0);
    const names = new Set(elements.map((child) => child.tag.written));
    // One object whose fields stand directly in the list.
    if (item?.types.has("object") && !names.has("item") && elements.every((child) => item.declares(child.tag.written))) {
      this.repairs.add("value type");
      return [this.object(elements, item, depth + 1)];
    }
    return elements.map((child, index) => this.value(child, shape?.item(index), depth + 1));
  }

  /** Elements to named values; a repeated name is a list. */
  object(elements: readonly Element[], shape: Shape | undefined, depth = 0): JsonObject {
    const names = elements.map((child) => parameterName(child.tag, shape, this.repairs));
    // Only the unusual goes the long way: names that repeat, and the one name that is not a plain property.
    if (names.includes("__proto__") || hasRepeats(names)) return this.grouped(elements, shape, depth);
    const out: Record<string, Json> = {};
    elements.forEach((child, index) => {
      const name = names[index] ?? "";
      out[name] = this.value(child, shape?.property(name), depth);
    });
    return out;
  }

  private grouped(elements: readonly Element[], shape: Shape | undefined, depth: number): JsonObject {
    const groups = new Map<string, Element[]>();
    for (const child of elements) {
      const name = parameterName(child.tag, shape, this.repairs);
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [child]);
      else group.push(child);
    }
    return Object.fromEntries(
      [...groups].map(([name, group]): [string, Json] => {
        const property = shape?.property(name);
        const only = group.length === 1 ? group[0] : undefined;
        if (only !== undefined) return [name, this.value(only, property, depth)];
        return [name, group.map((child, index) => this.value(child, property?.item(index), depth))];
      }),
    );
  }
}

function hasRepeats(names: readonly string[]): boolean {
  if (names.length > 8) return new Set(names).size < names.length;
  return names.some((name, index) => names.indexOf(name) < index);
}

function isList(elements: readonly Element[], shape: Shape | undefined): boolean {
  if (shape !== undefined && shape.types.size > 0)
    return shape.types.has("array") && (!shape.types.has("object") || elements[0]?.tag.name === "item");
  const names = new Set(elements.map((child) => child.tag.written));
  return names.size === 1 && (elements.length > 1 || names.has("item"));
}

/** Which tags may start a parameter, where one before was left open. */
export function starter(shape: Shape | undefined): (tag: Tag) => boolean {
  if (shape === undefined || shape.names.length === 0) return () => true;
  return (tag) => shape.declares(tag.written);
}

/** `<parameter name="x">` names x; otherwise the tag does, in the spelling the schema knows. */
function parameterName(tag: Tag, shape: Shape | undefined, repairs: Repairs): string {
  const named = tag.attributes.get("name") ?? tag.attributes.get("=");
  const isWrapper = named !== undefined && (tag.name === "parameter" || tag.name === "param" || tag.name === "arg");
  if (isWrapper) repairs.add("tag name");
  return knownName(isWrapper ? named : tag.written, shape, repairs);
}

/** A parameter's name as the schema spells it, where only case or separators differ. */
export function knownName(name: string, shape: Shape | undefined, repairs: Repairs): string {
  if (shape === undefined || shape.declares(name)) return name;
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, "");
  const wanted = plain(name);
  const found = shape.names.filter((one) => plain(one) === wanted);
  const only = found.length === 1 ? found[0] : undefined;
  if (only === undefined) return name;
  repairs.add("parameter name");
  return only;
}
