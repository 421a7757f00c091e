/**
 * The SDK's transport over a process that the host started. Owns what a server prints that is no message: stray lines are let
 * pass, a message that is broken ends the connection, and so does a server that says nothing else.
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { maxMessageBytes, tooLongText } from "./message-limit.ts";

/** A program that is talked to by lines. */
export interface LineProcess {
  write(text: string): void;
  onData(listener: (chunk: Buffer) => void): void;
  readonly exited: Promise<{ readonly how: string; readonly stderr: string }>;
  end(): Promise<void>;
}

/** Why a connection ended. */
export interface Ending {
  readonly reason: "nonsense" | "too_long" | "server_ended";
  readonly why: string;
}

/** So long a server that printed something else first may take to say something that can be understood. */
const patienceMs = 2_000;

export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why the connection ended, if it was not closed here. */
  ended: Ending | undefined;
  /** The last line that was no message. */
  nonsense: string | undefined;
  readonly #process: LineProcess;
  #rest: Buffer[] = [];
  #restLength = 0;
  readonly #arrived: JSONRPCMessage[] = [];
  #understood = false;
  #impatience: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(process: LineProcess) {
    this.#process = process;
  }

  async start(): Promise<void> {
    this.#process.onData((chunk) => this.#take(chunk));
    void this.#process.exited.then(({ how, stderr }) => {
      this.#fail("server_ended", stderr === "" ? how : `${how}; it printed: ${stderr.slice(-500)}`);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error(this.ended?.why ?? "the connection is closed");
    this.#process.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#finish();
    await this.#process.end();
  }

  #take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0 && !this.#closed; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(from, end)]);
      this.#rest = [];
      this.#restLength = 0;
      if (line.length > maxMessageBytes) this.#fail("too_long", tooLongText);
      else this.#line(line.toString("utf8"));
      from = end + 1;
    }
    if (from < chunk.length) {
      this.#rest.push(chunk.subarray(from));
      this.#restLength += chunk.length - from;
      if (this.#restLength > maxMessageBytes) this.#fail("too_long", tooLongText);
    }
  }

  #line(line: string): void {
    if (line.trim() === "") return;
    const message = messageOf(line);
    if (message !== undefined) {
      this.#understood = true;
      clearTimeout(this.#impatience);
      this.#arrived.push(message);
      if (this.#arrived.length === 1) void this.#deliver();
      return;
    }
    this.nonsense = line.slice(0, 200);
    if (/^\s*[[{]/.test(line)) this.#fail("nonsense", `it answered nonsense: ${this.nonsense}`);
    else if (!this.#understood)
      this.#impatience ??= setTimeout(() => this.#fail("nonsense", `it answered nonsense: ${this.nonsense}`), patienceMs);
  }

  /** The SDK drops progress whose answer comes in the same breath, so whatever follows a notification waits a moment. */
  async #deliver(): Promise<void> {
    for (let [message] = this.#arrived; message !== undefined; [message] = this.#arrived) {
      this.onmessage?.(message);
      if (!("id" in message)) await new Promise((resolve) => setImmediate(resolve));
      this.#arrived.shift();
    }
  }

  #fail(reason: Ending["reason"], why: string): void {
    if (this.#closed) return;
    this.ended = { reason, why };
    this.#rest = [];
    this.#finish();
    void this.#process.end();
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#impatience);
    this.onclose?.();
  }
}

function messageOf(line: string): JSONRPCMessage | undefined {
  try {
    const value = JSON.parse(line) as { readonly jsonrpc?: unknown; readonly method?: unknown; readonly id?: unknown };
    const isMessage = value?.jsonrpc === "2.0" && (typeof value.method === "string" || "result" in value || "error" in value);
    return isMessage ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}
