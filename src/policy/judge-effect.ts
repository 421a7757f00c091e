/**
 * Owns the judgement of one effect by the built-in rules and the mode alone; the person's own rules come after.
 * Refuses to know what it was not told: an effect of a kind that is not listed here asks.
 */
import { type Because, because, type Effect, type Mode, type PolicyQuestion, type PolicyWorld, parsedUrl } from "../contract/index.ts";
import { allow, ask, at, deny, type Finding } from "./finding.ts";
import type { Row } from "./mode-table.ts";
import { urlFinding } from "./net/judge-url.ts";
import type { Ground } from "./paths/ground.ts";
import { judgePath } from "./paths/judge-path.ts";

export interface EffectContext {
  readonly world: PolicyWorld;
  readonly ground: Ground;
  readonly cells: Row;
  readonly mode: Mode;
  readonly command: boolean;
  readonly traits: PolicyQuestion["traits"];
}

/** Variables that load foreign code into every program that starts. */
const loaderVariables = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|DYLD_LIBRARY_PATH|DYLD_FRAMEWORK_PATH)$/;

export function judgeEffect(effect: Effect, context: EffectContext): Finding {
  const { cells } = context;
  switch (effect.kind) {
    case "read":
    case "write":
      return judgePath(effect, context);
    case "run":
      if (effect.understood) return allow("builtin:command", because("command_known", { program: effect.program }));
      return at(
        cells.command,
        "builtin:command",
        effect.reason === undefined
          ? because("command_unknown", { program: effect.program })
          : because("command_unknown_why", { why: effect.reason }),
      );
    case "code":
      return at(cells.command, "builtin:code", because("code_from_text", { language: effect.language }));
    case "environment":
      if (!effect.steersExecution) return allow("builtin:environment", because("environment_sets", { name: effect.name }));
      if (loaderVariables.test(effect.name)) return deny("builtin:environment", because("environment_loads", { name: effect.name }));
      return at(cells.command, "builtin:environment", because("environment_steers", { name: effect.name }));
    case "connect":
      if (effect.service === "search" && context.world.searchOrigin !== undefined && originOf(effect.url) === context.world.searchOrigin)
        return allow("builtin:network", because("search_engine"));
      return urlFinding(effect.url, context.world, {
        method: effect.method,
        mode: context.mode,
        command: context.command,
        ...(effect.addresses === undefined ? {} : { addresses: effect.addresses }),
      });
    case "agent":
      return at(cells.own, "builtin:agent", because("agent_starts", { agent: effect.agent }));
    case "state":
      // Keys sent to a live terminal are a command in all but name, unless a command of this call was judged already.
      if (effect.area === "terminal" && effect.stops !== true && !context.traits.readOnly && !context.command) {
        return at(cells.command, "builtin:terminal", because("terminal_runs"));
      }
      return at(cells.own, "builtin:state", because("own_record", { area: effect.area }));
    case "remote":
      return unnamed(context, "builtin:remote", because("remote", { server: effect.server, tool: effect.tool }));
    case "forbidden":
      return deny("builtin:forbidden", because("forbidden", { why: effect.reason }));
    case "unknown":
      if (effect.mayShowSecrets === true) return ask("builtin:secret", because("secret_shown", { why: effect.reason }), "never");
      return unnamed(context, "builtin:unknown", because("unknown_why", { why: effect.reason }));
    default:
      return unnamed(context, "builtin:unknown", because("unknown_kind"));
  }
}

function originOf(url: string): string | undefined {
  return parsedUrl(url)?.origin;
}

/** A tool that named no effect at all. */
export function judgeSilence(context: EffectContext): Finding {
  if (context.traits.readOnly) return allow("builtin:read-only", because("tool_reads"));
  return unnamed(context, "builtin:unknown", because("tool_silent"));
}

/** Not known beforehand: asks; in a read-only mode only of tools that claim to read. In the sandbox a command may be unknown. */
function unnamed(context: EffectContext, rule: Finding["rule"], why: Because): Finding {
  const { cells } = context;
  if (context.command) return at(cells.command, rule, why);
  return context.traits.readOnly ? ask(rule, why) : at(cells.unknown, rule, why);
}
