/** What a model server says to one request, in a form that both wire formats are written from. */

interface ReplyCall {
  readonly id?: string;
  readonly name: string;
  /** Text of the input as it streams; anything else is written as JSON. */
  readonly input: unknown;
}

export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ReplyCall[];
  /** Default by what is in it. */
  readonly stop?: "end" | "calls" | "length" | "refusal";
  readonly usage?: { readonly input?: number; readonly output?: number; readonly cacheRead?: number; readonly cacheWrite?: number };
  /**
   * `status`: an HTTP error. `reset`: the connection is torn after the text. `early`: a clean end without the last event.
   * `silent`: nothing more comes. `error`: an error event. `garbage`: an event that is no JSON.
   */
  readonly fault?: "reset" | "early" | "silent" | "error" | "garbage" | "hang";
  /** An event of a kind that no client knows yet, before the text. */
  readonly news?: boolean;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** Resolves before the end of the answer is sent. */
  readonly until?: () => Promise<unknown>;
}

/** Chunks of a text, so that it really streams. */
export function chunks(text: string, size = 7): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
}

export function inputText(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}
