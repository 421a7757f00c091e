/**
 * What a secure variable comes to that is bound to commands or hosts. Which hosts a command would send it to is known only of one plain
 * call of a web client with the address in the open; of anything else it cannot be told where a value goes, so there
 * are no hosts, and a bound variable is refused.
 */
import { type Effect, parsedUrl } from "../../contract/index.ts";
import { type ShellAnalysis, type ShellRedirection, steersExecution } from "../../shell/index.ts";

const clients = new Set(["curl", "wget"]);
/** Flags that send the request somewhere else than its address says, or read further flags from a file. */
const detours =
  /^-(x|K|U)|^-[a-zA-Z]*[xK]|^--(proxy|preproxy|socks|resolve|connect-to|config|dns|doh|interface|unix-socket|abstract-unix-socket|haproxy|input-file|execute|use-proxy|next|url|output|write-out|trace|dump-header|stderr|libcurl|location-trusted|post-file|body-file)/;

export function sentHosts({ commands }: Pick<ShellAnalysis, "commands">, effects: readonly Effect[]): string[] {
  const [command] = commands;
  if (!command || commands.length !== 1 || command.wrappers.length > 0) return [];
  const plain = clients.has(command.name ?? "") && command.assignments.length === 0 && command.redirections.length === 0;
  if (!plain || command.args.some(({ text }) => detours.test(text))) return [];
  return effects.flatMap((effect) => (effect.kind === "connect" ? (parsedUrl(effect.url)?.hostname ?? []) : []));
}

/** The text of every command, if each is a program that is found by its name and nothing steers which one that is. */
export function plainCommands({ commands }: Pick<ShellAnalysis, "commands">, env: Readonly<Record<string, string>>): string[] | undefined {
  const isPlain = commands.every(
    ({ name, wrappers, assignments, redirections }) =>
      name !== undefined && !name.includes("/") && wrappers.length === 0 && assignments.length === 0 && !redirections.some(keepsOutput),
  );
  return isPlain && !Object.keys(env).some(steersExecution) ? commands.map(({ text }) => text) : undefined;
}

/** What a file holds is looked through by no one who knows which value went into it. */
function keepsOutput({ operator, target }: ShellRedirection): boolean {
  return operator.includes(">") && !(target?.value === "/dev/null" || (operator.endsWith("&") && /^[\d-]+$/.test(target?.value ?? "")));
}
