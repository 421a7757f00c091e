/**
 * Browsers at the console: a login link works once, gives a cookie that scripts cannot read, and a CSRF token that a
 * foreign page cannot know. Sessions are kept by the hash of their cookie, so that a restart logs nobody out; links are not.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";

export interface BrowserSession {
  readonly token: string;
  /** Of the token that opened it: another token of the same name is another one. */
  readonly seal: string;
  readonly csrf: string;
}

/** A session as it is kept: neither the cookie nor the CSRF token can be got back from it. */
export interface KeptBrowserSession {
  readonly hash: string;
  readonly token: string;
  readonly seal: string;
  /** Unix milliseconds. */
  readonly until: number;
}

/** The sessions kept in the home, one an entry. */
export interface BrowserSessionFiles {
  list(): Promise<readonly KeptBrowserSession[]>;
  add(name: string, entry: KeptBrowserSession): Promise<boolean>;
  remove(name: string): Promise<boolean>;
}

/** The token that a link or a session stands for. */
export interface SealedToken {
  readonly name: string;
  readonly seal: string;
}

const cookieName = "karyi_session";
const linkLifeMs = 24 * 3_600_000;
const cookieLifeMs = 30 * 24 * 3_600_000;
const maxSessions = 1000;

export class BrowserSessions {
  readonly #now: () => number;
  readonly #files: BrowserSessionFiles;
  /** By the hash of the code: what is in memory opens nothing. */
  readonly #links = new Map<string, { readonly token: string; readonly until: number }>();

  constructor(files: BrowserSessionFiles, now: () => number) {
    this.#files = files;
    this.#now = now;
  }

  /** A code that `redeem` takes once, for the token of this name. */
  makeLink(token: string): string {
    const code = randomBytes(24).toString("base64url");
    this.#links.set(digest(code), { token, until: this.#now() + linkLifeMs });
    return code;
  }

  /** The name of the token that the link stands for. A second time there is none. */
  redeem(code: string): string | undefined {
    const key = digest(code);
    const link = this.#links.get(key);
    this.#links.delete(key);
    return link !== undefined && link.until > this.#now() ? link.token : undefined;
  }

  /** Value of the `Set-Cookie` header of a new session. */
  async open({ name, seal }: SealedToken): Promise<{ readonly cookie: string; readonly session: BrowserSession }> {
    const value = randomBytes(32).toString("base64url");
    const hash = digest(value);
    await this.#makeRoom();
    await this.#files.add(hash, { hash, token: name, seal, until: this.#now() + cookieLifeMs });
    const cookie = `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${Math.floor(cookieLifeMs / 1000)}`;
    return { cookie, session: { token: name, seal, csrf: csrfOf(value) } };
  }

  async find(cookieHeader: string | undefined): Promise<BrowserSession | undefined> {
    const value = cookieValue(cookieHeader);
    if (value === undefined) return undefined;
    const hash = digest(value);
    const kept = (await this.#files.list()).find((one) => one.hash === hash);
    return kept !== undefined && kept.until > this.#now() ? { token: kept.token, seal: kept.seal, csrf: csrfOf(value) } : undefined;
  }

  /** Answers the `Set-Cookie` header that takes the cookie away. */
  async close(cookieHeader: string | undefined): Promise<string> {
    const value = cookieValue(cookieHeader);
    if (value !== undefined) await this.#files.remove(digest(value));
    return `${cookieName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  /** Removes sessions that are over, and the oldest if there are too many. */
  async #makeRoom(): Promise<void> {
    const kept = [...(await this.#files.list())].sort((a, b) => a.until - b.until);
    const now = this.#now();
    const over = kept.filter(({ until }, index) => until <= now || kept.length - index >= maxSessions);
    for (const { hash } of over) await this.#files.remove(hash);
  }
}

/** Made from the cookie, so that it is the same after a restart and kept nowhere. */
function csrfOf(cookie: string): string {
  return createHmac("sha256", cookie).update("karyi csrf").digest("base64url");
}

function cookieValue(header: string | undefined): string | undefined {
  for (const part of (header ?? "").split(";")) {
    const [name, ...rest] = part.split("=");
    if (name?.trim() === cookieName) return rest.join("=").trim();
  }
  return undefined;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
