/**
 * The private files between Karyi and its shell: hooks the shell loads, the command of the moment, the
 * secure variables of that command, and the state the shell reports (exports, names of functions and aliases).
 * A command is sourced from a file, never typed, so an open quote or a line that reads stdin cannot reach past it.
 * All of mode 0600 in a directory of mode 0700; a killed Karyi leaves them to the next one to remove.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory } from "../processes/private-directory.ts";
import { shellHooks, shellQuoted, shellRun } from "./shell-hooks.ts";
import { type ReportedState, readState } from "./shell-state.ts";

export class ShellFiles {
  readonly #directory = makePrivateDirectory();
  readonly #state: KeptFile;
  readonly #command: KeptFile;
  #last: { readonly bytes: Buffer; readonly state: ReportedState | undefined } | undefined;
  #hasSecrets = false;

  constructor(nonce: string) {
    try {
      this.#state = new KeptFile(this.#path("state"));
      this.#command = new KeptFile(this.#path("command"));
      const paths = {
        hooks: this.#path("hooks"),
        command: this.#path("command"),
        state: this.#path("state"),
        secrets: this.#path("secrets"),
      };
      writeFileSync(paths.hooks, shellHooks(paths, nonce), { mode: 0o600 });
      writeFileSync(this.#path("r"), shellRun(paths, nonce, false), { mode: 0o600 });
      writeFileSync(this.#path("s"), shellRun(paths, nonce, true), { mode: 0o600 });
    } catch (error) {
      rmSync(this.#directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** The first prompt command of a new shell. */
  get start(): string {
    return `. ${shellQuoted(this.#path("hooks"))}; __karyi_prompt`;
  }

  /** Prepares a command; answers the line that runs it. */
  prepare(command: string, secrets: Readonly<Record<string, string>> = {}): string {
    const names = Object.keys(secrets).filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
    this.#command.write(command.endsWith("\n") ? command : `${command}\n`);
    if (names.length === 0) return ` . ${word(this.#path("r"))}`;
    this.#hasSecrets = true;
    const lines = names.map((name) => `export ${name}=${shellQuoted(secrets[name] ?? "")}`);
    const path = shellQuoted(this.#path("secrets"));
    writeFileSync(this.#path("secrets"), `${lines.join("\n")}\n__karyi_secret=(${names.join(" ")})\n: >|${path}\n`, { mode: 0o600 });
    return ` . ${word(this.#path("s"))}`;
  }

  /** After the command: its values do not stay on disk. */
  forget(): void {
    if (this.#hasSecrets) rmSync(this.#path("secrets"), { force: true });
    this.#hasSecrets = false;
  }

  /** Messages of the shell name the file a command came from; a reader should see the shell instead, and none of its own tracing. */
  hide(text: string): string {
    if (!text.includes(this.#directory) && !text.includes("__karyi_")) return text;
    return text
      .replaceAll(`bash: ${this.#path("command")}`, "bash")
      .replaceAll(this.#path("command"), "bash")
      .split("\n")
      .filter(
        (line) => !(/^\++ /.test(line) && (line.includes(this.#directory) || line.includes("__karyi_"))) && !/^\++ \. bash$/.test(line),
      )
      .join("\n");
  }

  /** What the shell last reported; nothing before its first prompt. The same object while it reports the same. */
  state(): ReportedState | undefined {
    const bytes = this.#state.read();
    if (bytes === undefined) return undefined;
    if (this.#last?.bytes.equals(bytes) !== true) this.#last = { bytes: Buffer.from(bytes), state: readState(bytes.toString("utf8")) };
    return this.#last.state;
  }

  remove(): void {
    this.#state.close();
    this.#command.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

const maxStateBytes = 4 << 20;

/** A file that stays open, since it is used for every command; made anew where a command removed it. */
class KeptFile {
  readonly #path: string;
  #fd: number;
  #buffer = Buffer.allocUnsafe(16 * 1024);

  constructor(path: string) {
    this.#path = path;
    this.#fd = openFile(path);
  }

  write(text: string): void {
    this.#follow();
    const bytes = Buffer.from(text);
    ftruncateSync(this.#fd);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at, bytes.length - at, at);
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
    if (fstatSync(this.#fd).nlink > 0) return;
    const fresh = openFile(this.#path);
    closeSync(this.#fd);
    this.#fd = fresh;
  }
}

/** As short as it can be: the shell reads what is typed one character at a time. */
function word(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : shellQuoted(path);
}

function openFile(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}
