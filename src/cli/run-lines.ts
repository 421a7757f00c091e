/** What is at work now, as lines of a terminal: calls, the tree of agents with what they do, and what it cost so far. */
import { say } from "./messages.ts";
import type { LiveAgent, RunTree } from "./run-tree.ts";
import { styled } from "./terminal-style.ts";
import { oneLine } from "./visible.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 250;
/** Seconds of a call are worth telling from here on. */
const soonMs = 2000;

/** `agent_1 general: looks at tests`. */
export function agentName(id: string, { agent, description }: Pick<LiveAgent, "agent" | "description">): string {
  return description === "" ? `${id} ${agent}` : `${id} ${agent}: ${description}`;
}

export function agentCounts(calls: number, tokens: number): string {
  const made = calls === 1 ? say("runOneCall") : say("runCalls", calls);
  return tokens === 0 ? made : `${made}, ${say("runAllTokens", tokens)}`;
}

export function liveLines(tree: RunTree, since: number, now: number): readonly string[] {
  const spin = frames[Math.floor(now / frameMs) % frames.length] ?? "";
  const calls = tree.calls.flatMap(({ summary, since: began, said }) => [
    `${spin} ${oneLine(summary)}${seconds(began, now)}`,
    ...(said === undefined ? [] : [dim(`  ${oneLine(said)}`)]),
  ]);
  const agents = tree.agents.flatMap(({ agent, depth }) => {
    const indent = "  ".repeat(depth);
    const counts = dim(` · ${agentCounts(agent.calls, agent.tokens)}${seconds(agent.since, now)}`);
    const doing = tree.doing(agent).map((summary) => dim(`${indent}  └ ${oneLine(summary)}`));
    return [`${indent}${spin} ${oneLine(agentName(agent.id, agent))}${counts}`, ...doing];
  });
  const { tokens, costUsd } = tree;
  const working = calls.length + agents.length === 0 ? `${spin} ${say("runThinks")} · ` : "";
  const cost = costUsd === undefined || costUsd === 0 ? "" : say("runCost", costUsd.toFixed(4), "");
  const counted = tokens.in + tokens.out === 0 ? "" : ` · ${say("runTokens", tokens.in, tokens.out)}`;
  const total = `${say("runRound", tree.rounds)}${counted}${cost}${seconds(since, now)}`;
  return [...calls, ...agents, dim(`${working}${total}`)];
}

function seconds(since: number, now: number): string {
  const ms = now - since;
  return ms < soonMs ? "" : ` · ${Math.floor(ms / 1000)} s`;
}

function dim(text: string): string {
  return styled("dim", text, process.stderr);
}
