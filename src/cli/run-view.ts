/**
 * A run as a person sees it: the model's text on stdout; on stderr one line a call and the cost, and on a terminal below them
 * what is at work now. Refuses to put anything but the model's text on stdout, and to write while a person is asked.
 */
import type { EventOf, KaryiEvent, RunOutcome, UsageBody } from "../contract/index.ts";
import { warn } from "./front.ts";
import type { LiveScreen } from "./live-output.ts";
import { LiveRegion } from "./live-region.ts";
import { say } from "./messages.ts";
import { agentCounts, agentName, liveLines } from "./run-lines.ts";
import { allTokens, RunTree } from "./run-tree.ts";
import { styled } from "./terminal-style.ts";
import { harmless, visible } from "./visible.ts";

export interface RunViewOptions {
  /** False: stdout is somebody else's. */
  readonly text: boolean;
  /** Questions are asked or answered by this command: nobody has to be told how to answer. */
  readonly asksHere: boolean;
}

const maxLine = 160;
const redrawMs = 250;
const lagMs = 1000;
/** Text that pauses for so long has the region below it. */
const pauseMs = 600;

export class RunView implements LiveScreen {
  readonly #options: RunViewOptions;
  readonly #tree = new RunTree();
  readonly #summaries = new Map<string, string>();
  /** Agents by how they are called on the screen. */
  readonly #names = new Map<string, string>();
  /** By approval, the agent that asks; nobody's name for the run itself. */
  readonly #askers = new Map<string, string>();
  readonly #awaited = new Map<string, () => void>();
  readonly #region: LiveRegion | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #since = Date.now();
  /** Events that came while a person is asked. */
  #held: KaryiEvent[] | undefined;
  #atLineStart = true;
  #streamed = false;
  #lastText = 0;
  #over = false;

  constructor(options: RunViewOptions) {
    this.#options = options;
    if (!hasCursor()) return;
    this.#region = new LiveRegion(process.stderr);
    this.#timer = setInterval(() => this.#draw(), redrawMs);
    this.#timer.unref();
  }

  show(event: KaryiEvent): void {
    if (this.#held) return void this.#held.push(event);
    this.#tree.take(event);
    this.#tell(event);
    this.#draw();
  }

  /** A person is asked: the screen is the question's. What came before the question is shown before it. */
  async pause(about?: string): Promise<void> {
    if (about !== undefined) await this.#hasCome(about);
    const asker = about === undefined ? undefined : this.#names.get(this.#askers.get(about) ?? "");
    if (asker !== undefined) this.#activity(say("runAgentAsks", line(asker)));
    this.#clear();
    this.#breakLine();
    this.#held ??= [];
  }

  /** The question's own event; where events lag behind, the question does not wait for long. */
  async #hasCome(approvalId: string): Promise<void> {
    if (this.#askers.has(approvalId)) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, lagMs);
    });
    const come = new Promise<void>((resolve) => this.#awaited.set(approvalId, resolve));
    await Promise.race([come, late]);
    clearTimeout(timer);
    this.#awaited.delete(approvalId);
  }

  beside(write: () => void): void {
    this.#clear();
    if (process.stdout.isTTY) this.#breakLine();
    write();
    this.#region?.wrote("\n");
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    // The answer stands on lines of its own.
    this.#region?.wrote("\n");
    for (const event of held) this.show(event);
  }

  end({ status, error, usage, cost_usd, cache_saved_usd }: RunOutcome): void {
    this.close();
    if (error !== undefined) warn(visible(error.message));
    else if (status !== "done") warn(say("runEnded", status));
    warn(styled("dim", tokens(usage, cost_usd, cache_saved_usd), process.stderr));
  }

  /** Leaves the screen at the beginning of a line. */
  close(): void {
    this.#over = true;
    clearInterval(this.#timer);
    this.#clear();
    this.#breakLine();
  }

  #tell(event: KaryiEvent): void {
    switch (event.type) {
      case "text_delta":
        return this.#delta(event.body.text);
      case "text":
        return this.#whole(event);
      case "turn_end":
        return this.#breakLine();
      case "tool_call":
        this.#summaries.set(event.callId ?? "", event.body.summary);
        if (this.#region) this.#breakLine();
        return;
      case "tool_result":
        return this.#result(event);
      case "permission_request":
        this.#askers.set(event.body.approval_id, event.subagentId ?? "");
        this.#awaited.get(event.body.approval_id)?.();
        if (this.#options.asksHere) return;
        return this.#activity(say("runAsks", event.body.tool, line(event.body.summary), event.body.approval_id));
      case "value_request":
        if (this.#options.asksHere || event.body.status !== "asked") return;
        return this.#activity(say("runAsksValue", event.body.key, event.body.request_id));
      case "error":
        return this.#activity(problem(event));
      case "subagent_start":
        // On a terminal the tree shows it while it works.
        if (this.#region === undefined) this.#activity(say("runAgentStarts", event.body.agent, line(event.body.description)));
        else this.#names.set(event.subagentId ?? "", agentName(event.subagentId ?? "", event.body));
        return;
      case "subagent_end":
        return this.#agentEnds(event);
      default:
        return;
    }
  }

  #delta(text: string): void {
    this.#streamed = true;
    this.#write(text);
  }

  #whole({ body: { text, role } }: EventOf<"text">): void {
    if (role === "user") return this.#activity(say("runHeard", line(text)));
    // A text that did not stream, such as the answer of a run that is only finished, is shown whole.
    if (!this.#streamed) this.#write(text);
    this.#streamed = false;
  }

  #result({ callId = "", subagentId, body: { tool, status } }: EventOf<"tool_result">): void {
    const summary = this.#summaries.get(callId) ?? tool;
    this.#summaries.delete(callId);
    // An agent that was shown has a line of its own.
    if (subagentId !== undefined || (this.#region && this.#tree.isAgentCall(callId))) return;
    const sign = status === "ok" ? "✓" : status === "denied" ? "⊘" : "✗";
    this.#activity(styled("dim", `${sign} ${line(summary)}`, process.stderr));
  }

  #agentEnds({ subagentId = "", body: { status, calls, usage } }: EventOf<"subagent_end">): void {
    if (this.#region === undefined) return this.#activity(say("runAgentEnds", subagentId, status, calls));
    const sign = status === "done" ? "✓" : status === "cancelled" ? "⊘" : "✗";
    const how = status === "done" ? "" : ` · ${status}`;
    const name = line(this.#names.get(subagentId) ?? subagentId);
    this.#activity(styled("dim", `${sign} ${name}${how} · ${agentCounts(calls, allTokens(usage))}`, process.stderr));
  }

  #write(text: string): void {
    if (!this.#options.text || text === "") return;
    const shown = process.stdout.isTTY ? harmless(text) : text;
    // Where stdout is no terminal the region has the screen for itself.
    if (process.stdout.isTTY) {
      this.#clear();
      this.#region?.wrote(shown);
    }
    process.stdout.write(shown);
    this.#lastText = Date.now();
    this.#atLineStart = shown.endsWith("\n");
  }

  #breakLine(): void {
    if (this.#atLineStart) return;
    this.#atLineStart = true;
    if (process.stdout.isTTY) {
      this.#clear();
      this.#region?.wrote("\n");
    }
    process.stdout.write("\n");
  }

  #activity(text: string): void {
    // On a terminal both streams share the screen.
    this.beside(() => process.stderr.write(`${text}\n`));
  }

  #clear(): void {
    this.#region?.clear();
  }

  #draw(): void {
    if (!this.#region || this.#held || this.#over) return;
    const now = Date.now();
    // Text that comes is sign of life enough.
    if (!this.#atLineStart && now - this.#lastText < pauseMs) return;
    this.#region.draw(liveLines(this.#tree, this.#since, now));
  }
}

/** Somebody looks, at a screen whose cursor can be moved. */
function hasCursor(): boolean {
  return process.stderr.isTTY === true && process.env.TERM !== "dumb";
}

function line(text: string): string {
  const [first = ""] = visible(text).split("\n", 1);
  return first.length > maxLine ? `${first.slice(0, maxLine)}…` : first;
}

function problem({ body: { message, retry_in_ms } }: EventOf<"error">): string {
  return retry_in_ms === undefined ? line(message) : say("runRetries", line(message), (retry_in_ms / 1000).toFixed(1));
}

function tokens({ input_tokens, output_tokens, cache_read_tokens, cache_write_tokens }: UsageBody, cost?: number, saved?: number): string {
  const cached = cache_read_tokens + cache_write_tokens === 0 ? "" : say("runCached", cache_read_tokens, cache_write_tokens);
  const price = cost === undefined ? "" : say("runCost", cost.toFixed(4), saved === undefined ? "" : say("runSaved", saved.toFixed(4)));
  return `${say("runTokens", input_tokens, output_tokens)}${cached}${price}`;
}
