/** `karyi token`: tokens of the gateway, shown once and kept as hashes. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, warn } from "../front.ts";
import { loadServer } from "../load-server.ts";
import { say } from "../messages.ts";

async function homeOf(flags: GlobalFlags): Promise<string> {
  const { placesOf } = await import("../../compose/index.ts");
  return (await placesOf(flags.workspace, flags.home, process.env)).home;
}

export async function addToken(
  [name = ""]: readonly string[],
  flags: GlobalFlags & { readonly scopes?: string; readonly user?: string },
): Promise<number> {
  const server = await loadServer();
  const scopes = (flags.scopes ?? "read").split(",").map((scope) => scope.trim());
  const { entry, token } = await server.addToken(await homeOf(flags), { name, scopes, user: flags.user ?? "local" });
  if (flags.json) printJson({ name: entry.name, token, scopes: entry.scopes, user: entry.user });
  else {
    print(token);
    warn(say("tokenShownOnce", entry.name, entry.scopes.join(", "), entry.user));
  }
  return exitCodes.done;
}

export async function listTokens(_: readonly string[], flags: GlobalFlags): Promise<number> {
  const server = await loadServer();
  const tokens = (await server.listTokens(await homeOf(flags))).map(({ name, scopes, user }) => ({ name, scopes, user }));
  if (flags.json) printJson({ tokens });
  else
    print(
      tokens.length === 0 ? say("noTokens") : tokens.map(({ name, scopes, user }) => `${name}  ${user}  ${scopes.join(",")}`).join("\n"),
    );
  return exitCodes.done;
}

export async function removeToken([name = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  const server = await loadServer();
  const removed = await server.removeToken(await homeOf(flags), name);
  if (flags.json) printJson({ name, removed });
  else if (removed) print(say("tokenRemoved", name));
  else warn(say("noSuchToken", name));
  return removed ? exitCodes.done : exitCodes.failed;
}
