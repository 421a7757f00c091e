/**
 * A scenario as it stands on disk: `input/` (the tree), `scenario.json` (what git cannot hold, the calls and what each must
 * answer) and `expected/` (the tree afterwards; absent: as before). Reads and checks the description; runs nothing.
 * `$WS` in any text is the workspace, `$REF` in an input the reference of the last output that was cut.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Mode, modes } from "../../src/index.ts";

const texts = z.record(z.string(), z.string());
const overlay = z
  .strictObject({
    files: texts,
    base64: texts,
    repeat: z.record(z.string(), z.strictObject({ text: z.string(), times: z.int() })),
    latin1Names: texts,
    directories: z.array(z.string()),
    hardLinks: texts,
    links: texts,
    fifo: z.array(z.string()),
    modes: texts,
    remove: z.array(z.string()),
  })
  .partial();

const schema = z.strictObject({
  about: z.string(),
  mode: z.enum(modes).default("default"),
  /** How a person answers whatever is asked; `nobody`: there is none. */
  approve: z.enum(["once", "deny", "nobody"]).default("once"),
  /** The rules for which a person was asked, in order, where that matters. */
  asked: z.array(z.string()).optional(),
  setup: overlay.default({}),
  calls: z
    .array(
      z.union([
        z.strictObject({ call: z.string(), input: z.record(z.string(), z.unknown()), expect: z.record(z.string(), z.unknown()) }),
        /** What somebody else does between two calls. */
        z.strictObject({ meanwhile: overlay }),
      ]),
    )
    .min(1),
  after: overlay.default({}),
  /** Why it does not run. */
  skip: z.string().optional(),
});

type Described = z.infer<typeof schema>;

export interface Scenario extends Described {
  readonly name: string;
  readonly mode: Mode;
  readonly input: string;
  readonly expected: string;
}

export function readScenarios(directory: string): readonly Scenario[] {
  const names = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const at = join(directory, name);
      const described = schema.safeParse(JSON.parse(readFileSync(join(at, "scenario.json"), "utf8")));
      if (!described.success) throw new Error(`${name}/scenario.json: ${z.prettifyError(described.error)}`);
      return { ...described.data, name, input: join(at, "input"), expected: join(at, "expected") };
    });
}

export type Fill = (text: string) => string;

/** Every string of a value, filled in. */
export function fillAll(value: unknown, fill: Fill): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, fill)]));
}
