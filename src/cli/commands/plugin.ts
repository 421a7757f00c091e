/** `karyi plugin`: checks, adds, lists and removes plugins. What is added is shown first, and on a terminal confirmed. */
import { resolve } from "node:path";
import type { openPluginShelf } from "../../compose/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, onTerminal, print, printJson, warn } from "../front.ts";
import { say } from "../messages.ts";
import { colourDiff, styled } from "../terminal-style.ts";
import { oneLine, visible } from "../visible.ts";

type Shelf = ReturnType<typeof openPluginShelf>;
type Card = Awaited<ReturnType<Shelf["card"]>>;

async function shelfOf(flags: GlobalFlags): Promise<Shelf> {
  const { openPluginShelf, placesOf } = await import("../../compose/index.ts");
  return openPluginShelf((await placesOf(flags.workspace, flags.home, process.env)).home, process.env);
}

export async function validatePlugin([directory = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  const { manifest, problems, warnings } = await (await shelfOf(flags)).validate(resolve(directory));
  const ok = manifest !== undefined;
  if (flags.json) printJson({ ok, problems: problems.map(told), warnings: warnings.map(told) });
  else {
    for (const problem of problems) print(oneLine(problem));
    for (const warning of warnings) warn(say("pluginWarning", oneLine(warning)));
    if (ok) print(say("pluginGood", oneLine(manifest.name)));
  }
  return ok ? exitCodes.done : exitCodes.failed;
}

export async function addPlugin([directory = ""]: readonly string[], flags: GlobalFlags & { readonly update?: boolean }): Promise<number> {
  const shelf = await shelfOf(flags);
  const folder = resolve(directory);
  const card = await shelf.card(folder, { update: flags.update === true });
  warn(describe(card));
  if (onTerminal() && !(await confirmed())) {
    warn(say("pluginNotAdded"));
    return exitCodes.denied;
  }
  await shelf.add(folder, card, Date.now());
  if (flags.json) printJson({ name: card.name, version: card.version, hash: card.hash, tools: card.tools.map(({ name }) => name) });
  else print(say("pluginAdded", card.name, card.version));
  return exitCodes.done;
}

export async function listPlugins(_: readonly string[], flags: GlobalFlags): Promise<number> {
  const plugins = await (await shelfOf(flags)).list();
  if (flags.json) printJson({ plugins });
  else if (plugins.length === 0) print(say("noPlugins"));
  else
    for (const { name, version, tools, error } of plugins) {
      print(`${styled("bold", oneLine(name), process.stdout)} ${oneLine(version)}  ${tools.map(oneLine).join(" ")}`);
      if (error !== undefined) warn(say("pluginWarning", oneLine(error)));
    }
  return exitCodes.done;
}

export async function removePlugin([name = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  const removed = await (await shelfOf(flags)).remove(name);
  if (flags.json) printJson({ name, removed });
  else if (removed) print(say("pluginRemoved", name));
  else warn(say("noSuchPlugin", name));
  return removed ? exitCodes.done : exitCodes.failed;
}

const told = (message: string) => ({ message });

function describe({ name, version, description, hash, tools, servers, agents, skills, difference, warnings }: Card): string {
  const lines = [`${name} ${version}${description === undefined ? "" : ` — ${description}`}`, `sha256 ${hash}`];
  if (tools.length > 0) lines.push("", say("pluginTools"));
  for (const tool of tools) {
    lines.push(`  ${tool.name}  ${tool.description}`, `    ${tool.command.join(" ")}`);
    if (tool.env.length > 0) lines.push(`    ${say("pluginVariables", tool.env.join(", "))}`);
  }
  if (servers.length > 0) lines.push("", say("pluginServers"));
  for (const { name: server, config } of servers) lines.push(`  ${server}  ${JSON.stringify(config)}`);
  const brings = [...(agents ? ["agents"] : []), ...(skills ? ["skills"] : [])];
  if (brings.length > 0) lines.push("", say("pluginBrings", brings.join(", ")));
  for (const warning of warnings) lines.push(say("pluginWarning", warning));
  const shown = lines.map(oneLine).join("\n");
  if (difference === undefined) return shown;
  return `${shown}\n\n${say("pluginDifference")}\n${colourDiff(visible(difference.trimEnd()), process.stderr)}`;
}

async function confirmed(): Promise<boolean> {
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message: say("pluginConfirm"), output: process.stderr });
  return !isCancel(answer) && answer;
}
