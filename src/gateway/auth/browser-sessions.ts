/**
 * Browsers at the console. A session has two halves: a cookie that scripts cannot read, and a CSRF token that the page
 * keeps in its local storage. Both are needed, for reads too: a browser sends the cookie to every port of this host, so
 * any program that listens on one may know it, but local storage belongs to one host and port. Only hashes are kept, so
 * that a restart logs nobody out and the home opens nothing.
 */
import { timingSafeEqual } from "node:crypto";
import { digest, OneTimeCodes, randomSecret } from "./one-time-codes.ts";

/** A session as it is kept: neither half can be got back from it. */
export interface KeptBrowserSession {
  /** Of the cookie. */
  readonly hash: string;
  readonly csrfHash: string;
  readonly token: string;
  /** Of the token that opened it: another token of the same name is another one. */
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

interface OpenedSession {
  /** Value of the `Set-Cookie` header. */
  readonly cookie: string;
  /** Given to the page once, in the answer to its login. */
  readonly csrf: string;
  readonly hash: string;
}

const linkLifeMs = 24 * 3_600_000;
const claimLifeMs = 60_000;
const cookieLifeMs = 30 * 24 * 3_600_000;
const maxSessions = 1000;

export class BrowserSessions {
  readonly #now: () => number;
  readonly #files: BrowserSessionFiles;
  readonly #port: () => number;
  /** Names of tokens. */
  readonly #links: OneTimeCodes<string>;
  readonly #claims: OneTimeCodes<OpenedSession>;

  constructor(files: BrowserSessionFiles, now: () => number, port: () => number) {
    this.#files = files;
    this.#now = now;
    this.#port = port;
    this.#links = new OneTimeCodes(linkLifeMs, now);
    this.#claims = new OneTimeCodes(claimLifeMs, now);
  }

  /** A code that `redeem` takes once, for the token of this name. */
  makeLink(token: string): string {
    return this.#links.make(token);
  }

  /** The name of the token that the link stands for. A second time there is none. */
  redeem(code: string): string | undefined {
    return this.#links.take(code);
  }

  async open({ name, seal }: SealedToken): Promise<OpenedSession> {
    const [value, csrf] = [randomSecret(), randomSecret()];
    const hash = digest(value);
    await this.#makeRoom();
    await this.#files.add(hash, { hash, csrfHash: digest(csrf), token: name, seal, until: this.#now() + cookieLifeMs });
    return { cookie: this.#setCookie(value, Math.floor(cookieLifeMs / 1000)), csrf, hash };
  }

  /** A code by which the page that a link led to fetches its half, so that the half itself stands in no address. */
  makeClaim(opened: OpenedSession): string {
    return this.#claims.make(opened);
  }

  /** The page's half, once, if the browser holds the other one. */
  claim(cookieHeader: string | undefined, code: string): string | undefined {
    const opened = this.#claims.take(code);
    const value = this.#cookieValue(cookieHeader);
    return opened !== undefined && value !== undefined && digest(value) === opened.hash ? opened.csrf : undefined;
  }

  /** By the cookie alone: `isPage` asks for the other half. */
  async find(cookieHeader: string | undefined): Promise<KeptBrowserSession | undefined> {
    const value = this.#cookieValue(cookieHeader);
    return value === undefined ? undefined : this.byHash(digest(value));
  }

  async byHash(hash: string): Promise<KeptBrowserSession | undefined> {
    const kept = (await this.#files.list()).find((one) => one.hash === hash);
    return kept !== undefined && kept.until > this.#now() ? kept : undefined;
  }

  isPage({ csrfHash }: KeptBrowserSession, csrf: string | undefined): boolean {
    // Files of an earlier version have none.
    if (csrf === undefined || typeof csrfHash !== "string") return false;
    const [given, kept] = [Buffer.from(digest(csrf)), Buffer.from(csrfHash)];
    return given.length === kept.length && timingSafeEqual(given, kept);
  }

  /** Answers the `Set-Cookie` header that takes the cookie away. */
  async close(cookieHeader: string | undefined): Promise<string> {
    const value = this.#cookieValue(cookieHeader);
    if (value !== undefined) await this.#files.remove(digest(value));
    return this.#setCookie("", 0);
  }

  /** Removes sessions that are over, and the oldest if there are too many. */
  async #makeRoom(): Promise<void> {
    const kept = [...(await this.#files.list())].sort((a, b) => a.until - b.until);
    const now = this.#now();
    const over = kept.filter(({ until }, index) => until <= now || kept.length - index >= maxSessions);
    for (const { hash } of over) await this.#files.remove(hash);
  }

  /** Named by the port, because two servers on one host would overwrite each other's. */
  get #cookieName(): string {
    return `karyi_session_${this.#port()}`;
  }

  #setCookie(value: string, maxAge: number): string {
    return `${this.#cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`;
  }

  #cookieValue(header: string | undefined): string | undefined {
    for (const part of (header ?? "").split(";")) {
      const [name, ...rest] = part.split("=");
      if (name?.trim() === this.#cookieName) return rest.join("=").trim();
    }
    return undefined;
  }
}
