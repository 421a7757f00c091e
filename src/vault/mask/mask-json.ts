/**
 * Masks every text in a structure, names included, and leaves the structure itself as it is: what holds nothing
 * to mask is handed back untouched, not copied. Cycles are cut; depth costs no stack. Bytes and dates are left alone.
 */
import { looksSecret, secretKind } from "../shapes/secret-words.ts";

/** Smaller numbers have too few digits to be a value that is masked. */
const largestPlainNumber = 9_999_999;

export function maskStructure<T>(value: T, mask: (text: string) => string, shapes: boolean): T {
  if (typeof value === "object" && value !== null && holdsNothing(value, mask, shapes)) return value;
  return new StructureMask(mask, shapes).run(value) as T;
}

/** Between texts that are looked at together: nothing that is masked goes over it. */
const apart = " \u0000 ";
const mostTexts = 200_000;

/**
 * Nearly every structure holds nothing to mask. One look at all its texts together says so at a fraction of what looking
 * at each costs; a doubt is no more than a reason to look at each.
 */
function holdsNothing(value: object, mask: (text: string) => string, shapes: boolean): boolean {
  const texts: string[] = [];
  const names = new Set<string>();
  const seen = new Set<object>();
  const stack: object[] = [value];
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    if (ArrayBuffer.isView(item) || item instanceof Date) continue;
    if (seen.has(item) || texts.length > mostTexts) return false;
    seen.add(item);
    const keys = Array.isArray(item) ? undefined : Object.keys(item);
    const length = keys?.length ?? (item as readonly unknown[]).length;
    for (let index = 0; index < length; index++) {
      const key = keys?.[index];
      if (key !== undefined) names.add(key);
      const part = key === undefined ? (item as readonly unknown[])[index] : (item as Record<string, unknown>)[key];
      if (typeof part === "string") texts.push(part);
      else if (typeof part === "number") {
        if (Math.abs(part) > largestPlainNumber) texts.push(String(part));
      } else if (typeof part === "object" && part !== null) stack.push(part);
    }
  }
  for (const name of names) {
    if (shapes && secretKind(name) !== undefined) return false;
    texts.push(name);
  }
  const together = texts.join(apart);
  return mask(together) === together;
}

interface Frame {
  readonly source: object;
  readonly keys: readonly string[] | undefined;
  readonly masked: unknown[];
  readonly length: number;
  index: number;
  changed: boolean;
}

class StructureMask {
  readonly #mask: (text: string) => string;
  readonly #shapes: boolean;
  readonly #open = new Set<object>();

  constructor(mask: (text: string) => string, shapes: boolean) {
    this.#mask = mask;
    this.#shapes = shapes;
  }

  run(value: unknown): unknown {
    const root: Frame = { source: {}, keys: undefined, masked: [], length: 1, index: 0, changed: false };
    const stack: Frame[] = [];
    let frame = root;
    let next: unknown = value;
    for (;;) {
      const inner = this.#enter(next, nameOf(frame), frame);
      if (inner !== undefined) {
        stack.push(frame);
        frame = inner;
      }
      while (frame.index >= frame.length) {
        if (frame === root) return root.masked[0];
        const result = this.#leave(frame);
        const parent = stack.pop() ?? root;
        settle(parent, frame.source, result);
        frame = parent;
      }
      next = childOf(frame);
    }
  }

  /** A frame for what has parts; anything else is settled at once. */
  #enter(value: unknown, name: string | undefined, parent: Frame): Frame | undefined {
    if (typeof value === "string") settle(parent, value, this.#text(value, name));
    else if (typeof value === "number" && Math.abs(value) > largestPlainNumber) {
      const text = String(value);
      const masked = this.#mask(text);
      settle(parent, value, masked === text ? value : masked);
    } else if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || value instanceof Date)
      settle(parent, value, value);
    else if (this.#open.has(value)) settle(parent, value, "[circular]");
    else {
      this.#open.add(value);
      const keys = Array.isArray(value) ? undefined : Object.keys(value);
      const length = keys?.length ?? (value as readonly unknown[]).length;
      return { source: value, keys, masked: [], length, index: 0, changed: false };
    }
    return undefined;
  }

  #leave(frame: Frame): unknown {
    const { source, keys, masked } = frame;
    this.#open.delete(source);
    if (keys === undefined) return frame.changed ? masked : source;
    const names = keys.map((key) => this.#mask(key));
    if (!frame.changed && names.every((name, index) => name === keys[index])) return source;
    return Object.fromEntries(distinct(names).map((name, index) => [name, masked[index]]));
  }

  /** The name of a field says as much about its text as `name=` in front of it. */
  #text(value: string, name: string | undefined): string {
    const masked = this.#mask(value);
    if (!this.#shapes || name === undefined || masked !== value || value.length > 4096) return masked;
    const kind = secretKind(name);
    return kind !== undefined && looksSecret(value, "quoted", kind) ? `[masked:${kind}]` : masked;
  }
}

function nameOf(frame: Frame): string | undefined {
  return frame.keys?.[frame.index];
}

function childOf(frame: Frame): unknown {
  const key = frame.keys?.[frame.index];
  return key === undefined ? (frame.source as readonly unknown[])[frame.index] : (frame.source as Record<string, unknown>)[key];
}

function settle(frame: Frame, before: unknown, after: unknown): void {
  if (before !== after) frame.changed = true;
  frame.masked.push(after);
  frame.index += 1;
}

/** Two names that are masked alike stay two names. */
function distinct(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
