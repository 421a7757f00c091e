/**
 * Waits until a call on the terminal comes to something: its command ended, its program waits for somebody to type, or its
 * time is over. A password is asked from the person meanwhile. A cancelled call leaves nothing of its program running.
 */
import type { TerminalUse } from "../../contract/index.ts";
import type { TerminalCall } from "./call.ts";
import type { HiddenText } from "./hidden-text.ts";
import type { ShellLife } from "./shell/shell-life.ts";
import type { TerminalOptions } from "./terminal-types.ts";
import { type ForegroundWatch, firstLookMs } from "./waiting/foreground-watch.ts";
import type { Waiting } from "./waiting/wait-detector.ts";

const slowestLookMs = 200;
const interruptMs = 1_000;
const maxSecrets = 3;
const nextLineMs = 80;

export interface Outcome {
  readonly waiting?: Waiting;
  readonly timedOut?: boolean;
}

export interface Settling {
  readonly life: ShellLife;
  readonly foreground: ForegroundWatch;
  readonly hidden: HiddenText;
  readonly options: Pick<TerminalOptions, "askSecret" | "onEvent">;
  hide(text: string): string;
}

export async function settleCall(settling: Settling, call: TerminalCall, use: TerminalUse): Promise<Outcome> {
  const { signal } = use;
  // Most commands end before the first look, and until then nobody need hear of a cancel.
  await call.ended(Math.min(firstLookMs, use.timeoutMs));
  if (call.end && call.lines < 2) return {};
  const wake = () => call.wake();
  signal.addEventListener("abort", wake, { once: true });
  try {
    return await settle(settling, call, use);
  } finally {
    signal.removeEventListener("abort", wake);
  }
}

async function settle(settling: Settling, call: TerminalCall, use: TerminalUse): Promise<Outcome> {
  const { life, foreground, options } = settling;
  const { signal, callId } = use;
  let asked = 0;
  let until = Date.now() + use.timeoutMs - firstLookMs;
  let pauseMs = firstLookMs;
  while (!call.end || (await goesOn(call))) {
    if (signal.aborted) return interrupt(settling, call);
    if (Date.now() >= until) return { timedOut: true };
    await call.ended(Math.min(pauseMs, until - Date.now()));
    if (call.end || signal.aborted || !call.started) continue;
    call.flush();
    pauseMs = foreground.justPrinted ? firstLookMs : Math.min(slowestLookMs, pauseMs * 1.3);
    const waiting = await foreground.look();
    if (foreground.isShellStopped) life.shell?.goOn();
    if (!waiting || call.end || life.isOver) continue;
    if (life.isDoubted && waiting.reader?.pid === life.shell?.pid) continue;
    foreground.waiting = waiting;
    if (waiting.kind === "password" && options.askSecret && asked < maxSecrets) {
      const askedAt = Date.now();
      asked += 1;
      const secret = await options.askSecret(waiting.question, signal);
      until += Date.now() - askedAt;
      if (secret !== undefined && !call.end && !signal.aborted && (await stillAsks(settling, waiting))) {
        settling.hidden.add([secret]);
        foreground.typed(waiting.reader);
        life.type(`${secret}\n`);
        pauseMs = firstLookMs;
        continue;
      }
      if (call.end) continue;
    }
    options.onEvent?.({
      type: "input_required",
      kind: waiting.kind,
      program: waiting.program,
      question: settling.hide(waiting.question),
      ...(callId === undefined ? {} : { callId }),
    });
    return { waiting };
  }
  return {};
}

/** Several lines typed at a prompt run one after the other. */
async function goesOn(call: TerminalCall): Promise<boolean> {
  if (call.lines < 2 || call.end?.kind !== "prompt") return false;
  call.lines -= 1;
  await new Promise((resolve) => setTimeout(resolve, nextLineMs));
  return !call.end;
}

/** Before a secret is typed: the same program still hides what is typed; a shell prompt would show and run it. */
async function stillAsks({ life, foreground }: Settling, asked: Waiting): Promise<boolean> {
  foreground.waiting = undefined;
  const now = await foreground.detect(500, () => life.isOver);
  return !life.isOver && now?.kind === "password" && now.program === asked.program;
}

async function interrupt({ life, foreground }: Settling, call: TerminalCall): Promise<Outcome> {
  life.type("\x03");
  await call.ended(interruptMs);
  if (!call.end && life.shell) {
    life.shell.endGroup(foreground.group());
    await call.ended(interruptMs);
  }
  // What follows in the same command would go on: it ends with its shell, and another one takes its place.
  if (!call.end && life.shell) {
    life.shell.endGroup(life.shell.pid);
    await call.ended(interruptMs);
  }
  return {};
}
