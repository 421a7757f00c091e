/** What an MCP server offers, apart from how it is spoken: the engine's tools, or those of a test suite. */
import type {
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../contract/index.ts";

/** One request of a client, as a surface sees it. */
export interface Exchange {
  /** Aborted if the client cancelled the request or went away. */
  readonly signal: AbortSignal;
  /** `modern`: nothing can be asked while the request is under way; input is asked for by the result. */
  readonly era: "legacy" | "modern";
  readonly clientName: string;
  /** The client can show a form. */
  readonly asksByForm: boolean;
  /** The client can open an address. */
  readonly asksByUrl: boolean;
  readonly context: ServerContext;
  /** Told to the client if it gave a token. */
  progress(text: string): void;
  /** `undefined` if nobody answered in time, or the client could not ask. */
  elicit(
    params: ElicitRequestFormParams | ElicitRequestURLParams,
    limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<ElicitResult | undefined>;
}

export type Changed =
  | { readonly kind: "tools" }
  | { readonly kind: "prompts" }
  | { readonly kind: "resources" }
  | { readonly kind: "resource"; readonly uri: string };

export interface PromptSurface {
  list(): Promise<readonly Prompt[]>;
  get(name: string, args: Readonly<Record<string, string>>, exchange: Exchange): Promise<GetPromptResult | InputRequiredResult>;
}

export interface ResourceSurface {
  list(): Promise<readonly Resource[]>;
  templates(): Promise<readonly ResourceTemplateType[]>;
  /** `undefined` if there is none of this address. */
  read(uri: string): Promise<ReadResourceResult | undefined>;
}

export interface Surface {
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  readonly instructions?: string;
  tools(): Promise<readonly Tool[]>;
  call(name: string, args: JsonObject, exchange: Exchange): Promise<CallToolResult | InputRequiredResult>;
  readonly prompts?: PromptSurface;
  readonly resources?: ResourceSurface;
  /** Proposes values of a prompt's or a template's argument. */
  complete?(params: CompleteRequest["params"]): Promise<CompleteResult>;
  /** True if log messages may be sent. */
  readonly logs?: boolean;
  /** Checks and decodes what a client sends back of an earlier answer; throws if it was not made here. */
  verifyState?(state: string, context: ServerContext): Promise<unknown>;
  /** The answer ends the listening. */
  onChanged?(listener: (changed: Changed) => void): () => void;
}
