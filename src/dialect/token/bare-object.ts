/**
 * The argument notation of Gemma's function calls: `{path:<escape>a b<escape>,n:3,tags:[<escape>x<escape>]}`. Texts stand between
 * two equal marks and are exact; keys are bare. Refuses what is not written so.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import { untyped } from "../read/coerce.ts";

const marks = ["<escape>", '<|"|>', '"'] as const;
const maxDepth = 32;

/** `undefined` if the text is no such object. */
export function readBareObject(text: string): JsonObject | undefined {
  const written = asJson(text);
  if (written !== undefined) return isObject(written) ? written : undefined;
  const reader = new BareReader(text.trim());
  const value = reader.value(0);
  return value !== undefined && reader.done && isObject(value) ? value : undefined;
}

/** What is JSON as it stands is read as JSON: there a text has escapes. */
function asJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A key in quotes of another kind, or behind a comment, is not written so. */
const bareKey = /^[\p{L}\p{N}_$.-]+$/u;

class BareReader {
  private p = 0;

  constructor(private readonly text: string) {}

  get done(): boolean {
    return this.p >= this.text.length;
  }

  value(depth: number): Json | undefined {
    if (depth > maxDepth) return undefined;
    const mark = marks.find((one) => this.text.startsWith(one, this.p));
    if (mark !== undefined) return this.marked(mark);
    const next = this.text.charAt(this.p);
    if (next === "{") return this.object(depth);
    if (next === "[") return this.list(depth);
    const word = /[^,{}[\]]*/y;
    word.lastIndex = this.p;
    const found = word.exec(this.text)?.[0] ?? "";
    this.p += found.length;
    const text = found.trim();
    return text === "null" ? null : text === "" ? undefined : untyped(text);
  }

  private marked(mark: string): string | undefined {
    const from = this.p + mark.length;
    const to = this.text.indexOf(mark, from);
    if (to < 0) return undefined;
    this.p = to + mark.length;
    return this.text.slice(from, to);
  }

  private object(depth: number): Json | undefined {
    const entries = new Map<string, Json>();
    this.p += 1;
    while (!this.take("}")) {
      const mark = marks.find((one) => this.text.startsWith(one, this.p));
      const key = mark === undefined ? /[^:,{}[\]]+/y : undefined;
      if (key !== undefined) key.lastIndex = this.p;
      const name = mark === undefined ? key?.exec(this.text)?.[0] : this.marked(mark);
      if (name === undefined) return undefined;
      if (mark === undefined) {
        if (!bareKey.test(name.trim())) return undefined;
        this.p += name.length;
      }
      if (!this.take(":")) return undefined;
      const value = this.value(depth + 1);
      // A key that comes twice can be read in more than one way.
      if (value === undefined || entries.has(name.trim())) return undefined;
      entries.set(name.trim(), value);
      if (!this.take(",") && this.text.charAt(this.p) !== "}") return undefined;
    }
    return Object.fromEntries(entries);
  }

  private list(depth: number): Json | undefined {
    const items: Json[] = [];
    this.p += 1;
    while (!this.take("]")) {
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      items.push(value);
      if (!this.take(",") && this.text.charAt(this.p) !== "]") return undefined;
    }
    return items;
  }

  private take(character: string): boolean {
    const from = this.p;
    while (this.text.charAt(this.p) === " " || this.text.charAt(this.p) === "\n") this.p += 1;
    if (this.text.charAt(this.p) === character) {
      this.p += 1;
      while (this.text.charAt(this.p) === " " || this.text.charAt(this.p) === "\n") this.p += 1;
      return true;
    }
    this.p = from;
    return false;
  }
}
