/**
 * Owns the judgement of one effect by the built-in rules and the mode alone; the person's own rules come after.
 * Refuses to know what it was not told: an effect of a kind that is not listed here asks.
 */
import type { Effect, Mode, PolicyQuestion, PolicyWorld } from "../contract/index.ts";
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
      if (effect.understood) return allow("builtin:command", `everything ${effect.program} does here is known`);
      return at(cells.command, "builtin:command", effect.reason ?? `what ${effect.program} would do is not known`);
    case "code":
      return at(cells.command, "builtin:code", `it runs ${effect.language} code from a text`);
    case "environment":
      if (!effect.steersExecution) return allow("builtin:environment", `${effect.name} only sets a value`);
      if (loaderVariables.test(effect.name)) return deny("builtin:environment", `${effect.name} loads foreign code into every program`);
      return at(cells.command, "builtin:environment", `${effect.name} changes what later commands run`);
    case "connect":
      if (effect.service === "search" && context.world.searchOrigin !== undefined && originOf(effect.url) === context.world.searchOrigin)
        return allow("builtin:network", "the configured search engine is asked");
      return urlFinding(effect.url, context.world, {
        method: effect.method,
        mode: context.mode,
        command: context.command,
        ...(effect.addresses === undefined ? {} : { addresses: effect.addresses }),
      });
    case "agent":
      return at(cells.own, "builtin:agent", `starts the agent ${effect.agent}, whose calls are judged one by one`);
    case "state":
      // Keys sent to a live terminal are a command in all but name, unless a command of this call was judged already.
      if (effect.area === "terminal" && effect.stops !== true && !context.traits.readOnly && !context.command) {
        return at(cells.command, "builtin:terminal", "what is typed into a terminal is run there");
      }
      return at(cells.own, "builtin:state", `concerns only this session's ${effect.area}`);
    case "remote":
      return unnamed(context, "builtin:remote", `${effect.server} does ${effect.tool} by its own rules`);
    case "forbidden":
      return deny("builtin:forbidden", effect.reason);
    case "unknown":
      if (effect.mayShowSecrets === true) return ask("builtin:secret", effect.reason, "never");
      return unnamed(context, "builtin:unknown", effect.reason);
    default:
      return unnamed(context, "builtin:unknown", "its effect is of a kind that is not known here");
  }
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** A tool that named no effect at all. */
export function judgeSilence(context: EffectContext): Finding {
  if (context.traits.readOnly) return allow("builtin:read-only", "the tool changes nothing");
  return unnamed(context, "builtin:unknown", "the tool does not say what it would change");
}

/** Not known beforehand: asks; in a read-only mode only of tools that claim to read. In the sandbox a command may be unknown. */
function unnamed(context: EffectContext, rule: Finding["rule"], reason: string): Finding {
  const { cells } = context;
  if (context.command) return at(cells.command, rule, reason);
  return context.traits.readOnly ? ask(rule, reason) : at(cells.unknown, rule, reason);
}
