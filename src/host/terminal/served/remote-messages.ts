/** The messages of a connection that calls a terminal in another process. Both ends are of one version when these are read. */
import {
  type FailureOptions,
  type TerminalAnswer,
  type TerminalInputOptions,
  type TerminalState,
  type Terminals,
  type TerminalUse,
  ToolFailure,
} from "../../../contract/index.ts";
import type { TerminalOptions } from "../terminal-types.ts";

type Sent<T> = Omit<T, "signal" | "onOutput">;
type RunUse = Sent<Parameters<Terminals["run"]>[1]>;
type InputUse = Sent<TerminalInputOptions>;
export type Screen = Awaited<ReturnType<Terminals["screen"]>>;
type TerminalEvent = Parameters<NonNullable<TerminalOptions["onEvent"]>>[0];

/** `canAsk`: a person is there who can be asked for a password. */
export type Order =
  | { readonly kind: "peek" }
  | { readonly kind: "screen" }
  | { readonly kind: "run"; readonly command: string; readonly use: RunUse; readonly canAsk: boolean }
  | { readonly kind: "input"; readonly text: string; readonly use: InputUse; readonly canAsk: boolean };

export type FromCaller =
  | { readonly kind: "call"; readonly id: number; readonly order: Order }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "secret"; readonly question: number; readonly value?: string };

export type ToCaller =
  | { readonly kind: "done"; readonly id: number; readonly value: TerminalState | TerminalAnswer | Screen }
  | { readonly kind: "failed"; readonly id: number; readonly failure: SentFailure }
  | { readonly kind: "printed"; readonly id: number; readonly text: string }
  | { readonly kind: "event"; readonly event: TerminalEvent }
  | { readonly kind: "ask"; readonly question: number; readonly text: string }
  | { readonly kind: "asked"; readonly question: number };

interface SentFailure extends Omit<FailureOptions, "cause"> {
  readonly code: ToolFailure["code"];
  readonly message: string;
}

export function sentFailure(error: unknown): SentFailure {
  if (!(error instanceof ToolFailure)) return { code: "tool_error", message: error instanceof Error ? error.message : String(error) };
  const { output, data, truncated } = error;
  return {
    ...error.toError(),
    ...(output === undefined ? {} : { output }),
    ...(data === undefined ? {} : { data }),
    ...(truncated === undefined ? {} : { truncated }),
  };
}

export function receivedFailure({ code, message, ...options }: SentFailure): ToolFailure {
  return new ToolFailure(code, message, options);
}

/** What of a use can be sent: functions go as messages of their own, and of the session only what a shell has of it. */
export function sentUse<T extends TerminalUse>({ signal: _, session, ...use }: T): Sent<T> {
  const sent = { ...use, ...(session ? { session: { cwd: session.cwd, env: session.env } } : {}) };
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => typeof value !== "function")) as unknown as Sent<T>;
}
