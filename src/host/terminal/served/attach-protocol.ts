/**
 * What goes over the socket of a terminal: frames of a type, a length and bytes. The first frame of a connection is its
 * hello, answered by a welcome; these two are read by every version, so that another version can at least be told what is
 * wrong. Bounded: a frame longer than any that is sent here ends the connection, and so does a long one before the hello.
 */
import type { TerminalState } from "../../../contract/index.ts";
import type { TerminalSize } from "../terminal-types.ts";

/** Counted up whenever a frame or a message after the welcome changes. */
export const protocolVersion = 1;

/** Output and its first paint go to a person; input and window sizes come from there; messages are calls and their answers. */
export type FrameType = "output" | "input" | "size" | "hello" | "welcome" | "message";

/** `look` only reads the welcome, `close` ends the terminal: these two work between any versions. */
export type Purpose = "watch" | "call" | "look" | "close";

export interface Hello {
  readonly version: number;
  readonly token: string;
  readonly purpose: Purpose;
}

export interface Welcome {
  readonly version: number;
  readonly pid: number;
  /** By a process of its own, and not by one that will take the terminal along when it ends. */
  readonly kept: boolean;
  /** Why the connection ends here. */
  readonly refused?: "token" | "version";
  /** For who came to look. */
  readonly state?: Pick<TerminalState, "state" | "waiting" | "program" | "cwd">;
  /** For who watches: the window that the output is made for. */
  readonly size?: TerminalSize;
}

const codes: Readonly<Record<FrameType, number>> = {
  output: 0x6f,
  input: 0x69,
  size: 0x73,
  hello: 0x68,
  welcome: 0x77,
  message: 0x6d,
};
const types = new Map(Object.entries(codes).map(([type, code]) => [code, type as FrameType]));
const headBytes = 5;
const maxHelloBytes = 16 * 1024;
/** More than the longest command, environment or answer there can be. */
export const maxFrameBytes = 32 * 1024 * 1024;

export function encodeFrame(type: FrameType, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + payload.length);
  frame.writeUInt8(codes[type], 0);
  frame.writeUInt32BE(payload.length, 1);
  frame.set(payload, headBytes);
  return frame;
}

export function encodeJson(type: "hello" | "welcome" | "message", value: unknown): Buffer {
  return encodeFrame(type, Buffer.from(JSON.stringify(value)));
}

/** `undefined`: not what this protocol sends. */
export function decodeJson<T>(payload: Buffer): T | undefined {
  try {
    const value: unknown = JSON.parse(payload.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

export function encodeSize(rows: number, columns: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt16BE(Math.min(rows, 0xffff), 0);
  payload.writeUInt16BE(Math.min(columns, 0xffff), 2);
  return encodeFrame("size", payload);
}

export function decodeSize(payload: Buffer): { readonly rows: number; readonly columns: number } | undefined {
  return payload.length === 4 ? { rows: payload.readUInt16BE(0), columns: payload.readUInt16BE(2) } : undefined;
}

export class FrameReader {
  #chunks: Buffer[] = [];
  #length = 0;
  #needed = headBytes;
  #limit = maxHelloBytes;

  /** After the hello: whoever is there may send what is long. */
  trust(): void {
    this.#limit = maxFrameBytes;
  }

  /** Hands over whole frames; false: this is not the protocol, and nothing more will be read. */
  push(chunk: Buffer, onFrame: (type: FrameType, payload: Buffer) => void): boolean {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    // Pieces of a long frame are joined once, when it is whole.
    if (this.#length < this.#needed) return true;
    let held = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#needed = headBytes;
    while (held.length >= headBytes) {
      const type = types.get(held.readUInt8(0));
      const length = held.readUInt32BE(1);
      if (type === undefined || length > this.#limit) return false;
      if (held.length < headBytes + length) {
        this.#needed = headBytes + length;
        break;
      }
      const payload = held.subarray(headBytes, headBytes + length);
      held = held.subarray(headBytes + length);
      onFrame(type, payload);
    }
    this.#chunks = [held];
    this.#length = held.length;
    return true;
  }
}
