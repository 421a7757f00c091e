/**
 * What a command must know, and must not know, of the world it runs in: where there is no network, proxies of the machine lead nowhere
 * and nobody waits for a second try; where files are hidden, git must not take them for changed.
 * Refuses to override what the session says itself, but for proxies: an attempt through one would not be counted.
 */
import type { ConfinedRun } from "../sandbox/index.ts";
import { withGitSettings } from "./git-environment.ts";

/** On the loopback a proxy is one refused connection more, and no attempt to leave. */
const proxy = /^(?:(?:https?|ftp|all)_proxy|npm_config_(?:https?[-_])?proxy|pip_proxy|yarn_https?_proxy)$/i;

/** Package managers try again for a minute and more before they say that there is no network. */
const oneTry: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: "0",
  PIP_RETRIES: "0",
  CARGO_NET_RETRY: "0",
  UV_HTTP_RETRIES: "0",
};

/** A hidden file keeps its size and time, but not its number and the time of its last change. */
const bySizeAndTime = [
  ["core.checkStat", "minimal"],
  ["core.trustctime", "false"],
] as const;

export function inWorld(
  given: Readonly<Record<string, string>>,
  { isOffline, concealed, environment }: Pick<ConfinedRun, "isOffline" | "concealed" | "environment">,
): Readonly<Record<string, string>> {
  const known = isOffline ? { ...oneTry, ...withoutProxies(given) } : given;
  const told = concealed.length === 0 || known.GIT_CONFIG_COUNT !== undefined ? known : withGitSettings(known, bySizeAndTime);
  return { ...told, ...environment };
}

function withoutProxies(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !proxy.test(name)));
}
