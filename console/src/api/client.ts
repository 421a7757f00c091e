/** Requests to `/api/v1`: the cookie says who, the CSRF token says that this page asks. A failure is an `ApiError` with its code. */
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
let csrf = "";

/** Who is at the page; also where the CSRF token comes from. */
export async function whoAmI(): Promise<Me> {
  const me = await api<Me>("GET", "/me");
  csrf = me.csrf_token ?? "";
  return me;
}

export async function logIn(token: string): Promise<Me> {
  const me = await api<Me>("POST", "/login", { token });
  csrf = me.csrf_token ?? "";
  return me;
}

export async function api<T>(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "GET" ? {} : { "x-csrf-token": csrf }),
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
