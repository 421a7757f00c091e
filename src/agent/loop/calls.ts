/**
 * The calls of one answer. The engine knows each by Karyi's id and never runs one twice, so that a resumed run makes them
 * again and is told what came of those that were done. Read-only calls may begin while the answer still streams.
 */
import type { CallRequest, Result, SessionHandle } from "../../contract/index.ts";
import type { CallOutcome, CallPart } from "../history/message.ts";
import { notRun, outcomeOf, tokensOf } from "../history/outcome.ts";
import type { AgentPorts } from "../ports.ts";

type CallPorts = Pick<AgentPorts, "engine" | "keepOutput" | "modelOutputTokens" | "log">;

export interface CallMaker {
  readonly session: SessionHandle;
  readonly agent: string;
  readonly messageId: string;
  readonly signal: AbortSignal;
  /** Karyi's name of a tool that the provider knows by another. */
  nameOf(written: string): string;
  /** What the results of one answer may take together, in estimated tokens. */
  readonly roomTokens: number;
  readonly ports: CallPorts;
}

const maxEarly = 10;
const maxMoments = 4;

/** Reasons of a result that only says that another process has the call. */
const elsewhere = new Set(["call_under_way", "approval_used"]);

export class EarlyCalls {
  readonly #maker: CallMaker;
  #begun = 0;
  #open = true;
  readonly #lives: Promise<void>[] = [];

  constructor(maker: CallMaker) {
    this.#maker = maker;
  }

  /** Begins the call if it only reads and nobody has to be asked. The first one that does not closes the door for the rest. */
  offer(call: CallPart): void {
    const { engine, log } = this.#maker.ports;
    const traits = engine.describeTool(this.#maker.nameOf(call.name))?.traits;
    this.#open &&= call.broken === undefined && traits?.readOnly === true && traits.concurrencySafe && this.#begun < maxEarly;
    if (!this.#open) return;
    this.#begun += 1;
    const { session, signal } = this.#maker;
    const over = session.begin(requestOf(call, this.#maker), { signal, ifAllowed: true, fresh: true }).then(
      () => {},
      (error) => log("A call could not begin early", error),
    );
    this.#lives.push(over);
  }

  /** Until none of them is about to begin any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#lives);
  }

  /** Lets the calls get to work before something stops the process for a moment, such as a commit. */
  async underWay(): Promise<void> {
    if (this.#lives.length === 0) return;
    const moments = (async () => {
      for (let moment = 0; moment < maxMoments; moment++) await new Promise<void>((resolve) => setImmediate(resolve));
    })();
    await Promise.race([Promise.all(this.#lives), moments]);
  }
}

/** Outcomes in the order of the calls. Waits for people as long as they take. */
export async function makeCalls(calls: readonly CallPart[], maker: CallMaker): Promise<CallOutcome[]> {
  const sound = calls.filter(({ broken }) => broken === undefined);
  const { session, signal, ports } = maker;
  const requests = sound.map((call) => requestOf(call, maker));
  const results = await session.callAll(requests, { wait: true, signal });
  const known = new Map<string, CallOutcome>();
  const keep = (text: string) => ports.keepOutput(session.id, text);
  const settled: Result[] = [];
  for (const [index, result] of results.entries()) {
    const { callId } = sound[index] as CallPart;
    settled.push({ ...(await settledElsewhere({ ...result, callId }, maker)), callId });
  }
  const maxTokens = fairShare(settled.map(tokensOf), await ports.modelOutputTokens(session), maker.roomTokens);
  for (const result of settled) known.set(result.callId, await outcomeOf(result, { maxTokens, keep }));
  return calls.map(
    (call) => known.get(call.callId) ?? notRun(call, `invalid_tool_input: ${call.broken}. The call did not run; write it again.`, "broken"),
  );
}

/** Of an answer that the output limit cut: what began while it streamed keeps its result, and nothing else runs. */
export async function makeBegun(
  calls: readonly CallPart[],
  maker: CallMaker,
  early: EarlyCalls | undefined,
  why: string,
): Promise<CallOutcome[]> {
  await early?.settled();
  const records = await Promise.all(calls.map(({ callId }) => maker.ports.engine.call(callId)));
  const begun = calls.filter((_, index) => records[index] !== undefined);
  const known = new Map((await makeCalls(begun, maker)).map((outcome) => [outcome.callId, outcome]));
  return calls.map((call) => known.get(call.callId) ?? notRun(call, why, "cut_off"));
}

const leastTokens = 200;

/** The most that one result may take so that all of them fit: short ones leave their room to long ones. */
function fairShare(tokens: readonly number[], maxTokens: number, roomTokens: number): number {
  let [room, left] = [roomTokens, tokens.length];
  for (const one of [...tokens].sort((a, b) => a - b)) {
    if (one > room / left) return Math.max(leastTokens, Math.min(maxTokens, Math.floor(room / left)));
    room -= one;
    left -= 1;
  }
  return maxTokens;
}

/** What became of calls that a run left open when it ended or died. Nothing runs again; open questions are withdrawn. */
export async function closeCalls(calls: readonly CallPart[], maker: CallMaker): Promise<CallOutcome[]> {
  const { engine, keepOutput } = maker.ports;
  const keep = (text: string) => keepOutput(maker.session.id, text);
  const maxTokens = await maker.ports.modelOutputTokens(maker.session);
  const pending = calls.length === 0 ? [] : await engine.approvals("pending");
  return Promise.all(
    calls.map(async (call) => {
      const record = await engine.call(call.callId);
      const asked = pending.find(({ callId }) => callId === call.callId);
      if (asked) await engine.answer(asked.id, { answer: "deny", words: "The run ended before this was answered." }, "karyi");
      if (record?.result) return outcomeOf({ ...record.result, callId: call.callId }, { maxTokens, keep });
      if (record?.phase === "running") return notRun(call, "outcome unknown: Karyi was ended while this call ran. Check what it did.");
      if (record?.phase === "asked") {
        // Begun again with nobody waiting, it gets its end in the record too.
        await maker.session.begin(requestOf(call, maker), { signal: AbortSignal.abort() });
        if (asked) return notRun(call, "cancelled: the run ended while this call waited for a person. It did not run.");
        return notRun(call, "cancelled: the run ended while this call waited. Check what was begun for it.");
      }
      return notRun(call, "not run: the run ended before this call began.");
    }),
  );
}

function requestOf(call: CallPart, { agent, messageId, nameOf }: CallMaker): CallRequest & { readonly id: string } {
  const repaired = call.repaired === undefined ? {} : { repaired: call.repaired };
  return { id: call.callId, name: nameOf(call.name), input: call.input, agent, messageId, ...repaired };
}

/** A call that another process goes on with, after an answer there, is waited for: its result counts, and no other. */
async function settledElsewhere(result: Result, { signal, ports: { engine } }: CallMaker): Promise<Result> {
  const reason = result.error?.details?.reason;
  if (typeof reason !== "string" || !elsewhere.has(reason)) return result;
  for (;;) {
    const changed = engine.changed(signal);
    const record = await engine.call(result.callId);
    if (record?.result && record.phase === "settled") return record.result;
    if (record?.phase !== "running" || signal.aborted) return result;
    await changed;
  }
}
