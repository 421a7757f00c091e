/**
 * What the server tells of itself. One JSON line each (pino) for files and collectors; on a terminal, where a person
 * reads, only warnings and errors, as plain lines. What may be secret never gets here: no header, no body, no query.
 */
import { pino } from "pino";
import type { GatewayLog } from "../../gateway/index.ts";

type LogTarget = NodeJS.WritableStream & { readonly isTTY?: boolean };

export function createServerLog(to: LogTarget | undefined): GatewayLog {
  if (to === undefined) return { info: () => {}, warn: () => {}, error: () => {} };
  if (to.isTTY === true) return terminalLog(to);
  const log = pino({ name: "karyi", base: { pid: process.pid } }, { write: (line: string) => void to.write(line) });
  return {
    info: (facts, message) => log.info(facts, message),
    warn: (facts, message) => log.warn(facts, message),
    error: (facts, message) => log.error(facts, message),
  };
}

function terminalLog(to: LogTarget): GatewayLog {
  const tell = (message: string, facts: readonly unknown[]): void => {
    const known = facts.filter((fact) => typeof fact === "string" && fact !== "");
    to.write(`! ${[message, ...known].join(" · ").replaceAll(/\p{Cc}+/gu, " ")}\n`);
  };
  return {
    info: () => {},
    warn: ({ cause, ...facts }, message) => tell(message, [...Object.values(facts), cause]),
    error: ({ err, path, request_id: id }, message) => tell(message, [path, err instanceof Error ? err.message : String(err), id]),
  };
}
