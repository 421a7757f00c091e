/**
 * The tool contract: data plus one function. A tool that changes something also says beforehand what
 * (`plan`); the engine alone decides, asks, locks, journals, bounds and masks.
 */
import type { Artifacts } from "./artifacts.ts";
import type { Catalog } from "./catalog.ts";
import type { ToolFailure } from "./failure.ts";
import type { FileReader, FileWriter } from "./files.ts";
import type { Http, WebSearchPort } from "./http.ts";
import type { Json } from "./json.ts";
import type { LiveText, Outputs } from "./outputs.ts";
import type { Fingerprint } from "./path.ts";
import type { Plan } from "./plan.ts";
import type { Processes } from "./processes.ts";
import type { Content, Truncation } from "./result.ts";
import type { ChangeSets, Rehearsal, Rehearsed, Withheld } from "./sandbox.ts";
import type { Search } from "./search.ts";
import type { Tasks } from "./tasks.ts";
import type { Terminals } from "./terminals.ts";
import { schemaKindOf, type ToolSchema } from "./tool-schema.ts";
import type { ValueRequests, Values } from "./values.ts";

export interface Traits {
  /** May run beside other calls of the same batch. */
  readonly concurrencySafe: boolean;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  /** Words people use for what it does, for the tool search. */
  readonly searchHint: string;
  /** `confirm` is a floor of ask; `auto` grants nothing by itself. */
  readonly permission: "auto" | "confirm";
}

/** What a plan may use: nothing here can change the world. */
export interface ReadPorts {
  readonly files: FileReader;
  readonly search: Search;
  readonly catalog: Catalog;
  readonly outputs: Outputs;
  readonly tasks: Pick<Tasks, "list" | "get">;
  readonly processes: Pick<Processes, "which" | "tier">;
  readonly changeSets: Pick<ChangeSets, "load">;
  readonly terminals: Pick<Terminals, "peek">;
  readonly values: Pick<Values, "list" | "placeholders">;
  readonly valueRequests: Pick<ValueRequests, "canAsk">;
  readonly artifacts: Pick<Artifacts, "list" | "read" | "versions">;
  /** A plan asks nobody on the network. */
  readonly http: object;
  readonly webSearch: Pick<WebSearchPort, "settings">;
}

/** What a run may use: the writer is bound to the approved plan. */
export interface RunPorts {
  readonly files: FileWriter;
  readonly search: Search;
  readonly catalog: Catalog;
  readonly outputs: Outputs;
  readonly tasks: Tasks;
  readonly processes: Processes;
  readonly changeSets: ChangeSets;
  readonly terminals: Terminals;
  readonly values: Values;
  readonly valueRequests: ValueRequests;
  readonly artifacts: Artifacts;
  readonly http: Http;
  readonly webSearch: WebSearchPort;
}

export type PortName = keyof RunPorts;

/** What this session read and when, so that a change by somebody else is noticed. */
export interface FileMemory {
  get(realPath: string): Fingerprint | undefined;
  remember(realPath: string, fingerprint: Fingerprint): void;
  forget(realPath: string): void;
}

export interface SessionView {
  readonly id: string;
  /** Absolute; where relative paths start. */
  readonly cwd: string;
  readonly workspace: string;
  readonly roots: readonly string[];
  /** `whitespace`: an edit that differs from the file in white space alone may be made. Absent: `exact`. */
  readonly edits?: "exact" | "whitespace";
  /** The person's home directory, for `~` in commands. */
  readonly userHome: string;
  /** Exported variables that carry over from call to call. */
  readonly env: Readonly<Record<string, string>>;
}

export interface MutableSession extends SessionView {
  /** Takes effect for the next call, and is kept with the session. */
  setCwd(directory: string): void;
  setEnv(env: Readonly<Record<string, string>>): void;
}

interface ContextBase {
  readonly callId: string;
  readonly seen: FileMemory;
  readonly signal: AbortSignal;
}

export type PlanContext<Needs extends PortName = PortName> = ContextBase & {
  readonly session: SessionView;
} & Pick<ReadPorts, Needs>;

export type RunContext<Needs extends PortName = PortName, Data = unknown> = ContextBase & {
  readonly session: MutableSession;
  /** The agent that made the call; absent if a person or a program did. */
  readonly agent?: string;
  /** The approved plan. */
  readonly plan: Plan<Data>;
  /** Absent: what the config gives. */
  readonly network?: "none";
  /** Live text for the person watching; bounded and masked by the engine. */
  progress(text: string): void;
  /** Live text of any length, that can be kept whole. */
  live(): LiveText;
} & Pick<RunPorts, Needs>;

/** What a tool returns; anything it could not do is thrown as a ToolFailure. */
export interface ToolOutput {
  readonly output: string;
  /** `output` without the tool's own highlighting, for the masker: a highlight inside a secret would hide it. */
  readonly unmarked?: string;
  readonly content?: readonly Content[];
  readonly data?: Json;
  /** Of a tool that cut its output itself and kept the whole through `live`. */
  readonly truncated?: Truncation;
}

/** How a call ends: with an output, or with the failure that its tool would throw. */
export type Ending = { readonly kind: "output"; readonly output: ToolOutput } | { readonly kind: "failure"; readonly failure: ToolFailure };

/** A rehearsal of a call: how the call ends if this counts, and how a dry run tells of it. */
export interface RehearsedCall extends Rehearsed {
  readonly withheld: readonly Withheld[];
  readonly ending: Ending;
  readonly told: ToolOutput;
  /** What it would change, as text for a model. */
  readonly summary: string;
  /** Present if nothing but known caches would change: where they lie. */
  readonly caches?: readonly string[];
}

/**
 * What `defineTool` takes. `run` alone is enough for a tool that changes nothing; a tool that changes something has a `plan`.
 *
 * @example
 * defineTool<{ path: string }, "files", undefined>({
 *   name: "Touch",
 *   description: "Makes an empty file.",
 *   input: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
 *   needs: ["files"],
 *   plan: async ({ path }, { files }) => ({
 *     summary: `Make ${path}`,
 *     effects: [{ kind: "write", path: await files.resolve(path), change: "create" }],
 *   }),
 *   run: async ({ path }, { files }) => {
 *     await files.replace(await files.resolve(path), new Uint8Array(), { expect: null });
 *     return { output: `${path} is there.` };
 *   },
 * });
 */
export interface ToolDefinition<Input, Needs extends PortName, Data> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  /** A schema of any zod 4, of another library with Standard Schema and its JSON Schema form, or raw JSON Schema. */
  readonly input: ToolSchema<Input>;
  /** Schema of `data` in its results, made when first asked for. */
  readonly dataSchema?: () => ToolSchema;
  /** Other names of parameters: `{ path: "file_path" }`. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** An input of this tool that works, for prompts and help. */
  readonly example?: Json;
  readonly traits?: Partial<Traits>;
  /** Set by whoever imports a tool (MCP, plugin): without a plan it is somebody else's deed, whatever its traits say. */
  readonly importedFrom?: string;
  readonly needs?: readonly Needs[];
  /** Time limit of `run`; the engine's own where absent. */
  readonly timeoutMs?: number | ((input: Input) => number);
  /** How long `run` may take to end in order after it was told to stop. */
  readonly graceMs?: number;
  /**
   * Does nothing but wait: for a person, or for an agent whose run is recorded. A call that the end of its process cut off is
   * made again where its run is resumed, instead of having an unknown outcome.
   */
  readonly resumable?: boolean;
  /** Text parameters whose `$KARYI{…}` placeholders the tool itself resolves (shell text), instead of the engine pasting them. */
  readonly ownsPlaceholders?: readonly string[];
  /** Changes nothing and executes nothing. */
  plan?(input: Input, context: PlanContext<Needs>): Promise<Plan<Data>> | Plan<Data>;
  /** Runs an approved plan against a copy-on-write view with the network off. */
  rehearse?(input: Input, context: RunContext<Needs, Data>, rehearsal: Rehearsal): Promise<RehearsedCall>;
  run(input: Input, context: RunContext<Needs, Data>): Promise<ToolOutput> | ToolOutput;
}

/** A tool as the rest of Karyi holds it: the types of its input and plan data are its own business. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools mixes inputs; the registry parses each input with the tool's own schema before it is handed over
export type Tool = ToolDefinition<any, any, any>;

/**
 * Gives a definition its types; the object itself is the tool. Throws a TypeError if its schema cannot be used.
 *
 * @example
 * const weather = defineTool({
 *   name: "Weather",
 *   description: "Tells the weather of a city.",
 *   input: z.object({ city: z.string().describe("Name of the city") }),
 *   traits: { readOnly: true },
 *   run: async ({ city }) => ({ output: `Sunny in ${city}.` }),
 * });
 */
export function defineTool<Input, Needs extends PortName = never, Data = undefined>(definition: ToolDefinition<Input, Needs, Data>): Tool {
  schemaKindOf(definition.input, `Tool '${definition.name}'`);
  return definition;
}

export const defaultTraits: Traits = {
  concurrencySafe: false,
  readOnly: false,
  destructive: false,
  searchHint: "",
  permission: "auto",
};

export function traitsOf(tool: Tool): Traits {
  return { ...defaultTraits, ...tool.traits };
}
