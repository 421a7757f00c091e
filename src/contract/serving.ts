/** What a server front needs of the machine: an answer that is written bit by bit, and a connection that both sides write to. */

/** The bytes of one answer that is still being written. Nothing is buffered beyond what the socket takes. */
export interface ByteSink {
  /** False if the other side is behind: nothing more should be written before `onDrain`. */
  write(bytes: string | Uint8Array): boolean;
  onDrain(listener: () => void): void;
  /** Called once, whoever ended it. */
  onClose(listener: () => void): void;
  end(): void;
  /** Drops what was not sent yet. */
  destroy(): void;
}

/** What is known of the connection that a request came on. */
export interface Connection {
  readonly remoteAddress: string;
  /** Set on whatever is answered; a header of the answer itself wins. */
  header(name: string, value: string): void;
  /** Sends a whole answer at once. */
  answer(status: number, headers: Readonly<Record<string, string>>, body: string): void;
  /** Begins an answer that is written bit by bit. */
  stream(status: number, headers: Readonly<Record<string, string>>): ByteSink;
  /** Aborted if the client goes away before the answer is whole. */
  readonly gone: AbortSignal;
}

/** A connection that both sides write to (a terminal). */
export interface Duplex {
  send(data: string | Uint8Array): void;
  /** Bytes that the other side has not taken yet. */
  readonly behindBytes: number;
  onMessage(listener: (data: Uint8Array, isText: boolean) => void): void;
  onClose(listener: () => void): void;
  close(code: number, reason: string): void;
}

/** A request to turn a connection into a `Duplex`, before anything was agreed to. */
export interface UpgradeRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
}

export type UpgradeAnswer =
  | { readonly kind: "accepted"; readonly protocol?: string; connected(duplex: Duplex): void }
  | { readonly kind: "refused"; readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> };

/** Whoever stands behind a request that was let in. */
export interface Principal {
  readonly user: string;
  readonly scopes: ReadonlySet<"read" | "call" | "approve" | "admin">;
  /** Name of the token. */
  readonly token: string;
}

/** Answers the requests of one path (`/mcp`) after host, origin, token, rate and body were checked. */
export type MountedHandler = (request: Request, principal: Principal) => Promise<Response>;
