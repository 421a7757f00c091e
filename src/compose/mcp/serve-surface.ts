/** A surface on a loopback port without a token: for fixtures and for programs that stand behind a gateway of their own. */
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { serveHttp } from "../../host/server/index.ts";
import { HttpFront, type Surface } from "../../mcp/server/index.ts";

const maxBodyBytes = 10 * 1024 * 1024;

export async function serveSurface({
  surface,
  port,
  log,
}: {
  readonly surface: Surface;
  /** 0: any free one. */
  readonly port: number;
  log(message: string): void;
}): Promise<{ readonly address: string; close(): Promise<void> }> {
  const front = new HttpFront({ surface: async () => surface, maxBodyBytes, now: Date.now, log });
  const server = await serveHttp({
    host: "127.0.0.1",
    port,
    maxHeaderBytes: 16 * 1024,
    arrivalMs: 30_000,
    pingMs: 15_000,
    async fetch(request) {
      const foreign =
        hostHeaderValidationResponse(request, localhostAllowedHostnames()) ?? originValidationResponse(request, localhostAllowedOrigins());
      if (foreign !== undefined) return foreign;
      return new URL(request.url).pathname === "/mcp" ? front.handle(request, "local") : new Response("Not found", { status: 404 });
    },
    upgrade: async () => ({ kind: "refused", status: 404, body: "", headers: {} }),
    malformed: () => ({ body: "", headers: {} }),
  });
  return {
    address: `http://127.0.0.1:${server.port}/mcp`,
    async close() {
      await front.close();
      await server.close(500);
    },
  };
}
