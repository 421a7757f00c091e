/** Bodies have a limit: one that says it is longer is refused at once, one of unknown length as soon as it is too long. */
import type { Context, MiddlewareHandler } from "hono";
import { Problem } from "../problem.ts";
import type { GatewayEnv } from "../router.ts";

export function limitBody(maxBytes: number): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    const declared = c.req.header("content-length");
    if (declared !== undefined && Number(declared) > maxBytes) throw tooLong(maxBytes);
    if (declared === undefined && c.req.header("transfer-encoding") !== undefined) c.req.bodyCache.text = await readText(c, maxBytes);
    await next();
  };
}

async function readText(c: Context<GatewayEnv>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    total += chunk.length;
    if (total > maxBytes) throw tooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLong(maxBytes: number): Problem {
  return new Problem(413, "payload_too_large", `A body may have at most ${maxBytes} bytes.`);
}
