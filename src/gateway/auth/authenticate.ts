/** Finds the caller of a request: a bearer token, or a console's cookie with its CSRF token. A token in the query is no token. */
import { timingSafeEqual } from "node:crypto";
import { Problem } from "../problem.ts";
import type { BrowserSession, BrowserSessions, SealedToken } from "./browser-sessions.ts";
import type { Caller } from "./scopes.ts";
import type { TokenBook } from "./token-book.ts";

export interface Credentials {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly csrf: string | undefined;
}

/** Longer than any token that is made or accepted. */
const maxTokenLength = 4096;
/** A sub-protocol has no place for a header, so the token is part of its name. */
const tokenProtocol = "karyi.token.";

export class Authenticator {
  readonly #tokens: TokenBook;
  readonly #browsers: BrowserSessions;

  constructor(tokens: TokenBook, browsers: BrowserSessions) {
    this.#tokens = tokens;
    this.#browsers = browsers;
  }

  /** Throws 401, or 403 for a cookie without its CSRF token. */
  async callerOf(given: Credentials): Promise<Caller> {
    if (given.authorization !== undefined) return this.#bearer(given.authorization);
    const session = await this.#browsers.find(given.cookie);
    if (session === undefined) throw unauthorized();
    return this.#browser(session, given);
  }

  /**
   * Of a WebSocket: a header, a sub-protocol `karyi.token.TOKEN` beside `karyi.terminal`, or a console's cookie, which needs
   * the `Origin` that every browser sends. The protocol that is agreed to never holds the token.
   */
  async upgradeCallerOf(
    headers: Readonly<Record<string, string | undefined>>,
  ): Promise<{ readonly caller: Caller; readonly protocol: string | undefined }> {
    const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
    const protocol = offered.find((one) => one !== "" && !one.startsWith(tokenProtocol));
    const token = offered.find((one) => one.startsWith(tokenProtocol))?.slice(tokenProtocol.length);
    if (headers.authorization !== undefined) return { caller: await this.#bearer(headers.authorization), protocol };
    if (token !== undefined) return { caller: await this.#bearer(`Bearer ${token}`), protocol };
    if (headers.origin === undefined) throw unauthorized();
    return { caller: await this.callerOf({ method: "GET", authorization: undefined, cookie: headers.cookie, csrf: undefined }), protocol };
  }

  /** The token of this name, to open a browser's session with. Throws 401 if it is gone. */
  async sealed(name: string): Promise<SealedToken> {
    const known = await this.#tokens.byName(name);
    if (known === undefined) throw unauthorized();
    return known;
  }

  async #bearer(header: string): Promise<Caller> {
    const match = /^bearer +(\S+) *$/i.exec(header);
    const token = match?.[1];
    const known = token === undefined || token.length > maxTokenLength ? undefined : await this.#tokens.find(token);
    if (known === undefined) throw unauthorized();
    return { user: known.user, scopes: known.scopes, token: known.name, seal: known.seal, by: "bearer" };
  }

  async #browser(session: BrowserSession, { method, csrf }: Credentials): Promise<Caller> {
    const known = await this.#tokens.byName(session.token);
    if (known?.seal !== session.seal) throw unauthorized();
    const changes = method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
    if (changes && !same(csrf, session.csrf)) {
      throw new Problem(403, "forbidden", "This needs the header X-CSRF-Token of the console.", { details: { reason: "csrf" } });
    }
    return { user: known.user, scopes: known.scopes, token: known.name, seal: known.seal, by: "cookie" };
  }
}

function same(given: string | undefined, kept: string): boolean {
  if (given === undefined || given.length !== kept.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(kept));
}

function unauthorized(): Problem {
  return new Problem(401, "unauthorized", "A valid token is needed: Authorization: Bearer TOKEN.", {
    headers: { "www-authenticate": 'Bearer realm="karyi"' },
  });
}
