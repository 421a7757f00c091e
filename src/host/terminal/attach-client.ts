/**
 * The person's side of a live terminal: shows it, forwards keys and window size, and leaves with Ctrl-]. The
 * person's own terminal is put back as it was, however this ends.
 */
import { createConnection } from "node:net";
import type { Readable, Writable } from "node:stream";
import { ToolFailure } from "../../contract/index.ts";
import { encodeFrame, encodeSize, FrameReader } from "./attach-protocol.ts";

const detachKey = 0x1d;

export interface AttachInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

export interface AttachOutput extends Writable {
  readonly isTTY?: boolean;
  readonly rows?: number;
  readonly columns?: number;
}

/** Leaves the alternate screen, shows the cursor, ends colours, cursor keys and scroll region as usual. */
const restore = "\x1b[?1049l\x1b[?1l\x1b[?25h\x1b[?2004l\x1b[m\x1b[r\x1b[999B\r\n";

/** Resolves when the person left, or the terminal was closed. */
export function attachTerminal(path: string, stdin: AttachInput, stdout: AttachOutput): Promise<"detached" | "closed"> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const reader = new FrameReader();
    let connected = false;
    const sendSize = () => {
      if (stdout.isTTY && stdout.rows && stdout.columns) socket.write(encodeSize(stdout.rows, stdout.columns));
    };
    const onKeys = (chunk: Buffer | string) => {
      const bytes = Buffer.from(chunk);
      const leave = bytes.indexOf(detachKey);
      const typed = leave < 0 ? bytes : bytes.subarray(0, leave);
      if (typed.length > 0) socket.write(encodeFrame("input", typed));
      if (leave >= 0) end("detached");
    };
    const leaveWithInput = () => end("detached");
    const end = (how: "detached" | "closed") => {
      stdin.off("data", onKeys);
      stdin.off("end", leaveWithInput);
      stdout.off("resize", sendSize);
      stdin.setRawMode?.(false);
      stdin.pause();
      if (stdout.isTTY) stdout.write(restore);
      socket.removeAllListeners("close");
      socket.end();
      resolve(how);
    };
    socket.on("connect", () => {
      connected = true;
      stdin.setRawMode?.(true);
      stdin.on("data", onKeys);
      stdin.on("end", leaveWithInput);
      stdin.resume();
      stdout.on("resize", sendSize);
      sendSize();
    });
    socket.on("data", (chunk) => {
      const understood = reader.push(chunk, (type, payload) => {
        if (type === "output") stdout.write(payload);
      });
      if (!understood) socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (connected) return;
      socket.removeAllListeners("close");
      const nobody = error.code === "ENOENT" || error.code === "ECONNREFUSED";
      reject(
        new ToolFailure("tool_error", nobody ? "No live terminal is served for this session." : "The live terminal cannot be reached.", {
          hint: "A terminal is live while the process that runs the session is.",
          details: { reason: nobody ? "no_terminal" : "not_reached" },
          cause: error,
        }),
      );
    });
    socket.on("close", () => end("closed"));
  });
}
