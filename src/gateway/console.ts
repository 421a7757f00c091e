/** The console's page and files. Unknown paths are its page, except below `/api`, `/mcp`, `/.well-known` and `/agent`. */
import { pageHeaders } from "./guard/headers.ts";
import type { ConsoleFiles } from "./ports.ts";
import { notFound } from "./problem.ts";
import type { App } from "./router.ts";

const notPages = /^\/(api|mcp|agent|\.well-known|healthz|metrics|login)(\/|$)/;

export function addConsole(app: App, files: ConsoleFiles): void {
  app.get("*", async (c, next) => {
    const { path } = c.req;
    if (notPages.test(path)) return next();
    const asked = path === "/" ? "index.html" : path.slice(1);
    const isFile = /\.[A-Za-z0-9]{1,8}$/.test(path);
    const found = (await files.read(asked)) ?? (isFile ? undefined : await files.read("index.html"));
    if (found === undefined) {
      if (isFile) throw notFound();
      return c.text("The console was not built. The API is at /api/v1.\n", 200, pageHeaders);
    }
    return c.body(found.bytes as Uint8Array<ArrayBuffer>, 200, {
      ...pageHeaders,
      "content-type": found.type,
      "cache-control": found.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    });
  });
}
