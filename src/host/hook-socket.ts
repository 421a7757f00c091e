/**
 * The socket of the process that answers hooks, and the file by which curl finds it: in the private place of a home, with
 * its token. The file names the socket relative to itself, so that the home's path may be long. Knows nothing of hooks.
 */
import { rmSync } from "node:fs";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { basename, dirname, join } from "node:path";
import { isToken, preparePlace, withShortPath } from "./terminal/served/attach-place.ts";

export interface HookSocket {
  /** False as soon as another process took its place, or its home is gone. */
  holds(): Promise<boolean>;
  close(): Promise<void>;
}

export interface HookServing {
  /** The file for curl. */
  readonly path: string;
  /** How long whoever asks waits. */
  readonly patienceSeconds: number;
  /** `undefined`: it has no answer, and whoever asked finds one otherwise. */
  answer(body: Buffer): Promise<string | undefined>;
}

const maxBytes = 64 * 1024 * 1024;

/** The newest one is found; those before it end by themselves. */
export async function serveHooks({ path, patienceSeconds, answer }: HookServing): Promise<HookSocket> {
  const directory = dirname(path);
  const token = preparePlace(directory);
  const socket = join(directory, `hook-${process.pid}.sock`);
  const server = createServer((request, response) => void reply(request, response, token, answer));
  await rm(socket, { force: true });
  await withShortPath(
    socket,
    (short) =>
      new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(short, resolve);
      }),
  );
  const text = curlFile({ socket: basename(socket), token, patienceSeconds });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
  const holds = async () => (await readFile(path, "utf8").catch(() => undefined)) === text;
  process.once("exit", () => rmSync(socket, { force: true }));
  return {
    holds,
    close: async () => {
      if (await holds()) await rm(path, { force: true });
      await new Promise((resolve) => server.close(resolve));
      await rm(socket, { force: true });
    },
  };
}

/** What tells one state of these files from another. */
export async function stampOf(paths: readonly string[]): Promise<string> {
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return stats.map((found) => (found === undefined ? "-" : `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}`)).join(" ");
}

function curlFile({ socket, token, patienceSeconds }: Pick<HookServing, "patienceSeconds"> & { socket: string; token: string }): string {
  return [
    `unix-socket = "${socket}"`,
    'url = "http://karyi/"',
    `header = "authorization: Bearer ${token}"`,
    'header = "content-type: application/octet-stream"',
    'header = "expect:"',
    'noproxy = "*"',
    "silent",
    `max-time = ${patienceSeconds}`,
    "",
  ].join("\n");
}

async function reply(request: IncomingMessage, response: ServerResponse, token: string, answer: HookServing["answer"]): Promise<void> {
  const end = (status: number, text = "") => response.writeHead(status, { connection: "close" }).end(text);
  try {
    const given = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (!isToken(token, given)) return void end(401);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return void end(413);
      chunks.push(chunk);
    }
    const text = await answer(Buffer.concat(chunks));
    end(text === undefined ? 503 : 200, text);
  } catch {
    // Whoever asked is gone, or finds no answer here.
    response.destroy();
  }
}
