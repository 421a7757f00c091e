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
}

export interface Values {
  list(): Promise<readonly VariableInfo[]>;
  /** Names in `$KARYI{NAME}` anywhere in a value; `$$KARYI{…}` is a literal. */
  placeholders(value: unknown): readonly string[];
  /** Fills every placeholder in, except in the named top-level text parameters. A missing or forbidden one is a ToolFailure. */
  substitute(input: Json, use: ValueUse, except: readonly string[]): Promise<Json>;
  /** The clear value for the environment of one process. A missing or forbidden one is a ToolFailure. */
  reveal(name: string, use: ValueUse): Promise<string>;
}

export interface ValueUse {
  readonly tool: string;
  /** Hosts the call would contact, where that is known. */
  readonly hosts: readonly string[];
}

export interface ValueRequest {
  readonly key: string;
  readonly reason: string;
  readonly note?: string;
  /** A program in the terminal asks: the value is typed there and kept nowhere. */
  readonly once?: boolean;
}

export type ValueAnswer =
  | { readonly kind: "given"; readonly scope: "session" | "project" | "global" }
  | { readonly kind: "refused"; readonly words?: string };

export interface ValueRequests {
  canAsk(): boolean;
  /** Pauses until a person answers with hidden input; the value itself goes to the vault, not through here. */
  ask(request: ValueRequest, signal: AbortSignal): Promise<ValueAnswer>;
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
