/**
 * Which tools a client is shown, under which names. Owns the limits that real clients have: at most 40 tools, names of 48
 * characters, descriptions of 1,024, the whole list under 64,000. The rest is found with ToolSearch and works by its name.
 */
import type { Tool, ToolAnnotations } from "@modelcontextprotocol/server";
import type { KaryiEngine, SessionHandle, ToolCard, Traits } from "../../contract/index.ts";
import { wireName } from "../wire-name.ts";
import { plainSchema } from "./plain-schema.ts";

const maxTools = 40;
const maxName = 48;
const maxDescription = 1024;
/** Below what clients take, so that the frame around the list fits too. */
const maxListCharacters = 62_000;

const firstShown = ["Bash", "Read", "Edit", "Write", "Glob", "Grep", "Agent", "ToolSearch", "ReadOutput"];

export const undoName = "Undo";
export const dryRunName = "DryRun";

const ownTools: readonly Tool[] = [
  {
    name: undoName,
    title: "Undo",
    description:
      "Takes back one earlier call of this session: every file it changed becomes what it was. Refuses where a file was changed by somebody else since.",
    inputSchema: {
      type: "object",
      properties: { call_id: { type: "string", description: "The call_id of the call to take back" } },
      required: ["call_id"],
      additionalProperties: false,
    },
    annotations: { title: "Undo", readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  {
    name: dryRunName,
    title: "Dry run",
    description:
      "Shows what a call of another tool would do, and what the policy says to it. Changes nothing: a command runs against a copy-on-write view that is dropped.",
    inputSchema: {
      type: "object",
      properties: {
        tool: { type: "string", description: "Name of the tool" },
        input: { type: "object", description: "The input of that tool", additionalProperties: true },
      },
      required: ["tool"],
      additionalProperties: false,
    },
    annotations: { title: "Dry run", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
];

export class ToolList {
  readonly #engine: Pick<KaryiEngine, "tools" | "describeTool">;
  readonly #session: Pick<SessionHandle, "catalog">;
  /** Canonical names; absent: all. */
  readonly #allowed: ReadonlySet<string> | undefined;
  /** Made anew only if tools came, went or were activated: every call asks whether the list changed. */
  #last: { readonly cards: readonly ToolCard[]; readonly activated: string; readonly shown: readonly Tool[] } | undefined;

  constructor(engine: Pick<KaryiEngine, "tools" | "describeTool">, session: Pick<SessionHandle, "catalog">, allowed?: readonly string[]) {
    this.#engine = engine;
    this.#session = session;
    this.#allowed = allowed && new Set(allowed.map((name) => engine.describeTool(realSpelling(name))?.name ?? name));
  }

  /** What changes something can be taken back and tried; a list of readers has no use for either. */
  get offersOwn(): boolean {
    if (this.#allowed === undefined) return true;
    return [...this.#allowed].some(
      (name) => ownTools.some((own) => own.name === name) || this.#engine.describeTool(name)?.traits.readOnly === false,
    );
  }

  /** The engine's name of a tool, or `undefined` if it is not offered here. Aliases and shortened names are understood. */
  resolve(name: string): string | undefined {
    const found = this.#engine.describeTool(name) ?? this.#engine.describeTool(realSpelling(name));
    const real = found?.name ?? this.#shortened(name) ?? name;
    return this.#allowed === undefined || this.#allowed.has(real) ? real : undefined;
  }

  #shortened(name: string): string | undefined {
    return this.#engine.tools().find((tool) => wireName(tool.name, maxName) === name)?.name;
  }

  names(): readonly string[] {
    return this.list().map(({ name }) => name);
  }

  /** The same object until it changes. */
  list(): readonly Tool[] {
    const cards = this.#engine.tools();
    const activated = this.#session.catalog.activatedNames().join();
    if (this.#last?.cards !== cards || this.#last.activated !== activated) this.#last = { cards, activated, shown: this.#made(cards) };
    return this.#last.shown;
  }

  #made(cards: readonly ToolCard[]): readonly Tool[] {
    const all = cards.map(({ name }) => name);
    const offered = all.filter((name) => this.#allowed === undefined || this.#allowed.has(name));
    const own = this.offersOwn ? ownTools : [];
    const chosen = new Set(this.#chosen(offered, maxTools - own.length));
    const shown: Tool[] = [];
    let room = maxListCharacters - JSON.stringify(own).length;
    for (const name of [...chosen]) {
      const tool = this.#tool(name);
      const size = tool === undefined ? 0 : JSON.stringify(tool).length + 1;
      if (tool === undefined || size > room) continue;
      room -= size;
      shown.push(tool);
    }
    const order = new Map(offered.map((name, index) => [wireName(name, maxName), index]));
    const native = shown.filter(({ name }) => !isImported(name)).sort((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
    return [...native, ...own, ...shown.filter(({ name }) => isImported(name))];
  }

  /** The most needed first: the core, what was activated, the engine's own, then what was imported. */
  #chosen(offered: readonly string[], count: number): readonly string[] {
    if (offered.length <= count) return offered;
    const there = new Set(offered);
    const activated = this.#session.catalog.activeTools().map(({ name }) => name);
    const order = [...firstShown, ...activated.reverse(), ...offered.filter((name) => !isImported(name)), ...offered];
    return [...new Set(order.filter((name) => there.has(name)))].slice(0, count);
  }

  #tool(name: string): Tool | undefined {
    const described = this.#engine.describeTool(name);
    if (described === undefined) return undefined;
    const title = titleOf(name);
    return {
      name: wireName(name, maxName),
      title,
      description: cut(described.description),
      inputSchema: plainSchema(described.inputSchema) as Tool["inputSchema"],
      annotations: annotationsOf(title, described.traits, isImported(name) || name.startsWith("Web")),
    };
  }
}

/** Model APIs and MCP write `plugin__tool` for `plugin:tool`. */
function realSpelling(name: string): string {
  return name.startsWith("mcp__") ? name : name.replace("__", ":");
}

/** The names of imported tools carry where they come from. */
function isImported(name: string): boolean {
  return name.includes("__") || name.includes(":");
}

function annotationsOf(title: string, traits: Traits, openWorld: boolean): ToolAnnotations {
  return {
    title,
    readOnlyHint: traits.readOnly,
    destructiveHint: !traits.readOnly && traits.destructive,
    idempotentHint: traits.readOnly,
    openWorldHint: openWorld,
  };
}

/** `MultiEdit` → `Multi Edit`; `mcp__github__create_issue` → `github: create issue`. */
function titleOf(name: string): string {
  const words = name
    .replace(/^mcp__/, "")
    .replace(/__|:/, ": ")
    .replaceAll("_", " ");
  return words.replace(/([a-z])([A-Z])/g, "$1 $2").slice(0, 100);
}

function cut(description: string): string {
  return description.length <= maxDescription ? description : `${description.slice(0, maxDescription - 1)}…`;
}
