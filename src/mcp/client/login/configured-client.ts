/** A client that the person has registered themselves: its secret is looked up when it is used, for the server that gets it. */
import type { AddClientAuthentication, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { parsedUrl } from "../../../contract/index.ts";
import type { OAuthSettings } from "../server-settings.ts";

/** Fills the references in a setting; the hosts are those that the value is sent to. */
export type Reveal = (text: string, hosts: readonly string[]) => Promise<string>;

export async function configuredClient(
  oauth: OAuthSettings,
  boundTo: string | undefined,
  askedBy: string | undefined,
  reveal: Reveal,
): Promise<StoredOAuthClientInformation | undefined> {
  if (oauth.clientId === undefined) return undefined;
  const issuer = boundTo === undefined ? {} : { issuer: boundTo };
  const client_id = await reveal(oauth.clientId, hostsOf(askedBy));
  // To another server than the one it belongs to the secret is not even looked up.
  const isStranger = boundTo !== undefined && askedBy !== undefined && boundTo.replace(/\/$/, "") !== askedBy.replace(/\/$/, "");
  if (oauth.clientSecret === undefined || isStranger) return { client_id, ...issuer };
  return { client_id, client_secret: await reveal(oauth.clientSecret, hostsOf(askedBy)), ...issuer };
}

/** Proves itself by a signature; `undefined` if no key is configured. */
export function signedClient(oauth: OAuthSettings, reveal: Reveal): AddClientAuthentication | undefined {
  const { clientId, privateKey, algorithm } = oauth;
  if (clientId === undefined || privateKey === undefined) return undefined;
  return async (headers, params, url, metadata) => {
    const { createPrivateKeyJwtAuth } = await import("@modelcontextprotocol/client");
    const hosts = hostsOf(String(url));
    const name = await reveal(clientId, hosts);
    const sign = createPrivateKeyJwtAuth({ issuer: name, subject: name, privateKey: await reveal(privateKey, hosts), alg: algorithm });
    await sign(headers, params, url, metadata);
  };
}

function hostsOf(url: string | undefined): readonly string[] {
  const host = parsedUrl(url ?? "")?.hostname;
  return host === undefined ? [] : [host];
}
