/**
 * What the shell room hands to others: parsed scripts, their simple commands, and the effects of running them.
 * Only shapes; nothing here decides anything.
 */
import type { CommandClass, Effect, FileChangeKind, ReadEffect, WriteEffect } from "../contract/index.ts";

/** A word of a command: its source text, and its value where that is known without running anything. */
export interface ShellWord {
  readonly text: string;
  readonly value: string | undefined;
}

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
  readonly append: boolean;
}

export interface ShellRedirection {
  readonly operator: string;
  /** Number, or the name in `{name}>file`. */
  readonly descriptor: number | string | undefined;
  /** Absent for a here-document. */
  readonly target: ShellWord | undefined;
  readonly isStatic: boolean;
}

/** One simple command, found at any depth. */
export interface ShellCommand {
  /** Name past wrappers such as `env` and `timeout`; absent where it is only known when it runs, or there is none. */
  readonly name: string | undefined;
  readonly args: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  /** Its own first, then those of the groups, loops and shells it runs in. */
  readonly redirections: readonly ShellRedirection[];
  /** Place in its pipeline, from 0; a command alone is 0 of 1. */
  readonly pipe: { readonly index: number; readonly length: number };
  /** How many scripts, groups and substitutions it lies in. */
  readonly depth: number;
  /** Programs passed on the way to the name, outermost first. */
  readonly wrappers: readonly string[];
  /** Canonical text: comments and blanks gone, quotes only where needed. */
  readonly text: string;
}

export interface ShellError {
  readonly message: string;
  readonly position: number;
}

export interface ShellScript {
  readonly text: string;
  readonly commands: readonly ShellCommand[];
  readonly errors: readonly ShellError[];
  /** The whole text was parsed; says nothing about what it does. */
  readonly understood: boolean;
}

export type ShellClass = CommandClass;

export interface DraftReadEffect extends Omit<ReadEffect, "path"> {
  /** Absolute, `.` and `..` still in it. */
  readonly path: string;
  /** Git shows contents of files it tracks: those of the whole repository the path lies in, or only those at or below it. */
  readonly tracked?: "repository" | "below" | undefined;
  /** Names below it that match this are cut at blanks: one with a blank in it would name other files. */
  readonly cut?: string | undefined;
  /** Of the files below it only those are opened whose names match one of these patterns; none where it only lists. */
  readonly opens?: readonly string[] | undefined;
  /** A secret that a wide pattern would find if there was one: it counts only where there is. */
  readonly guessed?: boolean | undefined;
  /** The pattern that leads from the path to what is read: only links that it meets are followed. Absent: all within reach. */
  readonly through?: LinkPattern | undefined;
}

export interface LinkPattern {
  /** One for each name below the path. */
  readonly names: readonly string[];
  /** The names were found by a program that goes into no link: only what bears the last name is opened. */
  readonly walked: boolean;
}

export interface DraftWriteEffect extends Omit<WriteEffect, "path"> {
  /** Absolute, `.` and `..` still in it. */
  readonly path: string;
  /** As for reads. */
  readonly guessed?: boolean | undefined;
}

/** An effect before the host looked at its path. */
export type DraftEffect = Exclude<Effect, ReadEffect | WriteEffect> | DraftReadEffect | DraftWriteEffect;

export type ChangeKind = FileChangeKind;

/** What must be known about the surroundings of a command. */
export interface ShellWorld {
  /** Absolute; where the command starts. */
  readonly cwd: string;
  readonly userHome: string;
  readonly workspace: string;
  /** The environment the command will get; names that are absent count as unknown. */
  readonly env?: Readonly<Record<string, string>>;
  /** Those of the environment that earlier commands left behind; they count only if they are known to be inert. */
  readonly left?: Readonly<Record<string, string>>;
  /** Absolute path of a program as the command would find it. */
  which?(name: string): string | undefined;
  /** Git configuration of this directory's repository was written by somebody trusted. */
  readonly gitTrusted: boolean;
  /** The top of the repository this directory lies in, where that is known. */
  readonly gitRoot?: string;
  /** Other directories, absolute, of which the same is known. */
  readonly gitDirectories?: readonly string[];
  /** Names of all keys the repository's own configuration sets, lower case; absent: not looked at. */
  readonly gitConfigKeys?: readonly string[];
  /** The text is typed into a terminal: history expansion and pagers are live. */
  readonly interactive?: boolean;
}

export interface ShellAnalysis {
  readonly understood: boolean;
  readonly class: ShellClass;
  readonly commands: readonly ShellCommand[];
  readonly effects: readonly DraftEffect[];
}
