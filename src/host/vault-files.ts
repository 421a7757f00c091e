/**
 * The vault's files in Karyi's home: `vault.enc` and `vault.key`, mode 0600, replaced atomically; `vault.lock` keeps
 * other processes out while one changes them. Refuses links and anything but regular files: what is there must be Karyi's own.
 */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, mkdir, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Owner, ToolFailure } from "../contract/index.ts";
import { isAlive, thisOwner } from "./process-identity.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const lockWaitMs = 10_000;
const lockPollMs = 15;
/** A lock whose content cannot be read, or a removal of one that was left half done, is over after this time. */
const abandonedMs = 5_000;

export interface PrivateFile {
  read(): Promise<Uint8Array | undefined>;
  write(bytes: Uint8Array): Promise<void>;
}

/** The shape of the vault room's `VaultFiles`. */
export function createVaultFiles(home: string) {
  const file = privateFile(home, "vault.enc");
  return {
    ...file,
    exclusively: <T>(work: () => Promise<T>) => withLock(home, join(home, "vault.lock"), work),
    async setAside(): Promise<string | undefined> {
      const path = join(home, "vault.enc");
      const aside = `${path}.set-aside-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
      try {
        await rename(path, aside);
        return aside;
      } catch (error) {
        if (codeOf(error) === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}

/** The shape of the vault room's `KeyStore`. */
export function createVaultKeyFile(home: string) {
  const file = privateFile(home, "vault.key");
  return {
    async read(): Promise<string | undefined> {
      const bytes = await file.read();
      return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
    },
    write: (text: string) => file.write(Buffer.from(text)),
  };
}

function privateFile(home: string, name: string): PrivateFile {
  const path = join(home, name);
  return {
    async read() {
      let handle: Awaited<ReturnType<typeof open>>;
      try {
        handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      } catch (error) {
        if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
        throw unreadable(name, codeOf(error) === "ELOOP" ? "it is a link" : String(codeOf(error)));
      }
      try {
        const facts = await handle.stat();
        if (!facts.isFile()) throw unreadable(name, "it is not a regular file");
        // A copy or a backup may have opened it to others.
        if ((facts.mode & 0o077) !== 0 && process.platform !== "win32") await handle.chmod(0o600);
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    },
    async write(bytes) {
      await mkdir(home, { recursive: true, mode: 0o700 });
      const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
      const handle = await open(temporary, "wx", 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
        await handle.close();
        // The umask can only have taken bits away; make sure the owner can read it.
        await chmod(temporary, 0o600);
        await rename(temporary, path);
        await syncDirectory(home);
      } catch (error) {
        await handle.close().catch(() => {});
        await unlink(temporary).catch(() => {});
        throw error;
      }
    },
  };
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, O_RDONLY);
  try {
    await handle.sync();
  } catch {
    // Some file systems cannot; the rename is atomic all the same.
  } finally {
    await handle.close();
  }
}

async function withLock<T>(home: string, path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const owner = thisOwner();
  await takeLock(path, owner);
  try {
    return await work();
  } finally {
    await unlink(path).catch(() => {});
  }
}

async function takeLock(path: string, owner: Owner): Promise<void> {
  const deadline = performance.now() + lockWaitMs;
  for (;;) {
    try {
      const handle = await open(path, "wx", 0o600);
      await handle.writeFile(JSON.stringify(owner));
      await handle.close();
      return;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    if (await isAbandoned(path)) await removeAbandoned(path);
    else if (performance.now() > deadline) {
      throw new ToolFailure("tool_conflict", "The vault is being changed by another process that does not finish.", {
        hint: `Try again; if no other Karyi runs, remove ${path}.`,
        details: { reason: "vault_locked" },
      });
    } else await delay(lockPollMs);
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const text = await readFile(path, "utf8");
    const owner = ownerIn(text);
    // Between its creation and its content a lock is empty for a moment.
    return owner === undefined ? Date.now() - (await stat(path)).mtimeMs > abandonedMs : !isAlive(owner);
  } catch {
    return false;
  }
}

function ownerIn(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<Owner>;
    return typeof owner.pid === "number" && typeof owner.startToken === "string" ? (owner as Owner) : undefined;
  } catch {
    return undefined;
  }
}

/** One at a time, looking again: two that removed it by turns could remove the lock of a third that lives. */
async function removeAbandoned(path: string): Promise<void> {
  const guard = `${path}.removal`;
  try {
    await (await open(guard, "wx", 0o600)).close();
  } catch {
    const age = await stat(guard).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > abandonedMs) await unlink(guard).catch(() => {});
    else await delay(lockPollMs);
    return;
  }
  try {
    if (await isAbandoned(path)) await unlink(path);
  } catch {
    // Its owner came to its end meanwhile.
  } finally {
    await unlink(guard).catch(() => {});
  }
}

function unreadable(name: string, why: string): ToolFailure {
  return new ToolFailure("tool_error", `The vault's file ${name} cannot be used: ${why}.`, {
    hint: "Look at it in Karyi's home; it must be a regular file that you can read.",
    details: { reason: "vault_unreadable" },
  });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
