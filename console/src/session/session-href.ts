/** Addresses inside a session. */
export type SessionTab = "chat" | "changes" | "agents" | "terminal" | "artifacts";

export const sessionTabs: readonly SessionTab[] = ["chat", "changes", "agents", "terminal", "artifacts"];

export function sessionHref(id: string, tab: SessionTab = "chat", query = ""): string {
  return `/s/${encodeURIComponent(id)}${tab === "chat" ? "" : `/${tab}`}${query === "" ? "" : `?${query}`}`;
}
