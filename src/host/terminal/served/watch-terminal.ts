/** A live terminal for a front that shows it elsewhere: bytes out, keys and window size in. Refuses to start one. */
import type { TerminalSize } from "../terminal-types.ts";
import { joinTerminal } from "./attach-join.ts";
import { encodeFrame, encodeSize } from "./attach-protocol.ts";

export interface WatchedTerminal {
  /** At the moment of joining. */
  readonly size?: TerminalSize;
  type(bytes: Uint8Array): void;
  resize(rows: number, columns: number): void;
  end(): void;
}

/** `undefined`: no terminal is live there. The first output paints the screen as it is. */
export async function watchTerminal(
  path: string,
  on: { output(bytes: Uint8Array): void; closed(): void },
): Promise<WatchedTerminal | undefined> {
  const joined = await joinTerminal(path, "watch", (type, payload) => {
    if (type === "output") on.output(payload);
  });
  if (joined === undefined) return undefined;
  void joined.closed.then(() => on.closed());
  const { size } = joined.welcome;
  return {
    ...(size && { size }),
    type: (bytes) => joined.send(encodeFrame("input", bytes)),
    resize: (rows, columns) => joined.send(encodeSize(rows, columns)),
    end: () => joined.end(),
  };
}
