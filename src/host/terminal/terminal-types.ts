/** What a session's terminal is given, what it tells, and what a person who watches it may do. */
import type { Terminals, WaitKind } from "../../contract/index.ts";

type TerminalEvent =
  | {
      readonly type: "input_required";
      readonly kind: WaitKind;
      readonly program: string;
      readonly question: string;
      readonly callId?: string;
    }
  | { readonly type: "taken_over" }
  | { readonly type: "restarted"; readonly exitCode: number };

export interface TerminalOptions {
  readonly cwd: string;
  /** Complete; see `terminalEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly shell?: string;
  readonly rows?: number;
  readonly columns?: number;
  onEvent?(event: TerminalEvent): void;
  /** Asks the person with hidden input; `undefined` is a refusal. */
  askSecret?(question: string, signal: AbortSignal): Promise<string | undefined>;
}

export interface TerminalSize {
  readonly rows: number;
  readonly columns: number;
}

/** What a person who watches gets and may do. */
export interface TerminalView {
  readonly size: TerminalSize;
  /** Bytes that paint what is there now. */
  paint(): string;
  /** Raw output from now on; answers how to stop. */
  watch(onBytes: (bytes: Uint8Array) => void): () => void;
  type(bytes: Uint8Array): void;
  resize(rows: number, columns: number): void;
}

export interface SessionTerminal extends Terminals, TerminalView {
  /** Raw bytes of the recent past, colours and all. */
  recent(): Uint8Array;
  close(): void;
}
