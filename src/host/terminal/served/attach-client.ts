/**
 * The person's side of a live terminal: shows it, forwards keys and window size, and leaves with Ctrl-]. The
 * person's own terminal is put back as it was, however this ends.
 */
import type { Readable, Writable } from "node:stream";
import { ToolFailure } from "../../../contract/index.ts";
import { joinTerminal } from "./attach-join.ts";
import { encodeFrame, encodeSize } from "./attach-protocol.ts";

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

/** Resolves when the person left, or the terminal was closed. `notice` stands over the screen until the first key. */
export async function attachTerminal(path: string, stdin: AttachInput, stdout: AttachOutput, notice = ""): Promise<"detached" | "closed"> {
  let ended = false;
  let hasTyped = notice === "";
  const joined = await joinTerminal(path, "watch", (type, payload) => {
    if (type !== "output" || ended) return;
    stdout.write(payload);
    // The screen is painted over whatever was said before.
    if (!hasTyped) stdout.write(inCorner(notice, stdout.columns));
  });
  if (!joined) {
    throw new ToolFailure("tool_error", "No live terminal is served for this session.", {
      hint: "It begins with the first call of Terminal.",
      details: { reason: "no_terminal" },
    });
  }
  return new Promise((resolve) => {
    const sendSize = () => {
      if (stdout.isTTY && stdout.rows && stdout.columns) joined.send(encodeSize(stdout.rows, stdout.columns));
    };
    const onKeys = (chunk: Buffer | string) => {
      const bytes = Buffer.from(chunk);
      const leave = bytes.indexOf(detachKey);
      const typed = leave < 0 ? bytes : bytes.subarray(0, leave);
      hasTyped = true;
      if (typed.length > 0) joined.send(encodeFrame("input", typed));
      if (leave >= 0) end("detached");
    };
    const leaveWithInput = () => end("detached");
    const end = (how: "detached" | "closed") => {
      if (ended) return;
      ended = true;
      stdin.off("data", onKeys);
      stdin.off("end", leaveWithInput);
      stdout.off("resize", sendSize);
      stdin.setRawMode?.(false);
      stdin.pause();
      if (stdout.isTTY) stdout.write(restore);
      joined.end();
      resolve(how);
    };
    stdin.setRawMode?.(true);
    stdin.on("data", onKeys);
    stdin.on("end", leaveWithInput);
    stdin.resume();
    stdout.on("resize", sendSize);
    sendSize();
    void joined.closed.then(() => end("closed"));
  });
}

/** At the end of the first row, where no prompt is; the cursor stays. */
function inCorner(text: string, columns = 0): string {
  const width = [...text].reduce((sum, character) => sum + ((character.codePointAt(0) ?? 0) < 0x2e80 ? 1 : 2), 2);
  return `\x1b7\x1b[1;${Math.max(1, columns - width + 1)}H\x1b[7m ${text} \x1b[m\x1b8`;
}
