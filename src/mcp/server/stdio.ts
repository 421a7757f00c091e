/** A surface on two streams, as `karyi mcp` is used. Ends with its input. */
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "./create-server.ts";
import type { Surface } from "./surface.ts";

/** A client may hand over whole files. */
const maxMessageBytes = 64 * 1024 * 1024;

export interface StdioServing {
  /** Resolves when the client closed its end, or `close` was called. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export function serveOnStreams(surface: Surface, input: Readable, output: Writable, onError: (error: Error) => void): StdioServing {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: maxMessageBytes });
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close"]) input.once(event, () => resolve());
    output.once("error", () => resolve());
    if (input.readableEnded || input.destroyed) resolve();
  });
  const handle = serveStdio(({ era }) => createServer(surface, era), { transport, onerror: onError });
  return { ended, close: () => handle.close() };
}
