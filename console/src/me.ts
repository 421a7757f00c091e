/** Who is at the page and what they may do. */
import { signal } from "@preact/signals";
import { ApiError, whoAmI } from "./api/client.ts";
import type { Me } from "./api/types.ts";

export const me = signal<Me | "unknown" | "nobody">("unknown");

export async function learnWho(): Promise<void> {
  try {
    me.value = await whoAmI();
  } catch (error) {
    me.value = error instanceof ApiError && error.status === 401 ? "nobody" : "unknown";
    if (me.value === "unknown") throw error;
  }
}

export function may(scope: "read" | "call" | "approve" | "admin"): boolean {
  const who = me.value;
  return typeof who === "object" && (who.scopes.includes("admin") || who.scopes.includes(scope));
}
