/**
 * What is known about the shell at one point of a script: directories it may be in, variables, functions,
 * and whether everything from here on is in doubt. States are values; a change makes a new one.
 */
import type { Function as FunctionNode } from "unbash";
import type { Field } from "./field.ts";

export interface State {
  /** Every directory the shell may be in; `undefined` when that is not known. */
  readonly directories: readonly string[] | undefined;
  /** Assigned in the script; `undefined` as a value means changed to something unknown. */
  readonly variables: ReadonlyMap<string, Field | undefined>;
  readonly functions: ReadonlyMap<string, FunctionNode>;
  readonly positional: readonly Field[] | undefined;
  /** Why no program from here on is understood: a variable that one may obey was exported. */
  readonly setting: string | undefined;
  /** Why nothing from here on is understood. */
  readonly doubt: string | undefined;
}

const maxDirectories = 4;
const maxVariables = 200;
const noFields: readonly Field[] = [];
const noVariables: ReadonlyMap<string, Field | undefined> = new Map();
const noFunctions: ReadonlyMap<string, FunctionNode> = new Map();

export function initialState(directory: string, doubt: string | undefined, setting?: string): State {
  return { directories: [directory], variables: noVariables, functions: noFunctions, positional: noFields, setting, doubt };
}

/** The state of a shell started by a command: it inherits the directory, not the variables. */
export function childState(state: State, positional: readonly Field[] | undefined): State {
  const variables = new Map<string, Field | undefined>();
  // What was assigned here may or may not be exported; either way the value is no longer certain.
  for (const name of state.variables.keys()) variables.set(name, undefined);
  return { directories: state.directories, variables, functions: noFunctions, positional, setting: state.setting, doubt: state.doubt };
}

export function withDoubt(state: State, reason: string): State {
  return state.doubt === undefined ? { ...state, doubt: reason } : state;
}

export function withSetting(state: State, reason: string): State {
  return state.setting === undefined ? { ...state, setting: reason } : state;
}

export function withDirectories(state: State, directories: readonly string[] | undefined): State {
  const unique = directories === undefined ? undefined : [...new Set(directories)];
  return { ...state, directories: unique !== undefined && unique.length > maxDirectories ? undefined : unique };
}

export function withVariable(state: State, name: string, value: Field | undefined): State {
  if (state.variables.size >= maxVariables) return withDoubt(state, "sets too many variables to follow");
  const variables = new Map(state.variables);
  variables.set(name, value);
  return { ...state, variables };
}

export function withFunction(state: State, name: string, node: FunctionNode): State {
  const functions = new Map(state.functions);
  functions.set(name, node);
  return { ...state, functions };
}

/** Either of two ways was taken. */
export function joinStates(a: State, b: State): State {
  if (a === b) return a;
  return {
    directories: joinDirectories(a.directories, b.directories),
    // In doubt nothing is understood any more; values then only help to see the floor, and either will do.
    variables: a.doubt !== undefined && b.doubt !== undefined ? a.variables : joinVariables(a.variables, b.variables),
    functions: a.functions === b.functions ? a.functions : new Map([...a.functions, ...b.functions]),
    positional: a.positional === b.positional ? a.positional : undefined,
    setting: a.setting ?? b.setting,
    doubt: a.doubt ?? b.doubt,
  };
}

function joinDirectories(a: State["directories"], b: State["directories"]): State["directories"] {
  if (a === b) return a;
  if (a === undefined || b === undefined) return undefined;
  const result = a.slice();
  for (const directory of b) if (!result.includes(directory)) result.push(directory);
  return result.length > maxDirectories ? undefined : result;
}

function joinVariables(a: State["variables"], b: State["variables"]): State["variables"] {
  if (a === b) return a;
  const result = new Map<string, Field | undefined>();
  for (const [name, value] of a) result.set(name, sameValue(value, b.get(name)));
  for (const name of b.keys()) if (!a.has(name)) result.set(name, undefined);
  return result;
}

function sameValue(a: Field | undefined, b: Field | undefined): Field | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (isSame(a, b)) return a;
  return isNumeric(a) && isNumeric(b) ? { kind: "number", text: "", many: a.many || b.many, shown: a.shown } : undefined;
}

export function isNumeric(field: Field): boolean {
  return field.kind === "number" || (field.kind === "text" && /^-?\d{1,18}$/.test(field.text));
}

function isSame(a: Field | undefined, b: Field | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.kind === b.kind && a.text === b.text && a.many === b.many && a.revision === b.revision && a.pattern === b.pattern;
}

/** Nothing a further round of a loop could change. */
export function sameState(a: State, b: State): boolean {
  if (a === b) return true;
  if (a.doubt !== b.doubt || a.setting !== b.setting || a.positional !== b.positional || a.functions.size !== b.functions.size)
    return false;
  if (a.directories !== b.directories) {
    if (a.directories === undefined || b.directories === undefined) return false;
    if (a.directories.length !== b.directories.length || !a.directories.every((path) => b.directories?.includes(path))) return false;
  }
  if (a.variables === b.variables) return true;
  if (a.variables.size !== b.variables.size) return false;
  for (const [name, value] of a.variables) {
    if (!b.variables.has(name)) return false;
    if (value !== b.variables.get(name) && !isSame(value, b.variables.get(name))) return false;
  }
  return true;
}
