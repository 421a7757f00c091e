/** Secure variables: used by name, never seen by a model (V1–V4). */
import type { Json } from "./json.ts";

export interface VariableInfo {
  readonly name: string;
  readonly scope: "session" | "project" | "global";
  readonly note?: string;
  /** Tools it may be used with; absent: any. */
  readonly tools?: readonly string[];
  /** Hosts it may be sent to; absent: any. */
  readonly hosts?: readonly string[];
  /** Commands it may be used in: a program's name, or a text with `*` for anything; absent: any. */
  readonly commands?: readonly string[];
}

export interface Values {
  list(): Promise<readonly VariableInfo[]>;
  /** Names in `$KARYI{NAME}` anywhere in a value; `$$KARYI{…}` is a literal. */
  placeholders(value: unknown): readonly string[];
  /** Fills every placeholder in, except in the named top-level text parameters. A missing or forbidden one is a ToolFailure. */
  substitute(input: Json, use: ValueUse, except: readonly string[]): Promise<Json>;
  /** The clear value for the environment of one process. A missing or forbidden one is a ToolFailure. */
  reveal(name: string, use: ValueUse): Promise<string>;
  /** Values that stand in these texts, such as variables that an earlier command exported: what comes of them must be masked. */
  heldIn(texts: readonly string[]): Promise<readonly { readonly name: string; readonly value: string }[]>;
}

export interface ValueUse {
  readonly tool: string;
  /** Hosts the call would contact, where that is known. */
  readonly hosts: readonly string[];
  /** Every simple command that the call runs, where it runs nothing else; absent: it is none, or that is not known. */
  readonly commands?: readonly string[] | undefined;
}

export interface ValueRequest {
  /** The same as in the events that tell of it. */
  readonly id?: string;
  readonly key: string;
  readonly reason: string;
  readonly note?: string;
  /** A program asks: the value is handed to it and kept nowhere. */
  readonly once?: boolean;
  /** The MCP server that asks; absent with `once`: a program in the terminal. */
  readonly server?: string;
}

/** A person's answer to a request for a value; the value goes to the vault and nowhere else. */
export type ValueReply =
  /** The person put it into the vault themselves. */
  | { readonly kind: "kept"; readonly scope: "session" | "project" | "global" }
  | { readonly kind: "given"; readonly value: string; readonly scope: "session" | "project" | "global"; readonly note?: string }
  | { readonly kind: "refused"; readonly words?: string };

/** Shows the request and takes hidden input. */
export type AskValue = (request: ValueRequest, signal: AbortSignal) => Promise<ValueReply>;

export type ValueAnswer =
  | { readonly kind: "given"; readonly scope: "session" | "project" | "global" }
  | { readonly kind: "refused"; readonly words?: string };

export interface ValueRequests {
  canAsk(): boolean;
  /** Pauses until a person answers with hidden input; the value itself goes to the vault, not through here. */
  ask(request: ValueRequest, signal: AbortSignal): Promise<ValueAnswer>;
  /** What a person types for an MCP server; it is kept nowhere. `undefined`: they refused, or there is nobody to ask. */
  askFor(server: string, request: Pick<ValueRequest, "key" | "reason">, signal: AbortSignal): Promise<string | undefined>;
}

/** Masks clear values and well-known token shapes in whatever leaves. */
export interface Masker {
  mask(text: string): string;
  maskJson<T>(value: T): T;
  /** For a stream: holds back only what may be the start of a secret. */
  stream(): MaskStream;
}

export interface MaskStream {
  push(chunk: string): string;
  end(): string;
}
