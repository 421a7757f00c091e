/**
 * Serves a terminal on a Unix socket: people watch it and type, other processes of the same user call it. Only the owner
 * can reach it (the directory has mode 0700 and the socket 0600), and only with the token of the home. A slow watcher
 * misses output and is painted anew; it never holds the terminal up.
 */
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { claimPath } from "./attach-claim.ts";
import { isToken, preparePlace } from "./attach-place.ts";
import {
  decodeJson,
  decodeSize,
  encodeFrame,
  encodeJson,
  FrameReader,
  type FrameType,
  type Hello,
  protocolVersion,
  type Welcome,
} from "./attach-protocol.ts";
import { RemoteCalls } from "./remote-calls.ts";
import type { FromCaller } from "./remote-messages.ts";
import type { SharedTerminal } from "./shared-terminal.ts";

/** What a watcher may be behind before it misses something. */
const maxBehind = 4 * 1024 * 1024;
const outputBytes = 1024 * 1024;
/** Who does not say hello is not a client. */
const helloMs = 10_000;

export interface ServedTerminal {
  readonly path: string;
  /** Who said hello and is still there. */
  clients(): number;
  /** The path still leads here: it can be reached. */
  holds(): boolean;
  /** First it cannot be reached any more, then its shell ends with everything in it, then who is there is let go. */
  end(): Promise<void>;
}

export interface ServingOptions {
  /** By a process that does nothing else. */
  readonly kept: boolean;
  /** Somebody wants the terminal to end. */
  onCloseAsked(): void;
}

type Receive = (type: FrameType, payload: Buffer) => void;

export async function serveTerminal(terminal: SharedTerminal, path: string, options: ServingOptions): Promise<ServedTerminal> {
  const token = preparePlace(dirname(path));
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();

  const welcome = (more: Partial<Welcome> = {}): Buffer =>
    encodeJson("welcome", { version: protocolVersion, pid: process.pid, kept: options.kept, ...more } satisfies Welcome);

  const greet = (socket: Socket, { token: given, version, purpose }: Hello): Receive | undefined => {
    if (!isToken(token, given)) {
      socket.end(welcome({ refused: "token" }));
      return undefined;
    }
    if (purpose === "close") {
      socket.write(welcome(), () => options.onCloseAsked());
      return () => {};
    }
    if (purpose === "look") {
      void look(terminal).then((state) => socket.end(welcome({ state })));
      return () => {};
    }
    if (version !== protocolVersion) {
      socket.end(welcome({ refused: "version" }));
      return undefined;
    }
    clients.add(socket);
    socket.write(welcome({ size: terminal.size }));
    return purpose === "call" ? call(terminal, socket) : watch(terminal, socket);
  };

  const server = createServer((socket) => {
    const reader = new FrameReader();
    const late = setTimeout(() => socket.destroy(), helloMs);
    let receive: Receive = (type, payload) => {
      clearTimeout(late);
      const hello = type === "hello" ? decodeJson<Hello>(payload) : undefined;
      receive = () => {};
      if (!hello) return void socket.destroy();
      receive = greet(socket, hello) ?? receive;
      reader.trust();
    };
    sockets.add(socket);
    socket.on("close", () => {
      clearTimeout(late);
      sockets.delete(socket);
      clients.delete(socket);
    });
    socket.on("data", (chunk) => {
      if (!reader.push(chunk, (type, payload) => receive(type, payload))) socket.destroy();
    });
    socket.on("error", () => socket.destroy());
  });
  const claimed = await claimPath(server, path).catch((error: unknown) => {
    server.close();
    throw error;
  });
  if (claimed.tookOver) terminal.tellRestart();
  // Somebody who may join does not keep the process alive.
  server.unref();
  return {
    path,
    clients: () => clients.size,
    holds: claimed.holds,
    end: () =>
      new Promise((resolve) => {
        claimed.release();
        terminal.close();
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

async function look(terminal: SharedTerminal): Promise<NonNullable<Welcome["state"]>> {
  const { state, waiting, program, cwd } = await terminal.of({}).peek();
  return {
    state,
    ...(waiting === undefined ? {} : { waiting }),
    ...(program === undefined ? {} : { program }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function call(terminal: SharedTerminal, socket: Socket): Receive {
  const calls = new RemoteCalls(terminal, (message) => {
    if (socket.writable) socket.write(encodeJson("message", message));
  });
  socket.on("close", () => calls.leave());
  return (type, payload) => {
    const message = type === "message" ? decodeJson<FromCaller>(payload) : undefined;
    if (message) calls.receive(message);
    else socket.destroy();
  };
}

function watch(terminal: SharedTerminal, socket: Socket): Receive {
  let behind = false;
  const send = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += outputBytes) socket.write(encodeFrame("output", bytes.subarray(at, at + outputBytes)));
  };
  const stop = terminal.watch((bytes) => {
    behind ||= socket.writableLength > maxBehind;
    if (!behind) send(bytes);
  });
  socket.on("drain", () => {
    if (!behind) return;
    behind = false;
    send(Buffer.from(terminal.paint()));
  });
  socket.on("close", stop);
  send(Buffer.from(terminal.paint()));
  return (type, payload) => {
    if (type === "input") terminal.type(payload);
    const size = type === "size" ? decodeSize(payload) : undefined;
    if (size) terminal.resize(size.rows, size.columns);
  };
}
