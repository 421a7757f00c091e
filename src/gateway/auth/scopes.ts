/** What a token may do, and for whom. */
export const scopes = ["read", "call", "approve", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** A token as it is kept: nobody can get the token back from it. */
export interface TokenEntry {
  readonly name: string;
  /** sha256 of the token in hex; tokens that Karyi makes hold 256 random bits. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly user: string;
  readonly createdAt: number;
  /** A server made it for itself and makes another when it starts again: browsers stay logged in all the same. */
  readonly isRemade?: boolean;
}

/** Whoever stands behind a request. */
export interface Caller {
  readonly user: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Name of the token, for audit and limits. */
  readonly token: string;
  /** Of that token: another one of the same name has another. */
  readonly seal: string;
  /** The session of a browser that let it in. */
  readonly browser?: string;
}

export function may(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has("admin") || caller.scopes.has(scope);
}

/** Who and where from, for the audit. */
export function callerText({ user, token }: Caller, { remoteAddress }: { readonly remoteAddress: string }): string {
  return `http:${user} ${token} ${remoteAddress}`.trimEnd();
}
