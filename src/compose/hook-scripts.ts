/**
 * The files of a workspace that the commands of a project's hooks name. Trust in the hooks is trust in those files as they were:
 * `Write` could swap one otherwise, and it would run outside every sandbox. Refuses to follow what such a script loads itself.
 */
import { join, relative, resolve } from "node:path";
import { absentDigest, fileDigest, isDirectory, otherDigest } from "../host/index.ts";
import { extractCommands } from "../shell/index.ts";
import type { Config } from "./config-schema.ts";

/** Paths below the workspace, each with what it held. */
export type ScriptDigests = Readonly<Record<string, string>>;

type CommandHooks = NonNullable<Config["hooks"]>;

/** Further files that programs take their commands from. */
const implied: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:npm|npx|pnpm|yarn|bun|bunx)$/, ["package.json"]],
  [/^g?make$/, ["GNUmakefile", "makefile", "Makefile"]],
  [/^just$/, ["justfile", "Justfile"]],
];
/** A program finds these for a name without them, and in a directory that it is given. */
const endings = ["", ".js", ".mjs", ".cjs", ".ts", ".py", ".sh", "/index.js", "/index.mjs", "/package.json", "/__main__.py"];
/** Hooks write down what they saw; such a file changes with every call. */
const protocol = /\.(?:log|jsonl|ndjson)$/;
const maxTokens = 200;

/** What the hooks' commands name as it is now. */
export async function hookScripts(workspace: string, hooks: CommandHooks): Promise<ScriptDigests> {
  const found: Record<string, string> = {};
  for (const { command } of hooks) Object.assign(found, await scriptsOf(workspace, command));
  return found;
}

/** Paths that one command names and that are not as they were trusted; one that was not there then counts too. */
export async function changedScripts(workspace: string, command: string, trusted: ScriptDigests): Promise<readonly string[]> {
  const now = await scriptsOf(workspace, command);
  return Object.entries(now).flatMap(([path, digest]) => ((trusted[path] ?? absentDigest) === digest ? [] : [path]));
}

async function scriptsOf(workspace: string, command: string): Promise<ScriptDigests> {
  const tokens = tokensOf(command);
  const directories = [workspace];
  for (const token of tokens) {
    const place = resolve(workspace, token);
    if (isBelow(workspace, place) && (await isDirectory(place))) directories.push(place);
  }
  const paths = new Set(
    directories.flatMap((directory) => tokens.flatMap((token) => endings.map((ending) => resolve(directory, `${token}${ending}`)))),
  );
  const found: Record<string, string> = {};
  for (const path of paths) {
    if (!isBelow(workspace, path)) continue;
    const digest = await fileDigest(path);
    if (digest !== absentDigest && !(digest === otherDigest && (await isDirectory(path)))) found[relative(workspace, path)] = digest;
  }
  return found;
}

/** Words as the shell reads them, and pieces of the text: `"$PWD/hooks/check.sh"` has no value before it runs. */
function tokensOf(command: string): readonly string[] {
  const tokens = new Set<string>();
  const written = new Set<string>();
  for (const { name, args, redirections } of extractCommands(command)) {
    for (const text of [name, ...args.map(({ value }) => value)]) if (text !== undefined) tokens.add(text);
    for (const { operator, target } of redirections) if (operator.includes(">")) written.add(target?.value ?? "");
    for (const [index, { value = "" }] of args.entries()) if (name === "tee" || (index > 0 && protocol.test(value))) written.add(value);
    for (const [program, files] of implied) if (program.test(name ?? "")) for (const file of files) tokens.add(file);
  }
  for (const piece of command.split(/[\s;&|()<>"'`=$:,{}]+/)) {
    tokens.add(piece);
    const slash = piece.indexOf("/");
    if (slash >= 0) tokens.add(piece.slice(slash + 1));
  }
  return [...tokens]
    .filter((token) => !written.has(token) && token !== "" && token !== "." && !token.includes("\0") && token.length < 1024)
    .slice(0, maxTokens);
}

function isBelow(workspace: string, path: string): boolean {
  return path.startsWith(join(workspace, "/"));
}
