/**
 * The private files between Karyi and its shell: hooks the shell loads, the command of the moment, the
 * secure variables of that command, and the state the shell reports (exports, names of functions and aliases).
 * A command is sourced from a file, never typed, so an open quote or a line that reads stdin cannot reach past it.
 * All of mode 0600 in a directory of mode 0700; a killed Karyi leaves them to the next one to remove.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory } from "../../processes/private-directory.ts";
import { leaveScript, longRun, type RunNeeds, repairScript, runAlias, type ShellPaths, shellHooks, shellQuoted } from "./shell-hooks.ts";
import { type ReportedState, readState } from "./shell-state.ts";

/** What a command needs beyond its text. */
export interface CommandNeeds extends Omit<RunNeeds, "hasSecrets"> {
  /** The alias cannot be used. */
  readonly unaliased: boolean;
  readonly secrets?: Readonly<Record<string, string>>;
}

export class ShellFiles {
  readonly #directory = makePrivateDirectory();
  readonly #nonce: string;
  readonly #paths: ShellPaths;
  readonly #state: KeptFile;
  readonly #command: KeptFile;
  #last: { readonly bytes: Buffer; readonly state: ReportedState } | undefined;
  #hasSecrets = false;

  /** `inherited`: open descriptors that are nobody's business in the shell. */
  constructor(nonce: string, inherited: readonly number[]) {
    this.#nonce = nonce;
    const [hooks, command, state, secrets, repair, leave] = ["hooks", "command", "state", "secrets", "repair", "leave"].map((name) =>
      join(this.#directory, name),
    ) as [string, string, string, string, string, string];
    this.#paths = { hooks, command, state, secrets, repair, leave };
    try {
      this.#state = new KeptFile(state);
      this.#command = new KeptFile(command);
      writeFileSync(hooks, shellHooks(this.#paths, nonce, inherited), { mode: 0o600 });
      writeFileSync(repair, repairScript(this.#paths), { mode: 0o600 });
      writeFileSync(leave, leaveScript(this.#paths), { mode: 0o600 });
    } catch (error) {
      rmSync(this.#directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** The first prompt command of a new shell. */
  get start(): string {
    return `. ${shellQuoted(this.#paths.hooks)}; __karyi_prompt`;
  }

  /** The line that mends a shell, and the one that ends it and keeps its state. */
  get repair(): string {
    return sourcing(this.#paths.repair);
  }

  get leave(): string {
    return sourcing(this.#paths.leave);
  }

  /** Prepares a command; answers the line that runs it. */
  prepare(command: string, { unaliased, secrets = {}, ...needs }: CommandNeeds): string {
    const names = Object.keys(secrets).filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
    this.#command.write(command.endsWith("\n") ? command : `${command}\n`);
    const isPlain = names.length === 0 && needs.cwd === undefined && needs.env === undefined;
    if (isPlain && !needs.untold && !unaliased) return ` ${runAlias}`;
    if (names.length > 0) {
      this.#hasSecrets = true;
      const lines = names.map((name) => `export ${name}=${shellQuoted(secrets[name] ?? "")}`);
      const { secrets: path } = this.#paths;
      writeFileSync(path, `${lines.join("\n")}\n__karyi_secret=(${names.join(" ")})\n: >|${shellQuoted(path)}\n`, { mode: 0o600 });
    }
    const run = join(this.#directory, "r");
    writeFileSync(run, longRun(this.#paths, this.#nonce, { ...needs, hasSecrets: names.length > 0 }), { mode: 0o600 });
    return sourcing(run);
  }

  /** After the command: its values do not stay on disk. */
  forget(): void {
    if (this.#hasSecrets) rmSync(this.#paths.secrets, { force: true });
    this.#hasSecrets = false;
  }

  /** Messages of the shell name the file a command came from; a reader should see the shell instead, and none of its own tracing. */
  hide(text: string): string {
    if (!text.includes(this.#directory) && !text.includes("__karyi_")) return text;
    return text
      .replaceAll(`bash: ${this.#paths.command}`, "bash")
      .replaceAll(this.#paths.command, "bash")
      .split("\n")
      .filter((line) => !isOwnLine(line, this.#directory))
      .join("\n");
  }

  /** What the shell last reported; nothing before its first prompt, or where it was cut short. The same object while it reports the same. */
  state(): ReportedState | undefined {
    const bytes = this.#state.read();
    if (bytes === undefined) return undefined;
    if (this.#last?.bytes.equals(bytes) === true) return this.#last.state;
    const state = readState(bytes.toString("utf8"));
    if (state) this.#last = { bytes: Buffer.from(bytes), state };
    return state;
  }

  /** The last report that was whole. */
  get lastState(): ReportedState | undefined {
    return this.state() ?? this.#last?.state;
  }

  remove(): void {
    this.#state.close();
    this.#command.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

const maxStateBytes = 4 << 20;

/** A file that stays open, since it is used for every command; made anew where a command removed it. */
class KeptFile {
  readonly #path: string;
  #fd: number;
  #buffer = Buffer.allocUnsafe(16 * 1024);
  #size = 0;

  constructor(path: string) {
    this.#path = path;
    this.#fd = openFile(path);
  }

  write(text: string): void {
    this.#follow();
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at, bytes.length - at, at);
    if (this.#size > bytes.length) ftruncateSync(this.#fd, bytes.length);
  }

  /** Valid until the next read; nothing where it is empty or larger than anything reported here. */
  read(): Buffer | undefined {
    this.#follow();
    for (;;) {
      const count = readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0);
      if (count < this.#buffer.length) return count === 0 ? undefined : this.#buffer.subarray(0, count);
      if (this.#buffer.length >= maxStateBytes) return undefined;
      this.#buffer = Buffer.allocUnsafe(this.#buffer.length * 4);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #follow(): void {
    const { nlink, size } = fstatSync(this.#fd);
    this.#size = size;
    if (nlink > 0) return;
    this.#size = 0;
    const fresh = openFile(this.#path);
    closeSync(this.#fd);
    this.#fd = fresh;
  }
}

/** Traced, echoed as it is read, or complained about. */
function isOwnLine(line: string, directory: string): boolean {
  if (/^\++ /.test(line)) return line.includes(directory) || line.includes("__karyi_") || /^\++ \. bash$/.test(line);
  return /^(?:bash: )?__karyi_\w+(?:$|:)/.test(line);
}

function sourcing(path: string): string {
  return ` \\. ${/^[\w./-]+$/.test(path) ? path : shellQuoted(path)}`;
}

function openFile(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}
