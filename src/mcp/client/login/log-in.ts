/**
 * The login of a person to an HTTP server: a link for the browser, a listener on loopback for what it brings back, PKCE, and the
 * exchange for tokens. Nothing here runs because a model called a tool, but for a client that needs no person.
 */
import type { FetchLike } from "@modelcontextprotocol/client";
import { ToolFailure } from "../../../contract/index.ts";
import { limitBody } from "../message-limit.ts";
import { messageOf } from "../message-of.ts";
import type { KeptLogin } from "./kept-login.ts";
import { type Attempt, LoginProvider } from "./login-provider.ts";

/** Waits on loopback for a browser to come back. */
interface RedirectListener {
  readonly address: string;
  /** What the first request with that `state` says; others are turned away. */
  arrived(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  close(): Promise<void>;
}

/** What a server says who refuses for want of a login. */
export interface Challenge {
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
}

export interface LoginWay extends Omit<Attempt, "redirectUrl"> {
  readonly server: string;
  readonly url: string;
  readonly challenge: Challenge;
  /** Beside what the challenge names. */
  readonly scopes: readonly (string | undefined)[];
}

export interface LoginDesk {
  listen(port: number): Promise<RedirectListener>;
  /** Shows the person where to go. */
  show(link: string): void | Promise<void>;
  readonly signal: AbortSignal;
}

const answerMs = 30_000;
const maxAnswerBytes = 1024 * 1024;

/** By a browser and the person in front of it. */
export async function logIn(way: LoginWay, { listen, show, signal }: LoginDesk): Promise<KeptLogin> {
  demandSafe(way);
  const { auth, computeScopeUnion } = await import("@modelcontextprotocol/client");
  const listener = await listen(way.oauth.callbackPort ?? 0);
  try {
    const provider = new LoginProvider({ ...way, redirectUrl: listener.address });
    const scope = computeScopeUnion(way.challenge.scope, ...way.scopes);
    const asked = { ...options(way, scope, signal), forceReauthorization: true };
    await auth(provider, asked);
    const { page } = provider;
    if (page === undefined) throw new Error("it has no page for a login");
    if (!isSafe(page)) throw new Error(`its page for a login is no https address: ${page.href.slice(0, 200)}`);
    // Before the link is shown: a browser that is logged in already comes straight back.
    const coming = listener.arrived(provider.state(), signal);
    coming.catch(() => {});
    await show(page.href);
    const brought = await coming;
    const refusal = brought.get("error");
    if (refusal !== null) throw new Error(`${refusal}${brought.has("error_description") ? `: ${brought.get("error_description")}` : ""}`);
    const authorizationCode = brought.get("code");
    if (authorizationCode === null) throw new Error("the browser brought no code back");
    const iss = brought.get("iss");
    await auth(provider, { ...asked, authorizationCode, ...(iss === null ? {} : { iss }) });
    return provider.outcome(scope);
  } catch (error) {
    throw loginFailed(way.server, error);
  } finally {
    await listener.close();
  }
}

/** By the client's own secret or key. */
export async function logInAlone(way: LoginWay, signal: AbortSignal): Promise<KeptLogin> {
  demandSafe(way);
  const { auth, computeScopeUnion } = await import("@modelcontextprotocol/client");
  const provider = new LoginProvider(way);
  const scope = computeScopeUnion(way.challenge.scope, ...way.scopes);
  try {
    await auth(provider, options(way, scope, signal));
    return provider.outcome(scope);
  } catch (error) {
    throw loginFailed(way.server, error);
  }
}

function options({ url, challenge: { resourceMetadataUrl } }: LoginWay, scope: string | undefined, signal: AbortSignal) {
  return {
    serverUrl: url,
    fetchFn: loginFetch(signal),
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  };
}

/** Whoever answers may be anybody: a limit on time and length. */
export function loginFetch(signal?: AbortSignal): FetchLike {
  return async (url, init) => {
    const stop = AbortSignal.any([AbortSignal.timeout(answerMs), ...[init?.signal, signal].filter((each) => each instanceof AbortSignal)]);
    return limitBody(await fetch(url, { ...init, signal: stop }), maxAnswerBytes, () => {});
  };
}

export function loginFailed(server: string, error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error;
  return new ToolFailure("tool_error", `The login to the MCP server '${server}' failed: ${messageOf(error)}`, {
    hint: `Try again: karyi mcp login ${server}`,
    details: { reason: "login_failed", server },
  });
}

/** A token on a line that is not encrypted is everybody's. */
function demandSafe({ server, url }: LoginWay): void {
  if (isSafe(new URL(url))) return;
  throw new ToolFailure("permission_denied", `No login to the MCP server '${server}': its address is not https.`, {
    details: { reason: "login_failed", server },
  });
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname));
}
