/** What can go wrong with the vault, each with what to do about it. No message ever holds a value. */
import { ToolFailure } from "../contract/index.ts";

const wayOut =
  "Put the key back (vault.key, KARYI_VAULT_KEY or the keychain entry), or run `karyi var reset`: it sets the old vault aside and begins an empty one.";

export function keyMissing(place: string): ToolFailure {
  return new ToolFailure("tool_error", `The vault cannot be opened: its key is gone (it was kept in ${place}). Nothing was changed.`, {
    hint: wayOut,
    details: { reason: "vault_key_missing" },
  });
}

export function keyWrong(place: string): ToolFailure {
  return new ToolFailure(
    "tool_error",
    `The vault cannot be opened: it was encrypted with another key (kept in ${place}). Nothing was changed.`,
    {
      hint: wayOut,
      details: { reason: "vault_key_wrong" },
    },
  );
}

export function keyUnreadable(place: string): ToolFailure {
  return new ToolFailure("tool_error", `The vault's key in ${place} is not a key of 32 bytes. Nothing was changed.`, {
    hint: wayOut,
    details: { reason: "vault_key_unreadable" },
  });
}

export function damaged(what: string): ToolFailure {
  return new ToolFailure("tool_error", `The vault cannot be opened: ${what}. Nothing was changed.`, {
    hint: "Restore the file from a backup, or run `karyi var reset`: it sets the damaged vault aside and begins an empty one.",
    details: { reason: "vault_damaged" },
  });
}

export function badVariable(message: string, hint: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", message, { hint, details: { reason: "bad_variable" } });
}
