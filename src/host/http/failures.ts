/** What goes wrong on the network, as failures that keep why: too slow, refused, unreachable, broken on the way. */
import { parsedUrl, ToolFailure } from "../../contract/index.ts";

export function refused(message: string, details: Record<string, string> = {}): ToolFailure {
  return new ToolFailure("permission_denied", message, {
    hint: "Only public web addresses are fetched. The person can open a local one with web.allowPrivate.",
    details: { reason: "refused_address", ...details },
  });
}

export function tooSlow(url: string, timeoutMs: number): ToolFailure {
  return new ToolFailure("timeout", `${hostOf(url)} did not deliver the page within ${timeoutMs / 1000} s.`, {
    hint: "Try again, give a longer timeout (120 s at most), or use another source.",
    details: { reason: "timeout" },
  });
}

export function broken(url: string, why: string, cause?: unknown): ToolFailure {
  return new ToolFailure("tool_error", `The transfer from ${hostOf(url)} broke: ${why}.`, {
    details: { reason: "broken_transfer" },
    ...(cause === undefined ? {} : { cause }),
  });
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it refuses connections",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "its name cannot be resolved now",
  EHOSTUNREACH: "it cannot be reached",
  ENETUNREACH: "there is no network to it",
  ETIMEDOUT: "it does not answer",
  ENODATA: "its name has no address",
};

const transferCodes =
  /^(?:UND_ERR_(?:SOCKET|RES_CONTENT_LENGTH_MISMATCH|HEADERS_OVERFLOW|ABORTED|CLOSED|DESTROYED)|HPE_|ECONNRESET|EPIPE|Z_|ERR__?ERROR|ERR_)/;

/** Any error of the client or of a decompressor as a failure; failures made on purpose stay as they are. */
export function asNetworkFailure(error: unknown, url: string, timeoutMs: number): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const { code = "", message = String(error) } = (error ?? {}) as { code?: string; message?: string };
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT" || code === "UND_ERR_CONNECT_TIMEOUT")
    return tooSlow(url, timeoutMs);
  const known = unreachable[code] ?? unreachable[(error as { errors?: { code?: string }[] })?.errors?.[0]?.code ?? ""];
  if (known === undefined && transferCodes.test(code) && !/^ERR_TLS|^ERR_SSL/.test(code)) return broken(url, plain(message), error);
  return new ToolFailure("tool_error", `${hostOf(url)} cannot be fetched: ${known ?? plain(message)}.`, {
    details: { reason: "network", ...(code === "" ? {} : { code }) },
    cause: error,
  });
}

function plain(message: string): string {
  return message.split("\n", 1)[0]?.slice(0, 200).replace(/\.$/, "") ?? "";
}

function hostOf(url: string): string {
  return parsedUrl(url)?.host ?? url.slice(0, 100);
}
