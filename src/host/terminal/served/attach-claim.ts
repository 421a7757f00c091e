/**
 * One process serves a path. A server listens under a name of its own first and is then linked to the path, so that
 * whatever stands at the path has been listening from its first moment; the link is the lock. What a killed process left
 * is moved aside, and removed only if it is what was found dead.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, lstatSync, renameSync, rmSync } from "node:fs";
import { createConnection, type Server } from "node:net";
import { dirname, join } from "node:path";
import { ToolFailure } from "../../../contract/index.ts";
import { withShortPath } from "./attach-place.ts";

/** Each try is lost to another process that just came or went. */
const tries = 20;

export interface ClaimedPath {
  /** Somebody served this before and ended without saying so. */
  readonly tookOver: boolean;
  /** The path still leads here. */
  holds(): boolean;
  /** Before the server is closed: while it listens, nobody else takes the path. */
  release(): void;
}

/** Listens at the path, or fails with `already_served` where another process does. */
export async function claimPath(server: Server, path: string): Promise<ClaimedPath> {
  const own = besides(path);
  await withShortPath(own, (short) => listen(server, short));
  try {
    chmodSync(own, 0o600);
    const identity = identityOf(own);
    const tookOver = await link(own, path);
    const holds = () => identityOf(path) === identity;
    return {
      tookOver,
      holds,
      release: () => {
        if (holds()) rmSync(path, { force: true });
      },
    };
  } finally {
    rmSync(own, { force: true });
  }
}

async function link(own: string, path: string): Promise<boolean> {
  let tookOver = false;
  for (let attempt = 0; attempt < tries; attempt++) {
    const found = identityOf(path);
    if (found === undefined) {
      if (isLinked(own, path)) return tookOver;
      continue;
    }
    if (await answers(path)) break;
    tookOver = moveAside(path, found) || tookOver;
  }
  throw new ToolFailure("tool_conflict", "This terminal is served already.", { details: { reason: "already_served" } });
}

function isLinked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Says whether it was the dead one. Another one that came meanwhile is put back where it was. */
function moveAside(path: string, dead: string): boolean {
  const aside = besides(path);
  try {
    renameSync(path, aside);
  } catch {
    // Somebody else was faster.
    return false;
  }
  const isDead = identityOf(aside) === dead;
  // Where a third one took the path in between, the moved one finds that it no longer holds it, and ends.
  if (!isDead) isLinked(aside, path);
  rmSync(aside, { force: true });
  return isDead;
}

/** Of a socket, for as long as it exists: numbers of files are given again, but not with the same time. */
function identityOf(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return stat && `${stat.dev}-${stat.ino}-${stat.mtimeNs}`;
}

function besides(path: string): string {
  return join(dirname(path), randomBytes(6).toString("hex"));
}

function answers(path: string): Promise<boolean> {
  return withShortPath(
    path,
    (short) =>
      new Promise((resolve) => {
        const socket = createConnection(short);
        socket.on("connect", () => {
          socket.destroy();
          resolve(true);
        });
        socket.on("error", () => resolve(false));
      }),
  );
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
