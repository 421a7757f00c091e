/** Puts the hook, and the capturing shell where there is a place for one, into an agent's settings, takes exactly that out again, and says which grade holds. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  type HookAgent,
  type HookEntries,
  holdsEntries,
  type PluginAgent,
  pluginFile,
  withEntries,
  withoutEntries,
} from "../../adapters/index.ts";
import { type Json, type JsonObject, type Mode, ToolFailure } from "../../contract/index.ts";
import { readBytes, readJsonFile, removeFile, replaceBytes, writeJsonFile } from "../../host/index.ts";
import { makeDiff } from "../make-diff.ts";
import { seenPath } from "./judge.ts";
import { dismissResident } from "./resident.ts";

interface HookPlaces {
  readonly agent: HookAgent;
  readonly home: string;
  /** The agent's settings file. */
  readonly settings: string;
  /** What starts Karyi: a program, its script, and the script for hooks. */
  readonly node: string;
  readonly script: string;
  readonly hookScript: string;
  readonly mode?: Mode;
}

interface HookStatus {
  readonly agent: HookAgent;
  readonly installed: boolean;
  readonly grade: "captured" | "judged" | "none";
  readonly settings: string;
  /** When a call was seen last. */
  readonly last_seen: string | null;
}

/** What the file held before, and what we made of it. */
interface Installed {
  readonly settings: string;
  /** Base64; `null` if there was no file. */
  readonly before: string | null;
  readonly hash: string;
  readonly entries: HookEntries;
}

/** What each agent tells of a call: before it, and after it. */
const events: Readonly<Record<Exclude<HookAgent, PluginAgent>, Readonly<Record<string, "before" | "after">>>> = {
  "claude-code": { PreToolUse: "before", PostToolUse: "after", PostToolUseFailure: "after" },
  codex: { PreToolUse: "before", PostToolUse: "after" },
};

const recordPath = (home: string, agent: HookAgent) => join(home, "hooks", `${agent}.installed.json`);
/** Some agents wrap what they give their shell, others do not: each has a shell of its own. */
const shellPath = (home: string, agent: HookAgent) =>
  agent === "claude-code" ? join(home, "hooks", "karyi-bash") : join(home, "hooks", agent, "karyi-bash");

export async function installHook(places: HookPlaces): Promise<{ readonly diff: string; readonly changed: boolean }> {
  const { agent, home, settings } = places;
  const known = await recordOf(home, agent);
  const bytes = await readBytes(settings);
  const before = bytes?.toString("utf8");
  const entries = entriesOf(places);
  if (known !== undefined && before !== undefined && parseable(settings, () => holdsEntries(before, known.entries).hooked)) {
    return { diff: "", changed: false };
  }
  if (bytes !== undefined && !bytes.equals(Buffer.from(before ?? "", "utf8"))) throw unreadable(settings, "it is no UTF-8");
  const after = parseable(settings, () => withEntries(before, entries));
  if (entries.shell !== undefined) await replaceBytes(entries.shell, Buffer.from(shellText(places)), 0o755);
  const written = Buffer.from(after, "utf8");
  const record: Installed = { settings, before: bytes?.toString("base64") ?? null, hash: hashOf(written), entries };
  await writeJsonFile(recordPath(home, agent), record as unknown as Json);
  await replaceBytes(settings, written);
  return { diff: makeDiff(settings, before ?? "", after), changed: true };
}

/** Equal bytes where nobody touched the file since; else only our entries go. False if nothing was installed. */
export async function uninstallHook(home: string, agent: HookAgent): Promise<boolean> {
  const record = await recordOf(home, agent);
  if (record === undefined) return false;
  const { settings, before, hash, entries } = record;
  const now = await readBytes(settings);
  if (now !== undefined && hashOf(now) === hash) {
    if (before === null) await removeFile(settings);
    else await replaceBytes(settings, Buffer.from(before, "base64"));
  } else if (now !== undefined) {
    const text = now.toString("utf8");
    await replaceBytes(settings, Buffer.from(parseable(settings, () => withoutEntries(text, entries))));
  }
  await removeFile(recordPath(home, agent));
  if (entries.shell !== undefined) await removeFile(entries.shell);
  await dismissResident(home);
  return true;
}

export async function hookStatus({ agent, home, settings }: Pick<HookPlaces, "agent" | "home" | "settings">): Promise<HookStatus> {
  const record = await recordOf(home, agent);
  const file = record?.settings ?? settings;
  const text = (await readBytes(file))?.toString("utf8");
  const found = record === undefined || text === undefined ? undefined : parseable(file, () => holdsEntries(text, record.entries));
  const seen = await readJsonFile(seenPath(home, agent));
  const time = seen.kind === "json" ? (seen.value as JsonObject).time : undefined;
  return {
    agent,
    installed: found?.hooked ?? false,
    grade: found?.hooked !== true ? "none" : found.shell ? "captured" : "judged",
    settings: file,
    last_seen: typeof time === "string" ? time : null,
  };
}

async function recordOf(home: string, agent: HookAgent): Promise<Installed | undefined> {
  const file = await readJsonFile(recordPath(home, agent));
  return file.kind === "json" ? (file.value as unknown as Installed) : undefined;
}

/** A missing program lets the call pass and says so; a broken one is the hook's own matter. */
function entriesOf({ agent, home, node, hookScript, mode }: HookPlaces): HookEntries {
  if (agent === "opencode" || agent === "pi") {
    const shell = agent === "opencode" ? { shell: shellPath(home, agent) } : {};
    return {
      commands: {},
      ...shell,
      plugin: pluginFile(agent, { node, hookScript, home, ...shell, ...(mode === undefined ? {} : { mode }) }),
    };
  }
  const [program, file] = [quoted(node), quoted(hookScript)];
  const missing = "{ echo 'karyi is not there: this call is not judged' >&2; exit 0; }";
  const line = (when: string) =>
    `[ -x ${program} ] && [ -f ${file} ] || ${missing}; exec /bin/sh ${file} ${program} ${quoted(home)} ${agent} ${when}${mode === undefined ? "" : ` ${mode}`}`;
  return {
    commands: Object.fromEntries(Object.entries(events[agent]).map(([event, when]) => [event, line(when)])),
    ...(agent === "claude-code" ? { shell: shellPath(home, agent) } : {}),
  };
}

/** Start-up calls of the agent, and everything when Karyi is gone, run in bash at once. */
function shellText({ agent, home, node, script }: HookPlaces): string {
  const [program, file] = [quoted(node), quoted(script)];
  const isWrapped = agent === "claude-code";
  const form = isWrapped ? "*eval\\ *pwd\\ -P*" : "-c\\ *";
  return `#!/bin/sh
# The capturing shell of Karyi; removed by: karyi hook uninstall ${agent}
case "$*" in
  ${form}) [ -x ${program} ] && [ -f ${file} ] && exec ${program} ${file} hook shell${isWrapped ? "" : " --plain"} --home ${quoted(home)} -- "$@" ;;
esac
exec /bin/bash "$@"
`;
}

function parseable<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unreadable(path, (error as Error).message);
  }
}

function unreadable(path: string, why: string): ToolFailure {
  return new ToolFailure("tool_conflict", `${path} was left as it is: ${why}.`, {
    hint: "Mend the file, or add the hook by hand.",
    details: { reason: "settings_unreadable", path },
  });
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
