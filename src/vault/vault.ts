/**
 * Secure variables: kept encrypted, changed by one process at a time, used by name. Owns what is in memory of them.
 * Refuses to begin anew where an existing vault cannot be opened: nothing is ever overwritten because a key is missing.
 */
import { createHash } from "node:crypto";
import type { Values, VariableInfo } from "../contract/index.ts";
import { badVariable } from "./failures.ts";
import { addKey, findKey, forgetOldKeys, givenKey, type KeySource, newKey, type VaultKey } from "./key.ts";
import type { Secret } from "./mask/known-values.ts";
import { parseSealed, seal, unseal } from "./sealed-file.ts";
import { sessionValues, type ValuesOptions } from "./session-values.ts";
import { checkVariable, type Held, infoOf, normalCommand, normalHost, type Stored, type Variable, warningsFor } from "./variables.ts";

/** The vault's file, as the machine gives it. */
export interface VaultFiles {
  read(): Promise<Uint8Array | undefined>;
  /** Atomic, mode 0600. */
  write(bytes: Uint8Array): Promise<void>;
  /** Runs alone among all processes that use this vault. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Moves the file out of the way and answers its new name; `undefined` when there was none. */
  setAside(): Promise<string | undefined>;
}

export interface VaultOptions {
  readonly files: VaultFiles;
  readonly key: KeySource;
  now(): number;
}

/** Who looks: variables of the session come before those of the project, and those before global ones. */
export interface VaultPlace {
  readonly workspace: string;
  readonly sessionId?: string;
}

export interface NewVariable {
  readonly name: string;
  readonly value: string;
  readonly scope: "session" | "project" | "global";
  readonly note?: string;
  readonly tools?: readonly string[];
  readonly hosts?: readonly string[];
  readonly commands?: readonly string[];
}

/** Values that are no longer in use stay masked for as long as this process lives, up to this many. */
const mostRetired = 1000;

export function createVault(options: VaultOptions): Vault {
  return new Vault(options);
}

export class Vault {
  readonly #files: VaultFiles;
  readonly #now: () => number;
  #source: KeySource;
  /** What the file held when it was last read. */
  #stored: readonly Stored[] = [];
  #storedHash: string | undefined;
  #key: VaultKey | undefined;
  #sessions: readonly Variable[] = [];
  #retired: readonly Secret[] = [];
  #secrets: readonly Secret[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ files, key, now }: VaultOptions) {
    this.#files = files;
    this.#source = key;
    this.#now = now;
    this.#collect();
  }

  /** Everything that must be masked; the same array until it changes. */
  readonly secrets = (): readonly Secret[] => this.#secrets;

  /** Takes over what other processes changed. Fails with a ToolFailure when the vault cannot be opened. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#load());
  }

  async list(place: VaultPlace): Promise<readonly VariableInfo[]> {
    await this.refresh();
    return this.#visible(place).map(infoOf);
  }

  async get(name: string, place: VaultPlace): Promise<Variable | undefined> {
    await this.refresh();
    return this.#visible(place).find((variable) => variable.name === name);
  }

  /** Sets or replaces; answers words of warning for the person. */
  async set(variable: NewVariable, place: VaultPlace): Promise<readonly string[]> {
    checkVariable(variable);
    const { name, value, scope, note, tools, hosts, commands } = variable;
    const kept: Variable = {
      name,
      value,
      scope,
      owner: ownerOf(scope, place),
      ...(note === undefined ? {} : { note }),
      ...(tools === undefined || tools.length === 0 ? {} : { tools }),
      ...(hosts === undefined || hosts.length === 0 ? {} : { hosts: hosts.map(normalHost) }),
      ...(commands === undefined || commands.length === 0 ? {} : { commands: commands.map(normalCommand) }),
      createdAt: this.#now(),
    };
    const replace = <T extends Stored>(all: readonly T[]) => [...all.filter((other) => !isSame(other, kept)), kept];
    if (scope === "session") this.#setSessions(replace(this.#sessions));
    else await this.#change(replace);
    return warningsFor(variable);
  }

  /** False when there is no such variable. */
  async remove(name: string, scope: Variable["scope"], place: VaultPlace): Promise<boolean> {
    const gone = { name, scope, owner: ownerOf(scope, place) };
    let found = false;
    const without = <T extends Stored>(all: readonly T[]) => {
      found = all.some((other) => isSame(other, gone));
      return found ? all.filter((other) => !isSame(other, gone)) : all;
    };
    if (scope === "session") this.#setSessions(without(this.#sessions));
    else await this.#change(without);
    return found;
  }

  /** What is held for this owner, by name. */
  async held(owner: string): Promise<Readonly<Record<string, string>>> {
    await this.refresh();
    return heldIn(this.#stored, owner);
  }

  /** Changes what is held for this owner, from what it is by then; `undefined` leaves nothing. */
  hold(owner: string, change: (held: Readonly<Record<string, string>>) => Readonly<Record<string, string>> | undefined): Promise<void> {
    return this.#change((all) => {
      const next = Object.entries(change(heldIn(all, owner)) ?? {});
      const others = all.filter((other) => !isHeldFor(other, owner));
      if (next.length === 0 && others.length === all.length) return all;
      const createdAt = this.#now();
      return [...others, ...next.map(([name, value]): Held => ({ name, value, scope: "held", owner, createdAt }))];
    });
  }

  /** Encrypts everything under a new key: a random one in the same place, or the given key or passphrase. */
  rekey(given?: string): Promise<number> {
    return this.#inTurn(() =>
      this.#files.exclusively(async () => {
        await this.#load();
        const before = this.#key;
        if (before === undefined) return 0;
        const { place } = before.header;
        const next = given !== undefined ? await givenKey(given) : await addKey(this.#source, place === "given" ? "file" : place);
        await this.#save(this.#stored, next);
        await forgetOldKeys(this.#source, next);
        if (given !== undefined) this.#source = { ...this.#source, given };
        return this.#stored.length;
      }),
    );
  }

  /** Begins an empty vault; the old file is kept under the answered name. The way on when its key is lost. */
  reset(): Promise<string | undefined> {
    return this.#inTurn(() =>
      this.#files.exclusively(async () => {
        const aside = await this.#files.setAside();
        this.#key = undefined;
        this.#storedHash = undefined;
        this.#setStored([]);
        return aside;
      }),
    );
  }

  /** The port that tools and the engine use, for one session. */
  values(place: VaultPlace, options?: ValuesOptions): Values {
    return sessionValues(this, place, options);
  }

  /** Forgets what was kept for a session only. */
  forgetSession(sessionId: string): void {
    this.#setSessions(this.#sessions.filter(({ owner }) => owner !== sessionId));
  }

  #visible({ workspace, sessionId }: VaultPlace): readonly Variable[] {
    const found = new Map<string, Variable>();
    const add = (variables: readonly Stored[], scope: Variable["scope"], owner: string | undefined) => {
      for (const variable of variables) {
        if (variable.scope !== "held" && variable.scope === scope && variable.owner === owner && !found.has(variable.name))
          found.set(variable.name, variable);
      }
    };
    add(this.#sessions, "session", sessionId);
    add(this.#stored, "project", workspace);
    add(this.#stored, "global", "");
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  #change(change: (stored: readonly Stored[]) => readonly Stored[]): Promise<void> {
    return this.#inTurn(() =>
      this.#files.exclusively(async () => {
        await this.#load();
        const next = change(this.#stored);
        if (next !== this.#stored) await this.#save(next, this.#key ?? (await newKey(this.#source)));
      }),
    );
  }

  async #load(): Promise<void> {
    const bytes = await this.#files.read();
    const hash = bytes === undefined ? undefined : hashOf(bytes);
    if (hash === this.#storedHash) return;
    if (bytes === undefined) {
      this.#key = undefined;
      this.#storedHash = undefined;
      this.#setStored([]);
      return;
    }
    const file = parseSealed(bytes);
    const known = this.#key?.header.id === file.key.id ? { header: file.key, bytes: this.#key.bytes } : undefined;
    const key = known ?? (await findKey(this.#source, file.key));
    const variables = unseal(file, key);
    this.#key = key;
    this.#storedHash = hash;
    this.#setStored(variables);
  }

  async #save(variables: readonly Stored[], key: VaultKey): Promise<void> {
    const bytes = seal(variables, key);
    await this.#files.write(bytes);
    this.#key = key;
    this.#storedHash = hashOf(bytes);
    this.#setStored(variables);
  }

  #setStored(variables: readonly Stored[]): void {
    this.#retire(this.#stored, variables);
    this.#stored = variables;
    this.#collect();
  }

  #setSessions(variables: readonly Variable[]): void {
    this.#retire(this.#sessions, variables);
    this.#sessions = variables;
    this.#collect();
  }

  /** A process may still print what it was given before. */
  #retire(before: readonly Stored[], after: readonly Stored[]): void {
    const kept = new Set(after.map(({ value }) => value));
    const gone = before.filter(({ value }) => !kept.has(value)).map(({ name, value }) => ({ name, value }));
    if (gone.length > 0) this.#retired = [...gone, ...this.#retired].slice(0, mostRetired);
  }

  #collect(): void {
    const values = [...this.#sessions, ...this.#stored, ...this.#retired].map(({ name, value }) => ({ name, value }));
    this.#secrets = [...values, ...this.#keys()];
  }

  /** The key is a secret like any other, though nobody can use it by name. */
  #keys(): Secret[] {
    const keys = [this.#source.given, this.#key?.bytes.toString("hex")].filter((key) => key !== undefined);
    return keys.map((value) => ({ name: "KARYI_VAULT_KEY", value }));
  }
}

function ownerOf(scope: Variable["scope"], { workspace, sessionId }: VaultPlace): string {
  if (scope === "global") return "";
  if (scope === "project") return workspace;
  if (sessionId === undefined) throw badVariable("There is no session to keep the variable for.", "Keep it for the project, or globally.");
  return sessionId;
}

function isSame(a: Pick<Stored, "name" | "scope" | "owner">, b: Pick<Stored, "name" | "scope" | "owner">): boolean {
  return a.name === b.name && a.scope === b.scope && a.owner === b.owner;
}

function isHeldFor(stored: Stored, owner: string): boolean {
  return stored.scope === "held" && stored.owner === owner;
}

function heldIn(all: readonly Stored[], owner: string): Readonly<Record<string, string>> {
  return Object.fromEntries(all.filter((each) => isHeldFor(each, owner)).map(({ name, value }) => [name, value]));
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
