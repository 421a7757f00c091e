/** `karyi agents [show NAME] [--running]`: which agents there are, what is wrong with their files, and which are at work. */
import type { WiredEngine } from "../../compose/index.ts";
import type { SubagentState } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { styled } from "../terminal-style.ts";
import { padded } from "../text-width.ts";
import { oneLine, visible } from "../visible.ts";

interface AgentFlags extends GlobalFlags {
  readonly running?: boolean;
}

export function listAgents(_: readonly string[], flags: AgentFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    if (flags.running) return listRunning(engine, flags);
    const { agents, problems } = await engine.agentFiles.definitions(engine.workspace);
    if (flags.json)
      printJson({
        agents: agents.map(({ name, description, tools, model, source }) => ({
          name,
          description,
          ...(tools === undefined ? {} : { tools }),
          ...(model === undefined ? {} : { model }),
          source,
        })),
        problems,
      });
    else {
      const width = Math.max(...agents.map(({ name }) => name.length)) + 2;
      print(
        agents
          .map(({ name, description }) => `${padded(styled("bold", oneLine(name), process.stdout), width)}${oneLine(description)}`)
          .join("\n"),
      );
      for (const { file, line, message } of problems) warn(say("badDefinition", oneLine(file), line, oneLine(message)));
    }
    return exitCodes.done;
  });
}

export function showAgent([name = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const { agents } = await engine.agentFiles.definitions(engine.workspace);
    const agent = agents.find((one) => one.name === name);
    if (agent === undefined) {
      throw new ToolFailure("tool_not_found", say("unknownAgent", name, agents.map((one) => one.name).join(", ")), {
        details: { reason: "agent_not_found" },
      });
    }
    const { description, tools, withoutTools, model, maxRounds, prompt, source } = agent;
    if (flags.json)
      printJson({
        name,
        description,
        ...(tools === undefined ? {} : { tools }),
        ...(withoutTools === undefined ? {} : { disallowed_tools: withoutTools }),
        ...(model === undefined ? {} : { model }),
        ...(maxRounds === undefined ? {} : { max_rounds: maxRounds }),
        source,
        prompt,
      });
    else {
      const facts = [tools?.join(", ") ?? say("allTools"), ...(model === undefined ? [] : [model]), source].map(oneLine).join("  ·  ");
      print(
        [
          styled("bold", oneLine(name), process.stdout),
          oneLine(description),
          styled("dim", facts, process.stdout),
          "",
          visible(prompt),
        ].join("\n"),
      );
    }
    return exitCodes.done;
  });
}

async function listRunning(engine: WiredEngine, flags: AgentFlags): Promise<number> {
  const running: SubagentState[] = [];
  for (const { id, key } of await engine.listSessions()) {
    // Agents of agents are listed with the session at the top.
    if (key.channel === "agent") continue;
    const all = await engine.runner.subagents(id).list();
    running.push(...all.filter(({ status }) => status === "running" || status === "waiting"));
  }
  if (flags.json) printJson({ agents: running.map(runningWire) });
  else if (running.length === 0) print(say("noAgentsRun"));
  else
    print(
      running
        .map(
          ({ id, agent, status, calls, description }) => `${oneLine(id)}  ${oneLine(agent)}  ${status}  ${calls}  ${oneLine(description)}`,
        )
        .join("\n"),
    );
  return exitCodes.done;
}

function runningWire(state: SubagentState): object {
  return {
    id: state.id,
    ...(state.parentId === undefined ? {} : { parent_id: state.parentId }),
    session_id: state.sessionId,
    agent: state.agent,
    description: state.description,
    mode: state.mode,
    status: state.status,
    calls: state.calls,
    usage: state.usage,
    started_at: state.startedAt,
    last_activity_at: state.lastActivityAt,
  };
}
