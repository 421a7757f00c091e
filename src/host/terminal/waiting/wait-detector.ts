/**
 * Decides that the program in the foreground waits for somebody to type. The evidence is what its threads
 * sleep in; time alone never decides, it only makes sure that nothing is on its way. A program that can be
 * seen reading the terminal is believed at once; one that waits for several things must also show a question,
 * own the whole screen, or stay quiet for long.
 */
import type { WaitKind } from "../../../contract/index.ts";
import type { VirtualScreen } from "../vt/virtual-screen.ts";
import { type Foreground, isTypedAt, probeForeground, type Reader } from "./foreground.ts";
import { type LineDiscipline, lineDiscipline } from "./line-discipline.ts";
import { isFar, looksLikePrompt, waitKind } from "./wait-kind.ts";

export interface Waiting {
  readonly kind: WaitKind;
  readonly program: string;
  /** The question, as far as it stands in the line of the cursor. */
  readonly question: string;
  readonly reader: Reader | undefined;
  /** What is typed reaches it through another program. */
  readonly relayed: boolean;
}

/** What was typed last and who was to read it: until that thread has run, it only seems to wait. */
export interface Typed {
  readonly at: number;
  readonly reader: Reader | undefined;
}

const promptQuietMs = 250;
/** For one that has put the terminal to its own use, or waits for nothing else. */
const keysQuietMs = 500;
const textQuietMs = 1_200;
const silentQuietMs = 3_000;
/** A line that is not finished does not wake its reader. */
const unreadMs = 400;

export class WaitDetector {
  readonly #shell: number;
  readonly #terminal: string;
  readonly #screen: VirtualScreen;
  #previous: { readonly foreground: Foreground; readonly at: number } | undefined;

  constructor(shell: number, terminal: string, screen: VirtualScreen) {
    this.#shell = shell;
    this.#terminal = terminal;
    this.#screen = screen;
  }

  /** One look; two that agree, with no output in between, make a decision. */
  async look(lastOutputAt: number, typed: Typed | undefined): Promise<Waiting | undefined> {
    const previous = this.#previous;
    const now = Date.now();
    const foreground = this.#probe();
    this.#previous = { foreground, at: now };
    if (!previous || lastOutputAt >= previous.at || previous.foreground.group !== foreground.group) return undefined;
    const { reader } = foreground;
    if (reader && typed && unread(typed, reader, now)) return undefined;
    const quietMs = now - Math.max(lastOutputAt, typed?.at ?? 0);
    if (reader?.how === "read" && !isFar(reader.name))
      return sameSleep(previous.foreground.reader, reader) ? this.#name(foreground) : undefined;
    if (foreground.busy || quietMs < promptQuietMs) return undefined;
    if (!reader && !foreground.opaque) return undefined;
    const discipline = await this.#discipline(foreground);
    return quietMs >= this.#patience(discipline, foreground) ? this.#name(foreground, discipline) : undefined;
  }

  /** Who reads here; behind a program that only hands on what is typed, who reads there. One that draws is looked at as it is. */
  #probe(): Foreground {
    const outer = probeForeground(this.#shell, this.#terminal, this.#screen.alternate);
    let seen = outer;
    while (seen.inner && !this.#screen.alternate) seen = seen.inner;
    return seen === outer ? outer : { ...seen, group: outer.group, names: outer.names };
  }

  #discipline({ terminal }: Foreground): Promise<LineDiscipline | undefined> {
    return lineDiscipline(terminal ?? this.#terminal);
  }

  get isShellStopped(): boolean {
    return this.#previous?.foreground.stopped ?? false;
  }

  isReading({ pid, thread }: Reader): boolean {
    const { reader } = this.#probe();
    return reader?.pid === pid && reader.thread === thread;
  }

  /** As the terminal is now, whether or not anybody is seen to wait. */
  async asksPassword(): Promise<boolean> {
    return (await this.#name(this.#probe())).kind === "password";
  }

  /** The shell reads its line: what is typed now stands at the prompt. */
  atPrompt(): boolean {
    return probeForeground(this.#shell, this.#terminal).reader?.pid === this.#shell;
  }

  foregroundGroup(): number {
    return probeForeground(this.#shell, this.#terminal).group;
  }

  #patience(discipline: LineDiscipline | undefined, { reader, working }: Foreground): number {
    if (discipline && !discipline.echo && discipline.canonical) return promptQuietMs;
    const line = this.#line();
    if (looksLikePrompt(line)) return reader ? promptQuietMs : 2 * promptQuietMs;
    // Nobody can be seen reading: without a question there is no evidence at all.
    if (!reader) return Number.POSITIVE_INFINITY;
    const raw = discipline !== undefined && !discipline.canonical;
    if (this.#screen.alternate || (this.#screen.addressed && raw)) return promptQuietMs;
    if (working) return Number.POSITIVE_INFINITY;
    if (!isFar(reader.name) && (raw || reader.how === "timed")) return keysQuietMs;
    return line === "" ? silentQuietMs : textQuietMs;
  }

  async #name(foreground: Foreground, known?: LineDiscipline): Promise<Waiting> {
    const discipline = known ?? (await this.#discipline(foreground));
    const line = this.#line();
    const { reader, group } = foreground;
    const names = [...new Set([...(reader ? [reader.name] : []), ...foreground.names])];
    const pid = reader?.pid ?? group;
    const typedAt = pid !== this.#shell && isTypedAt(pid);
    const { alternate, addressed } = this.#screen;
    const kind = waitKind({ discipline, alternate, addressed, line, names, typedAt });
    return { kind, program: names[0] ?? "", question: line.trim(), reader, relayed: foreground.terminal !== undefined };
  }

  /** The cursor's line; a question that wraps stands partly in the one before. */
  #line(): string {
    const { lines, row, column } = this.#screen.view();
    const line = lines[row] ?? "";
    return this.#screen.alternate || column > 0 ? line : "";
  }
}

function sameSleep(before: Reader | undefined, now: Reader): boolean {
  return before !== undefined && before.thread === now.thread && before.switches === now.switches;
}

function unread(typed: Typed, reader: Reader, now: number): boolean {
  const { reader: before } = typed;
  return before !== undefined && before.thread === reader.thread && before.switches === reader.switches && now - typed.at < unreadMs;
}
