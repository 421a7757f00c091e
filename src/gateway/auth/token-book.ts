/** Recognises tokens: compares hashes in constant time, and follows the token files of the home while the server runs. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Scope, TokenEntry } from "./scopes.ts";

/** The tokens kept in the home; read again only if something changed. */
export interface TokenFiles {
  list(): Promise<readonly TokenEntry[]>;
  /** False if the name is taken. */
  add(name: string, entry: TokenEntry): Promise<boolean>;
  /** False if there was none. */
  remove(name: string): Promise<boolean>;
}

export interface KnownToken {
  readonly name: string;
  readonly user: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The same as long as it is the same token; tells nothing about it. */
  readonly seal: string;
}

const tokenPrefix = "karyi_";

/** Of tokens and of users. */
export const tokenNamePattern = /^[A-Za-z0-9._-]{1,64}$/;
/** The name that a server gives to its own token; no other has it. */
export const ownTokenName = "serve";

/** A new token with what is kept of it: the token itself is shown once, by whoever asked for it. */
export function makeTokenEntry(wanted: Pick<TokenEntry, "name" | "scopes" | "user">, createdAt: number) {
  const token = makeToken();
  const { name, user, scopes } = wanted;
  const entry: TokenEntry = { name, hash: hashOfToken(token), scopes: [...new Set(scopes)], user, createdAt };
  return { token, entry };
}

/** 256 random bits; the prefix makes a leaked one findable. */
export function makeToken(): string {
  return `${tokenPrefix}${randomBytes(32).toString("base64url")}`;
}

export function hashOfToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

export class TokenBook {
  readonly #files: TokenFiles;
  readonly #own: readonly TokenEntry[];

  /** `own`: of this server alone, kept nowhere. */
  constructor(files: TokenFiles, own: readonly TokenEntry[]) {
    this.#files = files;
    this.#own = own;
  }

  async find(token: string): Promise<KnownToken | undefined> {
    const given = Buffer.from(hashOfToken(token), "hex");
    let found: TokenEntry | undefined;
    // Every entry is compared, so that the time taken tells nothing about which one fits.
    for (const entry of [...this.#own, ...(await this.#files.list())]) {
      const kept = Buffer.from(entry.hash, "hex");
      if (kept.length === given.length && timingSafeEqual(kept, given)) found ??= entry;
    }
    return found && known(found);
  }

  /** Whether a token of this name is still in force: a browser's session ends with its token. */
  async byName(name: string): Promise<KnownToken | undefined> {
    const entry = [...this.#own, ...(await this.#files.list())].find((one) => one.name === name);
    return entry && known(entry);
  }
}

function known({ name, user, scopes, hash, isRemade }: TokenEntry): KnownToken {
  const seal = isRemade ? "remade" : createHash("sha256").update(`seal ${hash}`).digest("hex");
  return { name, user, scopes: new Set(scopes), seal };
}
