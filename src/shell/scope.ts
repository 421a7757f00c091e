/**
 * What a script can see while it is followed: variables, directories, doubts, and the list of effects.
 * Owns the rules for names that steer execution or hold secrets; knows nothing of control flow.
 */
import { boundPrefix, holdsSecret, loadsCode, type Setting, settingOf } from "./environment.ts";
import { type Field, textField } from "./field.ts";
import { Judge, type PrintedNames } from "./judge.ts";
import { looksSecret } from "./paths.ts";
import { isNumeric, type State, withDoubt, withSetting, withVariable } from "./state.ts";
import type { DraftEffect, ShellWorld } from "./types.ts";

const maxSteps = 12_000;

/** What a simple command prints, where that is known. */
export interface Output {
  readonly names?: PrintedNames | undefined;
  readonly fields?: readonly Field[] | undefined;
  /** Roughly. */
  readonly text?: string | undefined;
}

/** Those that bash always fills: `$!` and `$COLUMNS` may be empty, and an empty word is none. */
const numberParameters = new Set("? # $ RANDOM SRANDOM SECONDS LINENO BASHPID PPID UID EUID EPOCHSECONDS SHLVL BASH_SUBSHELL".split(" "));

export abstract class ScriptScope {
  state: State;
  /** Why the command at hand is not understood, found while its words were expanded. */
  protected pending: string | undefined;
  protected networkCalls = 0;
  /** What the command at hand prints goes into a pipe or a substitution. */
  protected heard = false;
  private steps = 0;

  constructor(
    readonly world: ShellWorld,
    readonly effects: DraftEffect[],
    state: State,
  ) {
    this.state = state;
  }

  protected unknown(reason: string): void {
    this.effects.push({ kind: "unknown", reason });
    this.state = withDoubt(this.state, reason);
  }

  /** True when there is room to go on. */
  protected step(): boolean {
    this.steps += 1;
    if (this.steps < maxSteps) return true;
    if (this.steps === maxSteps) this.unknown("too long to follow");
    return false;
  }

  doubt(reason: string): void {
    this.pending ??= reason;
  }

  lookup(name: string): Field | undefined {
    // The shell changes these by itself.
    if (name === "_" || name === "OLDPWD") return undefined;
    const own = this.state.variables.get(name);
    if (own !== undefined || this.state.variables.has(name)) return own;
    if (numberParameters.has(name)) return { kind: "number", text: "", many: false, shown: `$${name}` };
    if (/^\d+$/.test(name)) return name === "0" ? undefined : this.positionalAt(Number(name));
    if (name === "IFS") return textField(" \t\n");
    if (name === "PWD") return this.state.directories?.length === 1 ? textField(this.state.directories[0] ?? "") : undefined;
    if (name === "HOME") return textField(this.world.env?.HOME ?? this.world.userHome);
    if (holdsSecret(name)) {
      // People know a bound value by its placeholder.
      const shown = name.startsWith(boundPrefix) ? `KARYI{${name.slice(boundPrefix.length)}}` : name;
      this.doubt(`uses $${shown}, which may hold a secret`);
      return undefined;
    }
    const value = this.world.env?.[name];
    return value === undefined ? undefined : textField(value);
  }

  protected positionalAt(index: number): Field | undefined {
    const all = this.state.positional;
    if (all === undefined || all.some((field) => field.many || field.kind === "words")) return undefined;
    return all[index - 1] ?? textField("");
  }

  positional(): readonly Field[] | undefined {
    return this.state.positional;
  }

  home(user: string): string | undefined {
    if (user === "") {
      const home = this.lookup("HOME");
      if (home?.kind === "text") return home.text;
      this.doubt("HOME is not known");
      return this.world.userHome;
    }
    if (user === "+") return this.state.directories?.length === 1 ? this.state.directories[0] : undefined;
    if (/^[-+\d]/.test(user)) {
      this.doubt("directory of the directory stack");
      return undefined;
    }
    this.doubt("home directory of another user");
    return user === "root" ? "/root" : `${this.world.userHome.replace(/\/[^/]*$/, "")}/${user}`;
  }

  assign(name: string, value: Field | undefined, exported = false, judge?: Judge): void {
    const setting = this.settingOf(name, value, exported);
    const steers = setting === "steers";
    if (steers || exported) this.effects.push({ kind: "environment", name, steersExecution: steers });
    if (loadsCode(name)) (judge ?? this.newJudge()).forbid(`${name} loads code into every program`);
    if (steers) {
      judge?.fail(`sets ${name}`);
      this.state = withDoubt(this.state, `${name} was changed before it`);
    } else if (setting === "seen") {
      const reason = `${name} is set for it`;
      if (judge !== undefined) judge.setting = reason;
      this.state = withSetting(this.state, reason);
    }
    this.state = withVariable(this.state, name, value);
  }

  /** What the environment holds stays exported whatever the script assigns to it. */
  private settingOf(name: string, value: Field | undefined, exported: boolean): Setting {
    const { env } = this.world;
    const isSeen = exported || (env !== undefined && Object.hasOwn(env, name));
    const text = value?.kind === "number" ? "0" : value?.kind === "text" ? value.text : undefined;
    return settingOf(name, text, isSeen);
  }

  protected bind(name: string, value: Field | undefined): void {
    if (this.settingOf(name, value, false) !== "harmless") this.unknown(`sets ${name}`);
    this.state = withVariable(this.state, name, value);
  }

  protected isNumber(field: Field): boolean {
    if (isNumeric(field)) return true;
    if (field.kind !== "text" || !/^[A-Za-z_]\w*$/.test(field.text)) return false;
    const value = this.lookup(field.text);
    return value !== undefined && isNumeric(value);
  }

  protected newJudge(feed?: Output): Judge {
    const judge = new Judge(this.world, this.state, this.effects, feed?.names);
    judge.heard = this.heard;
    if (feed?.fields?.every((field) => field.kind === "text") === true) judge.input = feed.fields.map((field) => field.text).join(" ");
    else judge.input = feed?.text;
    return judge;
  }

  /** Work that belongs to no simple command: a doubt in it stands for itself. */
  protected loose(work: () => void): void {
    const outer = this.pending;
    this.pending = undefined;
    work();
    if (this.pending !== undefined) this.effects.push({ kind: "unknown", reason: this.pending });
    this.pending = outer;
  }

  /** A secret file and the network in one pipeline: the way secrets leave. */
  protected checkLeak(from: number): void {
    for (let index = from; index < this.effects.length; index += 1) {
      const effect = this.effects[index];
      if (effect?.kind === "read" && looksSecret(effect.path)) {
        this.effects.push({ kind: "forbidden", reason: "sends a secret file over the network" });
        return;
      }
    }
  }
}
