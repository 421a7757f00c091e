/** Rules as the gateway lists, adds, removes and replays them. Those of a project's own file are the project's to change. */
import { createHash } from "node:crypto";
import { type CallRecord, type Rules, type SessionRecord, ToolFailure, traitsOf } from "../../contract/index.ts";
import type { RuleDesk, RuleEntry } from "../../gateway/index.ts";
import { decide } from "../../policy/index.ts";
import { ruleProblems } from "../check-config.ts";
import { builtinNames, forgetRule, homeConfigPath, loadConfig, rememberRules, setConfigKey } from "../config-layers.ts";
import type { WiredEngine } from "../wired-engine.ts";

type List = RuleEntry["list"];
const lists: readonly List[] = ["allow", "ask", "deny"];

export function createRuleDesk(engine: WiredEngine): RuleDesk {
  const { wiring, store, home, workspace } = engine;
  const { flags } = engine.config.layers;
  const read = () => loadConfig({ home, workspace, env: process.env, flags }, Date.now);

  const list = async (): Promise<readonly RuleEntry[]> => {
    const { layers, projectTrusted, rememberedRules, offlineRules } = await read();
    const of = (rules: Partial<Rules> | undefined, origin: RuleEntry["origin"]): readonly RuleEntry[] =>
      lists.flatMap((name) =>
        (rules?.[name] ?? []).map((rule) => ({
          ...entryOf(rule, name, origin),
          inForce: origin !== "project" || projectTrusted || name !== "allow",
          ...(origin === "always" && offlineRules.includes(rule) ? { offline: true } : {}),
        })),
      );
    return [
      ...of(layers.home.permissions as Partial<Rules> | undefined, "home"),
      ...of(layers.project.permissions as Partial<Rules> | undefined, "project"),
      ...of({ allow: rememberedRules }, "always"),
      ...of(layers.env.permissions as Partial<Rules> | undefined, "environment"),
      ...of(layers.flags.permissions as Partial<Rules> | undefined, "flags"),
    ];
  };

  const homeRules = async (name: List): Promise<readonly string[]> => (await read()).layers.home.permissions?.[name] ?? [];

  return {
    list,
    async add(rule, name, origin) {
      demandKnown(rule, name, engine);
      if (origin === "always" && name !== "allow") {
        throw new ToolFailure("invalid_tool_input", "Only allow rules are kept for a project here; put others into the home.", {
          details: { reason: "rule_origin" },
        });
      }
      if (origin === "always") await rememberRules(home, workspace, [rule], false, Date.now);
      else await setConfigKey(homeConfigPath(home), `permissions.${name}`, [...new Set([...(await homeRules(name)), rule])]);
      await wiring.reloadConfig();
      return { ...entryOf(rule, name, origin), inForce: true };
    },
    async remove(id) {
      const known = (await list()).find((entry) => entry.id === id);
      if (known?.origin !== "home" && known?.origin !== "always") return false;
      if (known.origin === "always") await forgetRule(home, workspace, known.rule, Date.now);
      else {
        const left = (await homeRules(known.list)).filter((rule) => rule !== known.rule);
        await setConfigKey(homeConfigPath(home), `permissions.${known.list}`, left);
      }
      await wiring.reloadConfig();
      return true;
    },
    async replay(rule, name, sessions, limit) {
      demandKnown(rule, name, engine);
      const calls = (await Promise.all(sessions.map(({ id }) => store.listCalls({ sessionId: id, limit })))).flat();
      const latest = calls
        .filter(({ effects }) => effects.length > 0)
        .sort((a, b) => b.startedAt - a.startedAt)
        .slice(0, limit);
      const byId = new Map(sessions.map((record) => [record.id, record]));
      const answers = new Map<string, string>();
      for (const { callId, answer } of await engine.approvals()) if (answer !== undefined) answers.set(callId, answer);
      const replayed = await Promise.all(
        latest.map(async (call) => {
          const session = byId.get(call.sessionId);
          const tool = engine.registry.get(call.tool);
          if (session === undefined || tool === undefined) return [];
          const judge = await judgeFor(session, call);
          const answer = answers.get(call.id);
          const told = { callId: call.id, sessionId: call.sessionId, tool: call.tool, summary: call.summary };
          return [{ ...told, before: judge([]), after: judge([rule]), ...(answer === undefined ? {} : { answer }) }];

          async function judgeFor(record: SessionRecord, { effects }: CallRecord) {
            await wiring.policies.hold(record);
            const { mode, rules, world } = wiring.policies.inForce(record);
            return (more: readonly string[]) =>
              decide(
                {
                  tool: call.tool,
                  traits: traitsOf(tool as NonNullable<typeof tool>),
                  effects,
                  mode,
                  rules: { ...rules, [name]: [...rules[name], ...more] },
                  rehearsable: world.rehearses === true && tool?.rehearse !== undefined,
                },
                world,
              ).verdict;
          }
        }),
      );
      return replayed.flat();
    },
  };
}

/** The same rule in the same place always has the same id. */
function entryOf(rule: string, list: List, origin: RuleEntry["origin"]): Pick<RuleEntry, "id" | "rule" | "list" | "origin"> {
  const id = createHash("sha256").update(`${origin}\n${list}\n${rule}`).digest("hex").slice(0, 16);
  return { id, rule, list, origin };
}

/** A rule that does nothing would be believed in. */
function demandKnown(rule: string, list: List, { registry }: WiredEngine): void {
  const own = registry.tools().flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
  const [problem] = ruleProblems({ [list]: [rule] }, [...own, ...builtinNames()]);
  if (problem !== undefined) throw new ToolFailure("invalid_tool_input", problem.message, { details: { reason: "bad_rule" } });
}
