/**
 * Serves a live terminal on a Unix socket, so that a person can watch and type. Only the owner can reach it:
 * the directory has mode 0700 and the socket 0600. A slow watcher misses output and is painted anew; it never
 * holds the terminal up.
 */
import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { ToolFailure } from "../../contract/index.ts";
import { decodeSize, encodeFrame, FrameReader, maxFrameBytes } from "./attach-protocol.ts";
import type { TerminalView } from "./terminal-types.ts";

/** What a watcher may be behind before it misses something. */
const maxBehind = 4 * 1024 * 1024;
/** The longest path every system takes for a socket. */
const maxPath = 100;

export interface ServedTerminal {
  readonly path: string;
  close(): Promise<void>;
}

export async function serveTerminal(view: TerminalView, path: string): Promise<ServedTerminal> {
  if (Buffer.byteLength(path) > maxPath) {
    throw new ToolFailure("tool_error", "The path of the terminal's socket is too long for the system.", {
      hint: "Set KARYI_HOME to a shorter path.",
      details: { reason: "socket_path_too_long", path },
    });
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  refuseOpenDirectory(dirname(path));
  await removeStale(path);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    join(view, socket);
  });
  await listen(server, path);
  chmodSync(path, 0o600);
  // Somebody who may join does not keep the process alive.
  server.unref();
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
        rmSync(path, { force: true });
      }),
  };
}

function join(view: TerminalView, socket: Socket): void {
  const reader = new FrameReader();
  let behind = false;
  const send = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += maxFrameBytes) socket.write(encodeFrame("output", bytes.subarray(at, at + maxFrameBytes)));
  };
  const stop = view.watch((bytes) => {
    behind ||= socket.writableLength > maxBehind;
    if (!behind) send(bytes);
  });
  socket.on("drain", () => {
    if (!behind) return;
    behind = false;
    send(Buffer.from(view.paint()));
  });
  socket.on("data", (chunk) => {
    const understood = reader.push(chunk, (type, payload) => {
      if (type === "input") view.type(payload);
      const size = type === "size" ? decodeSize(payload) : undefined;
      if (size) view.resize(size.rows, size.columns);
    });
    if (!understood) socket.destroy();
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", stop);
  send(Buffer.from(view.paint()));
}

function refuseOpenDirectory(directory: string): void {
  const { mode, uid } = lstatSync(directory);
  const mine = process.getuid?.() === undefined || uid === process.getuid();
  if (mine && (mode & 0o077) === 0) return;
  throw new ToolFailure("tool_error", `The directory ${directory} is open to others; a terminal is not served there.`, {
    hint: `chmod 700 ${directory}`,
    details: { reason: "open_directory" },
  });
}

/** Removes the socket of a process that is gone; a live one is left alone. */
async function removeStale(path: string): Promise<void> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isSocket() && (await answers(path))) {
    throw new ToolFailure("tool_conflict", "This terminal is served already.", { details: { reason: "already_served" } });
  }
  rmSync(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
