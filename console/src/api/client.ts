/**
 * Requests to `/api/v1`: the cookie says who, the CSRF token says that this page asks. The token is in local storage, which
 * belongs to this host and port alone and is shared by its tabs. A failure is an `ApiError` with its code.
 */
import type { Me } from "./types.ts";

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(status: number, code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

const base = "/api/v1";
const csrfPlace = "karyi.csrf";
const claimMark = "#claim=";
/** Where the browser refuses storage: until the page is loaded again. */
let unstored = "";

/** Who is at the page. A login link leads here with a claim, which is taken out of the address before it is used. */
export async function whoAmI(): Promise<Me> {
  const { hash, pathname, search } = location;
  if (hash.startsWith(claimMark)) {
    history.replaceState(history.state, "", `${pathname}${search}`);
    try {
      return await logIn({ claim: hash.slice(claimMark.length) });
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
    }
  }
  return api<Me>("GET", "/me");
}

export async function logIn(by: { readonly token: string } | { readonly claim: string }): Promise<Me> {
  const { csrf_token, ...who } = await api<Me & { readonly csrf_token: string }>("POST", "/login", by);
  storeCsrf(csrf_token);
  return who;
}

/** The token goes even if the server cannot be reached: without it the cookie is worth nothing. */
export async function logOut(): Promise<void> {
  await api("POST", "/logout").catch(() => {});
  storeCsrf("");
}

/** Read anew each time: another tab may have logged in or out. */
export function csrfToken(): string {
  try {
    return localStorage.getItem(csrfPlace) ?? unstored;
  } catch {
    return unstored;
  }
}

function storeCsrf(token: string): void {
  unstored = "";
  try {
    if (token === "") localStorage.removeItem(csrfPlace);
    else localStorage.setItem(csrfPlace, token);
  } catch {
    unstored = token;
  }
}

/** An address for a frame or a download, which cannot send a header. It works once, and soon no more. */
export async function ticketFor(path: string): Promise<string> {
  return (await api<{ readonly url: string }>("POST", "/tickets", { path })).url;
}

export async function api<T>(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        "x-csrf-token": csrfToken(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      credentials: "same-origin",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "offline", "Karyi does not answer.");
  }
  if (!answer.ok) throw await errorOf(answer);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

export async function errorOf(answer: Response): Promise<ApiError> {
  const body = (await answer.json().catch(() => undefined)) as
    | { readonly error?: { readonly code?: string; readonly message?: string; readonly details?: Record<string, unknown> } }
    | undefined;
  return new ApiError(answer.status, body?.error?.code ?? "unknown", body?.error?.message ?? answer.statusText, body?.error?.details);
}

export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join("/")}`;
}
