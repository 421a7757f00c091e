/** Which question an approval asks, told from its effects; pure. The words are the reader's. */
import type { Approval, EffectLine, WireEffect } from "../api/types.ts";
import type { IconName } from "../parts/icon.tsx";
import type { Key } from "../words/en.ts";

type Kind = "Run" | "Change" | "Create" | "Delete" | "ReadOutside" | "Read" | "Contact" | "Remote" | "Agent" | "Call";

export interface Question {
  readonly kind: Kind;
  readonly ask: Key;
  readonly short: Key;
  readonly words: Readonly<Record<string, string>>;
  readonly icon: IconName;
}

const icons: Readonly<Record<Kind, IconName>> = {
  Run: "terminal",
  Change: "file-diff",
  Create: "file-plus",
  Delete: "trash",
  ReadOutside: "file-search",
  Read: "file-text",
  Contact: "globe",
  Remote: "plug",
  Agent: "bot",
  Call: "tools",
};

export function questionOf(approval: Pick<Approval, "tool" | "effects" | "preview">): Question {
  const asking = approval.effects.filter(({ verdict }) => verdict !== "allow");
  const effects = (asking.length > 0 ? asking : approval.effects).map(({ effect }) => effect);
  const { kind, words } = find(approval, effects);
  return { kind, ask: `ask${kind}`, short: `short${kind}`, words, icon: icons[kind] };
}

function find(
  { tool, preview }: Pick<Approval, "tool" | "preview">,
  effects: readonly WireEffect[],
): {
  readonly kind: Kind;
  readonly words: Readonly<Record<string, string>>;
} {
  const of = (kind: string): WireEffect | undefined => effects.find((effect) => effect.kind === kind);
  if (preview?.type === "command" || tool === "Bash" || of("run") || of("code")) return { kind: "Run", words: {} };
  const write = of("write");
  if (write) {
    const change = text(write.change);
    return { kind: change === "delete" ? "Delete" : change === "create" ? "Create" : "Change", words: {} };
  }
  const connect = of("connect");
  if (connect) return { kind: "Contact", words: { host: hostOf(text(connect.url)) } };
  const remote = of("remote");
  if (remote) return { kind: "Remote", words: { tool: text(remote.tool), server: text(remote.server) } };
  if (of("agent")) return { kind: "Agent", words: {} };
  const read = of("read");
  if (read) return { kind: text(read.path).startsWith("/") ? "ReadOutside" : "Read", words: {} };
  return { kind: "Call", words: { tool } };
}

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** Who asks, from the one that asks up to the one a person began: `general ‹ lead`. */
export function agentsOf(
  { agent, agent_path: path, session_id: own, root_session_id: root }: Approval,
  rootAgent: string,
): string | undefined {
  const names = path === undefined ? (agent === undefined ? [] : [agent]) : [...path].reverse();
  if (own !== root && names.length < 2) names.push(rootAgent);
  return names.length === 0 ? undefined : names.join(" ‹ ");
}

/** The asking ones first. */
export function inOrder(effects: readonly EffectLine[]): readonly EffectLine[] {
  const rank = { deny: 0, ask: 1, rehearse: 2, allow: 3 } as const;
  return [...effects].sort((a, b) => rank[a.verdict] - rank[b.verdict]);
}

/** What an effect is about, in one line. */
export function objectOf(effect: WireEffect): string {
  const one = (name: string): string => text(effect[name]);
  switch (effect.kind) {
    case "read":
    case "write":
      return one("path") === "" ? one("asked") : one("path");
    case "run":
      return one("text") === "" ? one("program") : one("text");
    case "connect":
      return one("url");
    case "environment":
      return one("name");
    case "code":
      return one("language");
    case "agent":
      return one("agent");
    case "remote":
      return `${one("tool")} · ${one("server")}`;
    case "state":
      return one("area");
    default:
      return one("reason");
  }
}

const effectKeys: Readonly<Record<string, Key>> = {
  read: "effectRead",
  write: "effectWrite",
  run: "effectRun",
  connect: "effectConnect",
  environment: "effectEnvironment",
  code: "effectCode",
  agent: "effectAgent",
  remote: "effectRemote",
  state: "effectState",
  forbidden: "effectForbidden",
};

export function effectKey(effect: WireEffect): Key {
  if (effect.kind === "write" && effect.change === "delete") return "effectDelete";
  return effectKeys[effect.kind] ?? "effectUnknown";
}

/** The last part of what a card is about, for one line in a list. */
export function lineOf(approval: Pick<Approval, "preview" | "summary" | "input">): string {
  if (approval.preview?.type === "command") return approval.preview.command ?? approval.summary;
  const command = (approval.input as { readonly command?: unknown } | null)?.command;
  return typeof command === "string" ? command : approval.summary;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
