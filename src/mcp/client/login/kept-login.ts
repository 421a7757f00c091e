/**
 * What is kept of a person's login to one server: in the vault, out of reach of everybody who asks for values by name. Every
 * secret of it stands there for itself too, so that it is masked wherever it turns up.
 */
import type { OAuthMetadata, StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import type { Json, JsonObject } from "../../../contract/index.ts";

export interface KeptLogin {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  /** Where the tokens come from and are renewed, as the login found it. */
  readonly from?: {
    readonly authorizationServer: string;
    readonly issuer: string;
    readonly metadata?: OAuthMetadata;
    readonly resource?: string;
  };
  /** What the login asked for. */
  readonly scope?: string;
  /** What the server wanted beyond that, at a call: the next login asks for it. */
  readonly demanded?: string;
}

/** Values that Karyi holds for itself, by an owner. */
export interface HeldValues {
  read(owner: string): Promise<Readonly<Record<string, string>>>;
  /** One change at a time among all processes; `undefined` leaves nothing. */
  change(owner: string, change: (held: Readonly<Record<string, string>>) => Readonly<Record<string, string>> | undefined): Promise<void>;
}

const whole = "LOGIN";
const secretKeys = new Set(["access_token", "refresh_token", "id_token", "client_secret", "registration_access_token"]);

/** The login to one server at one address: another server of that name gets nothing of it. */
export class LoginShelf {
  readonly #held: HeldValues;
  readonly #owner: string;
  readonly #prefix: string;

  constructor(held: HeldValues, server: string, url: string) {
    this.#held = held;
    this.#owner = `mcp ${server} ${url}`;
    this.#prefix = `MCP_${server.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_`;
  }

  async read(): Promise<KeptLogin> {
    return this.#parsed(await this.#held.read(this.#owner));
  }

  change(change: (kept: KeptLogin) => KeptLogin | undefined): Promise<void> {
    return this.#held.change(this.#owner, (held) => {
      const next = change(this.#parsed(held));
      if (next === undefined) return undefined;
      const text = JSON.stringify(next);
      return { [`${this.#prefix}${whole}`]: text, ...this.#secretsIn(JSON.parse(text) as Json) };
    });
  }

  #parsed(held: Readonly<Record<string, string>>): KeptLogin {
    const text = held[`${this.#prefix}${whole}`];
    return text === undefined ? {} : (JSON.parse(text) as KeptLogin);
  }

  #secretsIn(value: Json | undefined): Readonly<Record<string, string>> {
    if (typeof value !== "object" || value === null || value === undefined || Array.isArray(value)) return {};
    return Object.fromEntries(
      Object.entries(value as JsonObject).flatMap(([key, inner]) =>
        secretKeys.has(key) && typeof inner === "string" && inner !== ""
          ? [[`${this.#prefix}${key.toUpperCase()}`, inner]]
          : Object.entries(this.#secretsIn(inner)),
      ),
    );
  }
}
