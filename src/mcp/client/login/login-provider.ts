/** One attempt to log in, as the SDK drives it. Holds everything in memory; what it brought is kept only when it has succeeded. */
import { randomBytes } from "node:crypto";
import type {
  AddClientAuthentication,
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { OAuthSettings } from "../server-settings.ts";
import { configuredClient, type Reveal, signedClient } from "./configured-client.ts";
import type { KeptLogin } from "./kept-login.ts";

export interface Attempt {
  readonly oauth: OAuthSettings;
  /** Where the browser comes back to; absent: no person takes part. */
  readonly redirectUrl?: string;
  readonly version: string;
  /** Of the login before: a client of the person's own stays with the issuer that it was used with. */
  readonly issuer?: string;
  readonly reveal: Reveal;
}

export class LoginProvider implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly addClientAuthentication?: AddClientAuthentication;
  /** Absent where the client is the person's own: then nothing may be registered in its place. */
  readonly saveClientInformation?: (client: StoredOAuthClientInformation) => void;
  readonly prepareTokenRequest?: (scope?: string) => URLSearchParams;
  /** Where the browser is sent. */
  page: URL | undefined;
  readonly #attempt: Attempt;
  readonly #state = randomBytes(24).toString("base64url");
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  #discovery: OAuthDiscoveryState | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
    const { oauth, redirectUrl, reveal } = attempt;
    if (oauth.clientMetadataUrl !== undefined) this.clientMetadataUrl = oauth.clientMetadataUrl;
    if (oauth.clientId === undefined) {
      this.saveClientInformation = (client) => {
        this.#client = client;
      };
    }
    const signed = signedClient(oauth, reveal);
    if (signed !== undefined) this.addClientAuthentication = signed;
    if (redirectUrl === undefined) {
      this.prepareTokenRequest = (scope) =>
        new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) });
    }
  }

  get redirectUrl(): string | undefined {
    return this.#attempt.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { redirectUrl, version } = this.#attempt;
    return {
      client_name: "Karyi",
      software_id: "karyi",
      software_version: version,
      redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
      grant_types: redirectUrl === undefined ? ["client_credentials"] : ["authorization_code", "refresh_token"],
      response_types: redirectUrl === undefined ? [] : ["code"],
    };
  }

  state(): string {
    return this.#state;
  }

  async clientInformation(context?: OAuthClientInformationContext): Promise<StoredOAuthClientInformation | undefined> {
    const { oauth, issuer, reveal } = this.#attempt;
    if (oauth.clientId === undefined) return this.#client;
    return configuredClient(oauth, oauth.issuer ?? issuer, context?.issuer, reveal);
  }

  /** A login begins anew, so what was there before is not looked at. */
  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(page: URL): void {
    this.page = page;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (scope === "all" || scope === "client") this.#client = undefined;
    if (scope === "all" || scope === "tokens") this.#tokens = undefined;
  }

  /** What the attempt brought. */
  outcome(scope: string | undefined): KeptLogin {
    const { authorizationServerUrl: authorizationServer = "", authorizationServerMetadata, resourceMetadata } = this.#discovery ?? {};
    const issuer = authorizationServerMetadata?.issuer ?? authorizationServer;
    const endpoints = authorizationServerMetadata && {
      issuer: authorizationServerMetadata.issuer,
      authorization_endpoint: authorizationServerMetadata.authorization_endpoint,
      token_endpoint: authorizationServerMetadata.token_endpoint,
      response_types_supported: authorizationServerMetadata.response_types_supported,
      token_endpoint_auth_methods_supported: authorizationServerMetadata.token_endpoint_auth_methods_supported,
    };
    const resource = resourceMetadata?.resource;
    return {
      ...(this.#client && { client: this.#client }),
      ...(this.#tokens && { tokens: this.#tokens }),
      from: { authorizationServer, issuer, ...(endpoints && { metadata: endpoints }), ...(resource === undefined ? {} : { resource }) },
      ...(scope === undefined ? {} : { scope }),
    };
  }
}
