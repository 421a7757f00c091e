/** Servers as config and `.mcp.json` name them. One wrong entry is told and hurts no other. */
import { z } from "zod";
import type { Json } from "../../contract/index.ts";

const serverName = /^(?!.*__)[A-Za-z0-9_-]{1,32}$/;
/** `PLUGIN_SERVER`, each part as long as a name may be. */
const pluginServerName = /^(?!.*__)[A-Za-z0-9_-]{1,65}$/;
const defaultTimeoutMs = 60_000;
const maxTimeoutMs = 24 * 3600 * 1000;

const timeoutMs = z.number().int().positive().max(maxTimeoutMs).default(defaultTimeoutMs);
const texts = z.record(z.string(), z.string());

/** Other clients put keys of their own there: they are let be. */
const stdio = z.looseObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
  cwd: z.string().optional(),
  /** True: it writes the workspace and temporary directories only, and does not start where that cannot be had. */
  confined: z.boolean().optional(),
  /** Of a confined server. */
  network: z.enum(["none", "on"]).optional(),
  timeoutMs,
});
/** A secret is named, not written: `$KARYI{NAME}` or `${VARIABLE}`. */
const reference = z.string().regex(/^\$(?:KARYI)?\{[^}]+\}$/, "name the secret: $KARYI{NAME} or ${VARIABLE}");

/** How a login is made where a server wants one; without it, as the server's authorization server says. */
const oauth = z.looseObject({
  grant: z.enum(["authorization_code", "client_credentials"]).default("authorization_code"),
  /** Of a client that the person registered; absent: one is registered at login. */
  clientId: z.string().min(1).optional(),
  clientSecret: reference.optional(),
  /** In place of a secret: signs what the client says of itself. PKCS 8, PEM. */
  privateKey: reference.optional(),
  algorithm: z.string().default("ES256"),
  clientMetadataUrl: z.string().optional(),
  /** The only authorization server that this client is used with. */
  issuer: z.string().optional(),
  scopes: z.string().optional(),
  callbackPort: z.number().int().min(1).max(65_535).optional(),
});

const http = z.looseObject({
  type: z.enum(["http", "streamable-http"]).optional(),
  url: z.string().min(1),
  headers: texts.default({}),
  oauth: oauth.optional(),
  timeoutMs,
});

export type OAuthSettings = Readonly<z.infer<typeof oauth>>;
export const usualOAuth: OAuthSettings = oauth.parse({});
type StdioSettings = Readonly<z.infer<typeof stdio>>;
type HttpSettings = Readonly<z.infer<typeof http>>;
export type ServerSettings = ({ readonly kind: "stdio" } & StdioSettings) | ({ readonly kind: "http" } & HttpSettings);

export interface NamedServer {
  readonly name: string;
  readonly transport: "stdio" | "http";
  readonly source: "home" | "project" | "plugin";
  readonly trusted: boolean;
  readonly settings?: ServerSettings;
  /** Why it cannot be used. */
  readonly error?: string;
  /** Throws if the server must not be started any more. */
  beforeStart?(): Promise<void>;
}

export function namedServer(name: string, entry: Json, from: Pick<NamedServer, "source" | "trusted">): NamedServer {
  const isHttp = typeof entry === "object" && entry !== null && "url" in entry;
  const transport = isHttp ? "http" : "stdio";
  const about = { name, transport, ...from } as const;
  if (!(from.source === "plugin" ? pluginServerName : serverName).test(name))
    return { ...about, error: `'${name}' is no name of a server: 1 to 32 of A-Z a-z 0-9 _ -, without '__'.` };
  const parsed = isHttp ? http.safeParse(entry) : stdio.safeParse(entry);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "it"}: ${message}`);
    return { ...about, error: `The server '${name}' is not well described: ${problems.join("; ")}.` };
  }
  return { ...about, settings: { kind: transport, ...parsed.data } as ServerSettings };
}
