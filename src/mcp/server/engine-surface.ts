/**
 * One session of the engine as an MCP surface: tools, Undo, DryRun, artifacts as resources, skills as prompts. Owns how a
 * question reaches the person of the client. Refuses to decide: every answer goes to the engine's own record.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  type CallToolResult,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  type ApprovalRecord,
  errorText,
  type Json,
  type JsonObject,
  type KaryiEngine,
  type Result,
  type SessionHandle,
} from "../../contract/index.ts";
import { approvalForm, replyOf } from "./approval-form.ts";
import { artifactResources } from "./artifact-resources.ts";
import { callResult } from "./call-result.ts";
import { instructions } from "./instructions.ts";
import type { Changed, Exchange, PromptSurface, ResourceSurface, Surface } from "./surface.ts";
import { dryRunName, ToolList, undoName } from "./tool-list.ts";

export interface EngineSurfaceOptions {
  readonly engine: KaryiEngine;
  readonly session: SessionHandle;
  readonly version: string;
  /** Only these tools. */
  readonly tools?: readonly string[];
  /** How long a client may take to show a form and bring the answer. */
  readonly elicitationTimeoutMs: number;
  /** How much of one result a model reads, in estimated tokens. */
  readonly modelOutputTokens: number;
  /** Added to `karyi approvals answer ID once`, if the home is not the usual one. */
  readonly commandFlags?: string;
  readonly prompts?: PromptSurface;
  /** False: whoever sits at the client must not answer questions. */
  readonly mayApprove?: boolean;
  /** 32 bytes that sign what a client carries; the same in every process of the home, so that an answer outlives a restart. */
  stateKey(): Promise<Uint8Array>;
  /** Where a person gives secret values; absent: nowhere. */
  valuePage?(): string;
}

/** What a client carries from a question to its answer; signed, and worth nothing without the approval's own nonce. */
interface CarriedQuestion {
  readonly approval_id: string;
  readonly nonce: string;
  readonly call: string;
}

const question = "approval";
/** How long a client may take to open a page. */
const valuePageMs = 59_000;

const stateSeconds = 24 * 3600;

export class EngineSurface implements Surface {
  readonly info: Surface["info"];
  readonly instructions = instructions;
  readonly resources: ResourceSurface;
  readonly prompts?: PromptSurface;
  readonly #options: EngineSurfaceOptions;
  readonly #list: ToolList;
  readonly #listeners = new Set<(changed: Changed) => void>();
  /** Calls that wait for a person, by what they are: the same call made again is the same call. */
  readonly #waiting = new Map<string, string>();
  #signing: Promise<RequestStateCodec<CarriedQuestion>> | undefined;

  constructor(options: EngineSurfaceOptions) {
    const { engine, session, version, tools, prompts } = options;
    this.#options = options;
    this.info = { name: "karyi", title: "Karyi", version };
    this.#list = new ToolList(engine, session, tools);
    this.resources = artifactResources(session);
    if (prompts) this.prompts = prompts;
  }

  async tools(): ReturnType<Surface["tools"]> {
    return this.#list.list();
  }

  async verifyState(state: string, context: ServerContext): Promise<unknown> {
    return (await this.#codec()).verify(state, context);
  }

  /** What was signed for one session is worth nothing in another. */
  async #codec(): Promise<RequestStateCodec<CarriedQuestion>> {
    const { session, stateKey } = this.#options;
    this.#signing ??= stateKey().then((key) =>
      createRequestStateCodec<CarriedQuestion>({ key, ttlSeconds: stateSeconds, bind: () => session.id }),
    );
    try {
      return await this.#signing;
    } catch (error) {
      this.#signing = undefined;
      throw error;
    }
  }

  onChanged(listener: (changed: Changed) => void): () => void {
    this.#listeners.add(listener);
    const { engine, session } = this.#options;
    const end = engine.onEvent(
      (event) => {
        if (event.type !== "artifact_updated" || event.sessionId !== session.id) return;
        listener(
          event.body.version === 1 ? { kind: "resources" } : { kind: "resource", uri: `karyi://artifact/${event.body.artifact_id}` },
        );
      },
      { patient: true },
    );
    return () => {
      end();
      this.#listeners.delete(listener);
    };
  }

  async call(name: string, args: JsonObject, exchange: Exchange): Promise<CallToolResult | InputRequiredResult> {
    const before = this.#list.list();
    const carried = exchange.context.mcpReq.requestState<CarriedQuestion>();
    const outcome = carried === undefined ? await this.#begin(name, args, exchange) : await this.#answered(carried, name, args, exchange);
    if (!sameNames(before, this.#list.list())) for (const listener of this.#listeners) listener({ kind: "tools" });
    return "resultType" in outcome ? (outcome as InputRequiredResult) : this.#told(outcome as Result);
  }

  async #begin(name: string, args: JsonObject, exchange: Exchange): Promise<Result | InputRequiredResult> {
    const known = this.#waiting.size === 0 ? undefined : this.#waiting.get(digestOf(name, args));
    const result = await this.#perform(name, args, exchange, known);
    if (result.status !== "suspended" || result.approvalId === undefined) {
      if (known !== undefined) this.#waiting.delete(digestOf(name, args));
      return result;
    }
    const digest = digestOf(name, args);
    this.#waiting.set(digest, result.callId);
    const settled = await this.#ask(result, result.approvalId, digest, exchange);
    if (!("resultType" in settled) && settled.status !== "suspended") this.#waiting.delete(digest);
    return settled;
  }

  #perform(name: string, args: JsonObject, exchange: Exchange, callId: string | undefined): Promise<Result> {
    const { session } = this.#options;
    const { signal, progress } = exchange;
    const options = { signal, onProgress: progress, ...(callId === undefined ? {} : { callId }) };
    if (this.#list.offersOwn && name === undoName) return this.#undo(args, signal);
    if (this.#list.offersOwn && name === dryRunName) {
      const tool = typeof args.tool === "string" ? args.tool : "";
      const real = this.#list.resolve(tool);
      return real === undefined ? this.#notOffered(tool) : session.call(real, args.input ?? {}, { ...options, dryRun: true });
    }
    const real = this.#list.resolve(name);
    if (real === "GetValue") return this.#askValue(args, exchange);
    return real === undefined ? this.#notOffered(name) : session.call(real, args, options);
  }

  /** A secret never goes through a form: the client opens the console's page, or the person types it into the command. */
  async #askValue(args: JsonObject, { signal, asksByUrl, era, elicit }: Exchange): Promise<Result> {
    const { session, valuePage } = this.#options;
    const key = typeof args.key === "string" && args.key !== "" ? args.key : "NAME";
    if (valuePage === undefined || !asksByUrl || era === "modern") {
      return refused(
        "GetValue",
        "permission_denied",
        `A secret is never asked for through this client. The person can give it with: karyi var set ${key}`,
      );
    }
    const stop = new AbortController();
    const given = session.call("GetValue", args, { signal: AbortSignal.any([signal, stop.signal]) });
    const asked = {
      mode: "url" as const,
      message: `Give the value of ${key} on this page.`,
      url: valuePage(),
      elicitationId: randomUUID(),
    };
    const shown = await elicit(asked, { signal: AbortSignal.any([signal, stop.signal]), timeoutMs: valuePageMs });
    if (shown?.action !== "accept") stop.abort();
    return given;
  }

  async #notOffered(name: string): Promise<Result> {
    const names = this.#list.names().join(", ");
    return refused(name, "tool_not_found", `The tool '${name}' is not offered here. There is: ${names}.`);
  }

  async #undo(args: JsonObject, signal: AbortSignal): Promise<Result> {
    const { session } = this.#options;
    const { call_id: callId } = args;
    if (typeof callId !== "string" || callId === "")
      return refused(undoName, "invalid_tool_input", "Undo needs the `call_id` of a call, a string.");
    if (session.mode === "plan")
      return refused(undoName, "permission_denied", "In plan mode nothing is changed, and nothing is taken back.");
    return session.undo(callId, { signal });
  }

  /** By the client's form where it has one, until its time is over or somebody answers elsewhere. */
  async #ask(waiting: Result, approvalId: string, digest: string, exchange: Exchange): Promise<Result | InputRequiredResult> {
    const { engine, elicitationTimeoutMs, mayApprove = true } = this.#options;
    const approval = await engine.approval(approvalId);
    if (approval === undefined || !exchange.asksByForm || !mayApprove) return waiting;
    if (exchange.era === "modern") {
      const requestState = await (await this.#codec()).mint(
        { approval_id: approval.id, nonce: approval.nonce, call: digest },
        exchange.context,
      );
      return inputRequired({ inputRequests: { [question]: inputRequired.elicit(approvalForm(approval.card)) }, requestState });
    }
    const stop = new AbortController();
    const signal = AbortSignal.any([exchange.signal, stop.signal]);
    try {
      const form = exchange.elicit(approvalForm(approval.card), { signal, timeoutMs: elicitationTimeoutMs });
      const elsewhere = this.#answeredElsewhere(approval.id, signal);
      const first = await Promise.race([form, elsewhere]);
      if (exchange.signal.aborted) return await this.#withdrawn(approval);
      if (first === undefined) return waiting;
      if ("action" in first) return await this.#settle(approval, replyOf(first).answer, exchange);
      return await engine.finishAnswered(first);
    } finally {
      stop.abort();
    }
  }

  /** A call that its client has cancelled leaves no question behind. */
  async #withdrawn(approval: ApprovalRecord): Promise<Result> {
    const { engine } = this.#options;
    await engine.answer(approval.id, { answer: "deny", words: "The client cancelled the call." }, "mcp");
    return engine.resume(approval.id);
  }

  async #settle(approval: ApprovalRecord, answer: "once" | "always" | "deny", { clientName, signal, progress }: Exchange): Promise<Result> {
    const { engine } = this.#options;
    await engine.answer(approval.id, { answer }, `mcp:${clientName.slice(0, 60)}`);
    return engine.resume(approval.id, { signal, onProgress: progress });
  }

  async #answeredElsewhere(id: string, signal: AbortSignal): Promise<ApprovalRecord | undefined> {
    const { engine } = this.#options;
    while (!signal.aborted) {
      const changed = engine.changed(signal);
      const record = await engine.approval(id);
      if (record !== undefined && record.status !== "pending") {
        changed.catch(() => {});
        return record;
      }
      await changed.catch(() => {});
    }
    return undefined;
  }

  /** The second round of a client of 2026: its answer counts for exactly the question that was signed. */
  async #answered(carried: CarriedQuestion, name: string, args: JsonObject, exchange: Exchange): Promise<Result | InputRequiredResult> {
    const { engine } = this.#options;
    const approval = await engine.approval(carried.approval_id);
    const digest = digestOf(name, args);
    if (approval === undefined || approval.nonce !== carried.nonce || carried.call !== digest) {
      return refused(name, "permission_denied", "This answer belongs to another question; nothing was done.");
    }
    this.#waiting.delete(digest);
    if (approval.status !== "pending") return engine.finishAnswered(approval);
    if (this.#options.mayApprove === false) return refused(name, "permission_denied", "This client's token may not answer questions.");
    const response = exchange.context.mcpReq.inputResponses?.[question] as
      | { readonly action?: unknown; readonly content?: unknown }
      | undefined;
    // Asked again if the answer did not come along.
    if (response === undefined) return this.#begin(name, args, exchange);
    const { answer } = replyOf({ action: response.action === "accept" ? "accept" : "decline", content: contentOf(response.content) });
    return this.#settle(approval, answer, exchange);
  }

  async #told(result: Result): Promise<CallToolResult> {
    const { session, modelOutputTokens, commandFlags = "" } = this.#options;
    const shown = result.status === "suspended" ? { ...result, output: waitingText(result, commandFlags) } : result;
    return callResult(shown, { keep: (text) => session.keepOutput(text), modelOutputTokens, offersUndo: this.#list.offersOwn });
  }
}

function sameNames(before: ReturnType<ToolList["list"]>, now: ReturnType<ToolList["list"]>): boolean {
  return before === now || before.map(({ name }) => name).join() === now.map(({ name }) => name).join();
}

function waitingText({ output, approvalId }: Result, flags: string): string {
  return [
    output,
    "Nothing was done yet: a person must agree, and was not reached through this client. They can answer with:",
    `  karyi approvals answer ${approvalId} once${flags}`,
    "(or `always`, or `deny`). After that make the same call again to get its result.",
  ].join("\n");
}

function contentOf(content: unknown): Record<string, string | number | boolean | string[]> | undefined {
  return typeof content === "object" && content !== null ? (content as Record<string, string | number | boolean | string[]>) : undefined;
}

function refused(tool: string, code: "tool_not_found" | "invalid_tool_input" | "permission_denied", message: string): Result {
  return {
    callId: "",
    tool,
    status: code === "permission_denied" ? "denied" : "error",
    output: errorText({ code, message }),
    content: [],
    error: { code, message },
    undoable: false,
    durationMs: 0,
  };
}

function digestOf(name: string, args: JsonObject): string {
  return createHash("sha256")
    .update(canonical([name, args]))
    .digest("hex");
}

function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join()}}`;
}
