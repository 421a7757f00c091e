/**
 * Reads what ripgrep says on its error stream: paths it could not look at, files it left out as secret, and why it would not
 * search at all. A record starts with `rg: ` and may run over several lines, since names may.
 */
import { toDisplay } from "../byte-path.ts";
import type { SkipList } from "../ignore/skip-list.ts";

const maxComplaint = 4_000;

export class Notices {
  readonly #skipped: SkipList;
  readonly #concerns: (path: string) => boolean;
  readonly #isSecret: (path: string) => boolean;
  #pending = "";
  #complaint = "";
  secrets = 0;

  /** `concerns` says of a path whether the search is about it at all, `isSecret` whether it was left out as one. */
  constructor(skipped: SkipList, concerns: (path: string) => boolean, isSecret: (path: string) => boolean) {
    this.#skipped = skipped;
    this.#isSecret = isSecret;
    this.#concerns = concerns;
  }

  /** What stopped the search before it began: an invalid expression. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  push(chunk: Buffer): void {
    const records = (this.#pending + chunk.toString("latin1")).split(/\n(?=rg: )/);
    this.#pending = records.pop() ?? "";
    for (const record of records) this.#record(record);
  }

  end(): void {
    this.#record(this.#pending.replace(/\n$/, ""));
    this.#pending = "";
  }

  #record(record: string): void {
    if (/^(?:rg: )?(?:DEBUG|TRACE)\|/.test(record)) {
      const left = /: ignoring (?:\.\/)?(.*): Ignore\(IgnoreMatch\((?:Types|Override)\(/s.exec(record)?.[1];
      if (left !== undefined && this.#isSecret(toDisplay(left))) this.secrets++;
      return;
    }
    const failed = /^rg: (?:\.\/)?(.*): [^:]*\(os error (\d+)\)\s*$/s.exec(record);
    if (failed === null) {
      if (this.#complaint.length < maxComplaint) this.#complaint += `${record.replace(/^rg: /, "")}\n`;
    } else if (failed[2] !== "2" && this.#concerns(toDisplay(failed[1] as string))) {
      this.#skipped.add(toDisplay(failed[1] as string), failed[2] === "13" || failed[2] === "1" ? "no_permission" : "unreadable");
    }
  }
}
