/** Finds the caller of a request: a bearer token, or a console's cookie with its CSRF token. A token in the query is no token. */
import { Problem } from "../problem.ts";
import type { BrowserSessions, KeptBrowserSession, SealedToken } from "./browser-sessions.ts";
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
/** A WebSocket has no place for a header, so what would be in one is part of the name of a sub-protocol. */
const tokenProtocol = "karyi.token.";
const csrfProtocol = "karyi.csrf.";

export class Authenticator {
  readonly #tokens: TokenBook;
  readonly #browsers: BrowserSessions;

  constructor(tokens: TokenBook, browsers: BrowserSessions) {
    this.#tokens = tokens;
    this.#browsers = browsers;
  }

  /** Throws 401; of a cookie without its CSRF token 403 if the request would change something. */
  async callerOf(given: Credentials): Promise<Caller> {
    if (given.authorization !== undefined) return this.#bearer(given.authorization);
    const session = await this.#browsers.find(given.cookie);
    if (session === undefined) throw unauthorized();
    return this.#browser(session, given);
  }

  /**
   * Of a WebSocket: a header, a sub-protocol `karyi.token.TOKEN` beside `karyi.terminal`, or a console's cookie, which needs
   * `karyi.csrf.TOKEN` and the `Origin` that every browser sends. The protocol that is agreed to never holds a token.
   */
  async upgradeCallerOf(
    headers: Readonly<Record<string, string | undefined>>,
  ): Promise<{ readonly caller: Caller; readonly protocol: string | undefined }> {
    const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
    const held = (prefix: string) => offered.find((one) => one.startsWith(prefix))?.slice(prefix.length);
    const protocol = offered.find((one) => one !== "" && !one.startsWith(tokenProtocol) && !one.startsWith(csrfProtocol));
    const token = held(tokenProtocol);
    if (headers.authorization !== undefined) return { caller: await this.#bearer(headers.authorization), protocol };
    if (token !== undefined) return { caller: await this.#bearer(`Bearer ${token}`), protocol };
    if (headers.origin === undefined) throw unauthorized();
    const given = { method: "GET", authorization: undefined, cookie: headers.cookie, csrf: held(csrfProtocol) };
    return { caller: await this.callerOf(given), protocol };
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
    return { user: known.user, scopes: known.scopes, token: known.name, seal: known.seal };
  }

  /** Whether what a caller was let in by still holds: streams outlive their requests. */
  async isStillAllowed({ token, seal, browser }: Caller): Promise<boolean> {
    if ((await this.#tokens.byName(token))?.seal !== seal) return false;
    return browser === undefined || (await this.#browsers.byHash(browser)) !== undefined;
  }

  async #browser(session: KeptBrowserSession, { method, csrf }: Credentials): Promise<Caller> {
    const known = await this.#tokens.byName(session.token);
    if (known?.seal !== session.seal) throw unauthorized();
    if (!this.#browsers.isPage(session, csrf)) {
      // Who reads without it is not logged in, and a page that lost it asks its person to log in again.
      if (method === "GET" || method === "HEAD" || method === "OPTIONS") throw unauthorized();
      throw new Problem(403, "forbidden", "This needs the header X-CSRF-Token of the console.", { details: { reason: "csrf" } });
    }
    return { user: known.user, scopes: known.scopes, token: known.name, seal: known.seal, browser: session.hash };
  }
}

function unauthorized(): Problem {
  return new Problem(401, "unauthorized", "A valid token is needed: Authorization: Bearer TOKEN.", {
    headers: { "www-authenticate": 'Bearer realm="karyi"' },
  });
}
