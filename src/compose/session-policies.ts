/**
 * The policy of each session: mode, rules, roots, network, toolkit, and who can be asked. Owns the chain from a child to
 * its parents: the engine judges a call by every policy of it, so a child never gets more than its parent has.
 * Refuses a root of a child outside its parent's roots, unless the engine itself made that worktree.
 */
import {
  type AgentKit,
  type Approve,
  type AskValue,
  type Mode,
  modes,
  type NetworkAccess,
  type PolicyInForce,
  type PolicyWorld,
  type Rules,
  type SessionRecord,
  type SessionRights,
  type StandingAnswer,
  type Store,
  ToolFailure,
} from "../contract/index.ts";
import type { Asker } from "../engine/index.ts";
import { gitDirectoriesOf, temporaryNames, temporaryOf } from "../host/index.ts";
import type { LoadedConfig } from "./config-layers.ts";
import { optionalOrigin } from "./web-room.ts";

/** People of a session in this process; they are not kept with it. */
export interface SessionPeople {
  readonly approve?: Approve | StandingAnswer;
  readonly approvals?: "record" | "nobody";
  readonly askValue?: AskValue;
}

export interface SessionPoliciesOptions {
  readonly store: Pick<Store, "session">;
  readonly userHome: string;
  readonly karyiHome: string;
  /** Mode given by flag or option: above the mode that is kept with a session, below one that is named later. */
  readonly forcedMode: Mode | undefined;
  /** Asked for sessions that have nobody of their own. */
  readonly people: SessionPeople;
  config(workspace: string): Promise<LoadedConfig>;
  /** Throws if a rule cannot be read or names a tool that does not exist. */
  refuseRules(rules: Partial<Rules>): void;
  /** True if commands can be captured in the sandbox, which is what `auto` relies on. */
  sandboxed(): Promise<boolean>;
  /** True if commands that nobody is asked about see nothing but what they need. */
  withholds(): Promise<boolean>;
}

interface Held {
  readonly id: string;
  config: LoadedConfig;
  rights: SessionRights;
  parent: Held | undefined;
  /** Mode that was named while this engine holds the session: above `forcedMode`. */
  chosenMode?: Mode | undefined;
  readonly workspace: string;
  people: SessionPeople;
  /** Made once, and again if `sandboxed` or `rights` changed. */
  world?: PolicyWorld | undefined;
}

const strictness: readonly Mode[] = ["plan", "default", "accept-edits", "auto"];
const openness: readonly NetworkAccess[] = ["none", "loopback", "on"];

export class SessionPolicies {
  readonly #options: SessionPoliciesOptions;
  readonly #held = new Map<string, Held>();
  /** Rules that "always" added while the engine lives, by workspace. */
  readonly #always = new Map<string, readonly string[]>();
  readonly #offline = new Map<string, readonly string[]>();
  /** Rules chosen again with the network wanted, which lifts an earlier choice. */
  #online: ReadonlySet<string> = new Set();
  #sandboxed = false;
  #withholds = false;

  constructor(options: SessionPoliciesOptions) {
    this.#options = options;
  }

  /** Makes the session's policy ready; the people of this opening are asked from now on, and its mode holds. */
  async hold(record: SessionRecord, people: SessionPeople = {}, mode?: Mode): Promise<void> {
    const held = await this.#hold(record);
    held.people = { ...held.people, ...people };
    if (mode !== undefined) held.chosenMode = mode;
    if (this.mode(record) === "auto") await this.lookAtSandbox();
  }

  /** Throws if a session cannot have these rights; nothing is kept. `id` is absent if the session does not exist yet. */
  async refuse(rights: SessionRights, { id, workspace }: { readonly id: string | undefined; readonly workspace: string }): Promise<void> {
    const { mode, network, rules } = rights;
    if (mode !== undefined && !modes.includes(mode)) throw badRight("mode", mode, modes);
    if (network !== undefined && !openness.includes(network)) throw badRight("network", network, openness);
    this.#options.refuseRules(rules ?? {});
    const above = await this.#above(rights, id === undefined ? [] : [id]);
    const config = await this.#options.config(workspace);
    this.#refuseWiderRoots({ id: id ?? "", config, rights, parent: above, workspace, people: {} });
  }

  /** The config was changed: every session obeys it from its next call on. Rules of "always" are in it. */
  async reload(): Promise<void> {
    this.#always.clear();
    this.#offline.clear();
    this.#online = new Set();
    for (const held of this.#held.values()) {
      held.config = await this.#options.config(held.workspace);
      held.world = undefined;
    }
  }

  /** Looks whether commands can be confined, as opening a session in `auto` does. */
  async lookAtSandbox(): Promise<void> {
    this.#withholds = await this.#options.withholds();
    this.#sandboxed = await this.#options.sandboxed();
  }

  /** `below`: ids of the sessions that are bounded by this one. */
  async #hold(record: SessionRecord, below: readonly string[] = []): Promise<Held> {
    const rights = record.state.rights ?? {};
    const parent = await this.#above(rights, [...below, record.id]);
    const known = this.#held.get(record.id);
    if (known) {
      if (known.parent === parent && JSON.stringify(known.rights) === JSON.stringify(rights)) return known;
      // A mode that was named since, here or in another process, is newer than the flag.
      if (rights.mode !== known.rights.mode) known.chosenMode = rights.mode;
      Object.assign(known, { rights, parent, world: undefined });
      return known;
    }
    const config = await this.#options.config(record.workspace);
    const held: Held = { id: record.id, config, rights, parent, workspace: record.workspace, people: {} };
    this.#refuseWiderRoots(held);
    // Another opening of the same session may have come first.
    const first = this.#held.get(record.id) ?? held;
    this.#held.set(record.id, first);
    return first;
  }

  /** The policy of the parent, made ready too. A circle of parents would bound nothing. */
  async #above({ parent }: SessionRights, below: readonly string[]): Promise<Held | undefined> {
    if (parent === undefined) return undefined;
    if (below.includes(parent)) {
      throw new ToolFailure("invalid_tool_input", "A session cannot be its own parent, directly or through others.", {
        hint: "Open the child under a session that is not below it.",
        details: { reason: "parent_circle", session: parent },
      });
    }
    const record = await this.#options.store.session(parent);
    if (record) return this.#hold(record, below);
    // Without its parent's bounds the child would have more rights than it ever had.
    throw new ToolFailure("tool_not_found", "The parent of this session was removed, so nobody knows its rights any more.", {
      hint: "Open another session.",
      details: { reason: "session_not_found", session: parent },
    });
  }

  #refuseWiderRoots(held: Held): void {
    const { parent, rights } = held;
    if (parent === undefined || rights.worktree) return;
    const bounds = this.#world(parent).roots;
    const wider = this.#world(held).roots.find((root) => !bounds.some((bound) => root === bound || root.startsWith(`${bound}/`)));
    if (wider === undefined) return;
    throw new ToolFailure("permission_denied", `The directory ${wider} is outside the roots of the parent session.`, {
      hint: "Open the child on a directory of its parent.",
      details: { reason: "wider_than_parent", path: wider },
    });
  }

  #of(record: SessionRecord): Held {
    const held = this.#held.get(record.id);
    if (held === undefined) throw new Error(`The policy of session ${record.id} is not held.`);
    return held;
  }

  config(record: SessionRecord): LoadedConfig {
    return this.#of(record).config;
  }

  mode(record: SessionRecord): Mode {
    return this.#modeOf(this.#of(record));
  }

  /** The mode of the session, never wider than its parent's. */
  #modeOf(held: Held): Mode {
    const own = held.chosenMode ?? this.#options.forcedMode ?? held.rights.mode ?? held.config.effective.mode;
    return held.parent === undefined ? own : stricter(own, this.#modeOf(held.parent), strictness);
  }

  inForce(record: SessionRecord): PolicyInForce {
    return this.#policyOf(this.#of(record));
  }

  #policyOf(held: Held, place: Held = held): PolicyInForce {
    const { parent } = held;
    return {
      mode: this.#modeOf(held),
      rules: this.#rules(held),
      world: this.#world(place),
      offlineRules: this.#offlineRules(held),
      ...(parent === undefined ? {} : { parent: this.#policyOf(parent, held.rights.worktree ? place : parent) }),
    };
  }

  /** Adds rules that a person chose with "always"; `offline` if what they allow gets no network. */
  addAlways(workspace: string, rules: readonly string[], offline: boolean): void {
    this.#always.set(workspace, [...(this.#always.get(workspace) ?? []), ...rules]);
    const before = (this.#offline.get(workspace) ?? []).filter((rule) => !rules.includes(rule));
    this.#offline.set(workspace, [...before, ...(offline ? rules : [])]);
    this.#online = new Set([...this.#online, ...(offline ? [] : rules)]);
  }

  #offlineRules({ config, workspace }: Held): readonly string[] {
    return [...config.offlineRules, ...(this.#offline.get(workspace) ?? [])].filter((rule) => !this.#online.has(rule));
  }

  /** Of the session and of those above it; an agent that delegates binds only itself. */
  toolkits(record: SessionRecord): readonly AgentKit[] {
    const above = (held: Held | undefined): readonly AgentKit[] =>
      held === undefined ? [] : [...kitsOf(held.rights).filter(({ delegates }) => delegates !== true), ...above(held.parent)];
    const own = this.#of(record);
    return [...kitsOf(own.rights), ...above(own.parent)];
  }

  asker(record: SessionRecord): Asker {
    const { people } = this.#options;
    const own = this.#peopleOf(this.#of(record));
    const approve = own.approve ?? (own.approvals === undefined ? people.approve : undefined);
    const asking = own.approvals ?? people.approvals ?? "nobody";
    if (typeof approve === "string") return { asking, approve: async () => approve, standingAnswer: approve };
    return approve === undefined ? { asking } : { asking, approve };
  }

  askValue(record: SessionRecord): AskValue | undefined {
    return this.#peopleOf(this.#of(record)).askValue ?? this.#options.people.askValue;
  }

  /** A child whose opener named nobody asks its parent's people. */
  #peopleOf(held: Held): SessionPeople {
    return held.parent === undefined ? held.people : { ...this.#peopleOf(held.parent), ...held.people };
  }

  /** Network of commands, the narrowest of the chain. In `auto` it is off, because nobody is asked about what is sent. */
  network(record: SessionRecord): NetworkAccess {
    return this.#networkOf(this.#of(record));
  }

  #networkOf(held: Held): NetworkAccess {
    const own = held.rights.network ?? held.config.effective.network ?? (this.#modeOf(held) === "auto" ? "none" : "on");
    return held.parent === undefined ? own : stricter(own, this.#networkOf(held.parent), openness);
  }

  /** True if somebody demanded that the network be closed, so that commands fail rather than run with it open. */
  demandsNetwork(record: SessionRecord): boolean {
    const one = (held: Held | undefined): boolean =>
      held !== undefined && ((held.rights.network ?? held.config.effective.network ?? "on") !== "on" || one(held.parent));
    return one(this.#of(record));
  }

  roots(record: SessionRecord): readonly string[] {
    return this.#world(this.#of(record)).roots;
  }

  #rules({ config, rights, workspace }: Held): Rules {
    const { allow, ask, deny } = config.effective.rules;
    const own = rights.rules ?? {};
    return {
      allow: [...allow, ...(own.allow ?? []), ...(this.#always.get(workspace) ?? [])],
      ask: [...ask, ...(own.ask ?? [])],
      deny: [...deny, ...(own.deny ?? [])],
    };
  }

  #world(held: Held): PolicyWorld {
    if (held.world?.sandboxed === this.#sandboxed) return held.world;
    const { config, rights, workspace } = held;
    const { effective } = config;
    const roots = [workspace, ...config.extraRoots, ...(rights.roots ?? [])];
    held.world = {
      workspace,
      roots,
      temporary: temporaryNames,
      ownTemporary: temporaryOf(this.#options.karyiHome, held.id).map(({ at }) => at),
      userHome: this.#options.userHome,
      karyiHome: this.#options.karyiHome,
      ...(effective.systemPaths === "denied" ? { systemPaths: "denied" } : {}),
      gitDirectories: gitDirectoriesOf(roots, this.#options.userHome),
      allowedDomains: effective.allowedDomains,
      allowedPrivate: effective.web.allowPrivate,
      ...optionalOrigin(effective.web.search),
      platform: process.platform === "win32" ? "win32" : "posix",
      caseInsensitive: process.platform === "win32" || process.platform === "darwin",
      sandboxed: this.#sandboxed,
      ...(this.#sandboxed && this.#withholds ? { withholds: this.#networkOf(held) === "on" ? "files" : "network" } : {}),
      rehearses: effective.commands === "rehearse" && effective.capture !== "off",
    };
    return held.world;
  }
}

function badRight(name: string, value: string, known: readonly string[]): ToolFailure {
  return new ToolFailure("invalid_tool_input", `The ${name} of a session must be ${known.join(", ")}, not '${value}'.`, {
    hint: `Name one of: ${known.join(", ")}.`,
    details: { reason: "bad_parameters", parameter: name },
  });
}

function kitsOf({ agent, toolkit }: SessionRights): readonly AgentKit[] {
  return [...(agent ? [agent] : []), ...(toolkit ? [toolkit] : [])];
}

function stricter<T>(one: T, other: T, order: readonly T[]): T {
  return order.indexOf(one) <= order.indexOf(other) ? one : other;
}
