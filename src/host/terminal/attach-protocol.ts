/**
 * What goes over the socket between a terminal and a person who joined it: frames of a type, a length and bytes.
 * Bounded: a frame longer than any that is sent here ends the connection.
 */

/** Output and its first paint go to the person; input and window sizes come from there. */
export type FrameType = "output" | "input" | "size";

const codes: Readonly<Record<FrameType, number>> = { output: 0x6f, input: 0x69, size: 0x73 };
const types = new Map(Object.entries(codes).map(([type, code]) => [code, type as FrameType]));
const headBytes = 5;
export const maxFrameBytes = 1024 * 1024;

export function encodeFrame(type: FrameType, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(headBytes + payload.length);
  frame.writeUInt8(codes[type], 0);
  frame.writeUInt32BE(payload.length, 1);
  frame.set(payload, headBytes);
  return frame;
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
  #held: Buffer = Buffer.alloc(0);

  /** Hands over whole frames; false: this is not the protocol, and nothing more will be read. */
  push(chunk: Buffer, onFrame: (type: FrameType, payload: Buffer) => void): boolean {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    while (this.#held.length >= headBytes) {
      const type = types.get(this.#held.readUInt8(0));
      const length = this.#held.readUInt32BE(1);
      if (type === undefined || length > maxFrameBytes) return false;
      if (this.#held.length < headBytes + length) return true;
      const payload = this.#held.subarray(headBytes, headBytes + length);
      this.#held = this.#held.subarray(headBytes + length);
      onFrame(type, payload);
    }
    return true;
  }
}
