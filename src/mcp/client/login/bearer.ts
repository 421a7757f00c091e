/**
 * The token of a person's login on every request to one server; renewed if the server refuses it. Opens no browser: where only a
 * person can help, the call fails and says so.
 */
import type { AuthProvider } from "@modelcontextprotocol/client";
import { ToolFailure } from "../../../contract/index.ts";
import { configuredClient, signedClient } from "./configured-client.ts";
import type { KeptLogin, LoginShelf } from "./kept-login.ts";
import { type LoginWay, logInAlone, loginFailed, loginFetch } from "./log-in.ts";

export class Bearer implements AuthProvider {
  readonly #way: Omit<LoginWay, "challenge" | "scopes" | "issuer">;
  readonly #shelf: LoginShelf;
  #sent: string | undefined;
  #renewing: Promise<void> | undefined;

  constructor(way: Omit<LoginWay, "challenge" | "scopes" | "issuer">, shelf: LoginShelf) {
    this.#way = way;
    this.#shelf = shelf;
  }

  /** A vault that cannot be opened stops nobody who needs no login. */
  async token(): Promise<string | undefined> {
    const { tokens } = await this.#shelf.read().catch((): KeptLogin => ({}));
    this.#sent = tokens?.access_token;
    return this.#sent;
  }

  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const refused = this.#sent;
    this.#renewing ??= this.#renew(response, refused).finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  /** The server wants more than the login was for: the next one asks for it. */
  async demand(scope: string | undefined): Promise<void> {
    const { computeScopeUnion } = await import("@modelcontextprotocol/client");
    await this.#shelf.change((kept) => {
      const demanded = computeScopeUnion(kept.demanded, scope);
      return demanded === undefined ? kept : { ...kept, demanded };
    });
  }

  get needed(): ToolFailure {
    return loginNeeded(this.#way.server);
  }

  async #renew(response: Response, refused: string | undefined): Promise<void> {
    const kept = await this.#shelf.read();
    const { tokens, from, scope, demanded } = kept;
    // Another process has renewed it meanwhile.
    if (tokens !== undefined && tokens.access_token !== refused) return;
    const { oauth, server } = this.#way;
    if (oauth.grant === "client_credentials") {
      const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
      const challenge = extractWWWAuthenticateParams(response);
      const issuer = from === undefined ? {} : { issuer: from.issuer };
      const way = { ...this.#way, ...issuer, challenge, scopes: [scope, demanded, oauth.scopes] };
      const login = await logInAlone(way, new AbortController().signal);
      return this.#shelf.change(() => login);
    }
    const refreshToken = tokens?.refresh_token;
    if (refreshToken === undefined || from === undefined) throw this.needed;
    const renewed = await this.#refreshed(kept, from, refreshToken).catch(async (error: unknown) => {
      // Who renews a token that another process has just used up is refused, though all is well.
      const now = await this.#shelf.read();
      if (now.tokens !== undefined && now.tokens.access_token !== refused) return undefined;
      throw isRefusal(error) ? this.needed : loginFailed(server, error);
    });
    if (renewed === undefined) return;
    // A logout or another login meanwhile is not undone.
    await this.#shelf.change((now) =>
      now.tokens?.refresh_token === refreshToken ? { ...now, tokens: { ...now.tokens, ...renewed } } : now,
    );
  }

  async #refreshed(
    kept: KeptLogin,
    { authorizationServer, issuer, metadata, resource }: NonNullable<KeptLogin["from"]>,
    refreshToken: string,
  ) {
    const { refreshAuthorization } = await import("@modelcontextprotocol/client");
    const { oauth, reveal } = this.#way;
    const clientInformation =
      oauth.clientId === undefined ? kept.client : await configuredClient(oauth, oauth.issuer ?? issuer, issuer, reveal);
    if (clientInformation === undefined) throw this.needed;
    const signed = signedClient(oauth, reveal);
    return refreshAuthorization(authorizationServer, {
      clientInformation,
      refreshToken,
      fetchFn: loginFetch(),
      ...(metadata && { metadata }),
      ...(resource === undefined ? {} : { resource }),
      ...(signed && { addClientAuthentication: signed }),
    });
  }
}

export function loginNeeded(server: string): ToolFailure {
  return new ToolFailure("tool_error", `The MCP server '${server}' wants the person to log in: karyi mcp login ${server}`, {
    hint: `The person runs \`karyi mcp login ${server}\`; then the call can be made again.`,
    details: { reason: "login_needed", server },
  });
}

/** The authorization server answered, and said no. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && ["invalid_grant", "invalid_client", "unauthorized_client"].includes(code);
}
