/** The tokens of a home: added, listed and removed by the command, followed by a running server. */
import { join } from "node:path";
import { ToolFailure } from "../../contract/index.ts";
import {
  makeTokenEntry,
  ownTokenName,
  type Scope,
  scopes,
  type TokenEntry,
  type TokenFiles,
  tokenNamePattern,
} from "../../gateway/index.ts";
import { PrivateEntries } from "../../host/server/index.ts";

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly user: string;
}

export function tokenFiles(home: string): TokenFiles & PrivateEntries<TokenEntry> {
  return new PrivateEntries<TokenEntry>(join(home, "tokens"));
}

/** Shown once: only its hash is kept. */
export async function addToken(home: string, wanted: NewToken): Promise<{ readonly entry: TokenEntry; readonly token: string }> {
  const { name, user } = wanted;
  if (!tokenNamePattern.test(name) || name === ownTokenName) throw wrong(`'${name}' cannot be a token's name.`, "token_name");
  if (!tokenNamePattern.test(user)) throw wrong(`'${user}' cannot be a user's name.`, "token_user");
  const chosen = wanted.scopes.filter((scope): scope is Scope => (scopes as readonly string[]).includes(scope));
  if (chosen.length === 0 || chosen.length !== wanted.scopes.length) {
    throw wrong(`Scopes are ${scopes.join(", ")}; given: ${wanted.scopes.join(", ") || "none"}.`, "token_scopes");
  }
  const { token, entry } = makeTokenEntry({ name, user, scopes: chosen }, Date.now());
  if (!(await tokenFiles(home).add(name, entry))) {
    throw new ToolFailure("tool_conflict", `There is a token '${name}' already.`, {
      hint: "Remove it first, or choose another name.",
      details: { reason: "token_exists" },
    });
  }
  return { entry, token };
}

export function listTokens(home: string): Promise<readonly TokenEntry[]> {
  return tokenFiles(home).list();
}

export function removeToken(home: string, name: string): Promise<boolean> {
  return tokenFiles(home).remove(name);
}

function wrong(message: string, reason: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", message, { details: { reason } });
}
