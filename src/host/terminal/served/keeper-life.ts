/** How long a terminal that nobody uses is kept: a shell at its prompt shortly, a program that runs or waits for longer. */
import { readdirSync, readFileSync } from "node:fs";
import type { KeeperLimits } from "./keeper-order.ts";

export class KeeperLife {
  readonly #limits: KeeperLimits;
  #aloneSince: number | undefined;
  #idleSince: number | undefined;

  constructor(limits: KeeperLimits) {
    this.#limits = limits;
  }

  /** Told from time to time what is there; answers whether that was long enough. */
  isOver(now: number, { clients, busy }: { readonly clients: number; readonly busy: boolean }): boolean {
    if (clients > 0) {
      this.#aloneSince = undefined;
      this.#idleSince = undefined;
      return false;
    }
    this.#aloneSince ??= now;
    this.#idleSince = busy ? undefined : (this.#idleSince ?? now);
    if (now - this.#aloneSince >= this.#limits.busyMs) return true;
    return this.#idleSince !== undefined && now - this.#idleSince >= this.#limits.idleMs;
  }
}

/** Something runs in the background of a shell that this process started. Where the system does not tell, nothing does. */
export function hasJobs(): boolean {
  return childrenOf(process.pid).some((shell) => childrenOf(shell).length > 0);
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
