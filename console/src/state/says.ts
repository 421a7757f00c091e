/** The agent's own words about a call: the last sentence it wrote before it, as plain text. Pure. */
import type { SessionState, Thread } from "./session-state.ts";

const longest = 300;

/** Nothing if it wrote nothing since the call before. */
export function saidBefore(state: SessionState, callId: string): string | undefined {
  const agentId = state.calls.get(callId)?.agentId;
  const thread: Thread | undefined = agentId === undefined ? state.root : state.threads.get(agentId);
  const entries = thread?.entries ?? [];
  const at = entries.findIndex((entry) => entry.kind === "call" && entry.callId === callId);
  for (let index = at - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry?.kind === "text") return lastSentence(entry.text);
    if (entry?.kind !== "thinking") return undefined;
  }
  return undefined;
}

function lastSentence(text: string): string | undefined {
  const plain = text
    .split(/\n{2,}/)
    .at(-1)
    ?.replace(/[`*_#>]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (plain === undefined || plain === "") return undefined;
  // A dot inside of a name or a number ends nothing.
  const sentence = plain.split(/(?<=[.!?])\s+|(?<=[。！？])\s*(?!$)/).at(-1) ?? plain;
  return sentence.length > longest ? `${sentence.slice(0, longest)}…` : sentence;
}
