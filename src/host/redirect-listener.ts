/** A listener on loopback that a browser comes back to after a login. Takes one request: the one that carries the right `state`. */
import { timingSafeEqual } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const path = "/callback";
const goodbyeMs = 500;
const done = "You can close this page and go back to Karyi. / 可以关闭此页，回到 Karyi。\n";
const other = "This page belongs to no login. / 此页不属于任何登录。\n";

/** `port` 0: any free one. */
export async function listenForRedirect(port: number) {
  let expected: { readonly state: string; readonly resolve: (params: URLSearchParams) => void } | undefined;
  const server = createServer({ maxHeaderSize: 32 * 1024 }, ({ url = "", method }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const isExpected = method === "GET" && pathname === path && expected !== undefined && isSame(searchParams.get("state"), expected.state);
    answer(response, isExpected ? 200 : 400, isExpected ? done : other);
    if (!isExpected) return;
    expected?.resolve(searchParams);
    expected = undefined;
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    arrived(state: string, signal: AbortSignal): Promise<URLSearchParams> {
      return new Promise((resolve, reject) => {
        const abandon = () => reject(signal.reason);
        if (signal.aborted) return abandon();
        signal.addEventListener("abort", abandon, { once: true });
        expected = { state, resolve };
      });
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        // A browser may hold a connection on which it never asked.
        setTimeout(() => server.closeAllConnections(), goodbyeMs).unref();
      }),
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  response.end(text);
}

function isSame(given: string | null, state: string): boolean {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(state)];
  return a.length === b.length && timingSafeEqual(a, b);
}
