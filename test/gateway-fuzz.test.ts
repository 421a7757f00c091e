/** Hostile requests: whatever comes, the server answers with a documented status and goes on. 10,000 of them with KARYI_FULL=1. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiChecker } from "./support/api-document.ts";
import fc from "./support/fast-check.ts";
import { startGateway } from "./support/gateway.ts";

const runs = process.env.KARYI_FULL === "1" ? 10_000 : 400;

test(`${runs} fuzzed requests: never a 5xx, never a crash`, async () => {
  const gateway = await startGateway({ enableShell: false, config: { gateway: { requestsPerMinute: 1_000_000, maxBodyBytes: 100_000 } } });
  try {
    await mkdir(join(gateway.workspace, "sub"));
    await gateway.api("POST", "/sessions", { id: "fuzz" });
    const { document } = await apiChecker(gateway);
    const routes = Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((method) => [method, path] as const));
    // A stream does not end by itself; asked for as JSON it does.
    const asked = routes.filter(([, path]) => path !== "/api/v1/events" && !path.endsWith("/doctor"));
    const word = fc.oneof(
      fc.constantFrom("fuzz", "none", "..", "%2e%2e", "%00", "a%2Fb", "1", "-1", "null", "é".repeat(50), "__proto__", "constructor"),
      fc.string({ maxLength: 40 }).map(encodeURIComponent),
    );
    const known = fc.constantFrom(
      "id",
      "tool",
      "input",
      "name",
      "path",
      "content",
      "session_id",
      "user_id",
      "channel",
      "biz_params",
      "rule",
      "prompt",
      "answer",
      "nonce",
      "value",
      "call_ids",
      "last",
      "mode",
      "token",
      "stream",
      "url",
      "version",
      "text",
      "when",
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom("Read", "Write", "read_file", "create_file", "../x", "/etc/passwd", "\u0000", "$KARYI{X}", 1e308, -1),
        fc.dictionary(known, tie("any"), { maxKeys: 5 }),
        fc.array(tie("any"), { maxLength: 3 }),
      ),
    })).any;
    const body = fc.oneof(
      fc.dictionary(known, value, { maxKeys: 8 }).map((one) => JSON.stringify(one)),
      fc.string({ maxLength: 60 }),
      fc.constantFrom("", "{", "[]", "null", '{"__proto__": {"x": 1}}', `${"[".repeat(2000)}${"]".repeat(2000)}`),
    );
    const headers = fc.record(
      {
        "content-type": fc.constantFrom("application/json", "text/plain", "application/json; charset=utf-8", "multipart/form-data"),
        "last-event-id": fc.constantFrom("0", "-1", "x", "999999999999999999"),
        "x-csrf-token": fc.constantFrom("x"),
      },
      { requiredKeys: ["content-type"] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...asked),
        fc.array(word, { minLength: 2, maxLength: 2 }),
        word,
        body,
        headers,
        async ([method, path], names, query, text, more) => {
          let index = 0;
          const filled = path.replaceAll(/\{[^}]+\}/g, () => names[index++ % names.length] ?? "x");
          // Dots in a name, written as %2e%2e too, take a part of the path away: what is left may be the stream.
          fc.pre(new URL(filled, gateway.url).pathname !== "/api/v1/events");
          const withBody = method !== "get" && method !== "delete";
          const answer = await fetch(`${gateway.url}${filled}?limit=${query}&cursor=${query}&version=${query}`, {
            method: method.toUpperCase(),
            headers: { authorization: `Bearer ${gateway.token}`, accept: "application/json", ...more },
            ...(withBody ? { body: text } : {}),
          });
          const said = await answer.text();
          expect([method, filled, text, answer.status < 500 || answer.status === 503, said.length > 0 || answer.status < 300]).toEqual([
            method,
            filled,
            text,
            true,
            true,
          ]);
        },
      ),
      { numRuns: runs, interruptAfterTimeLimit: 600_000, markInterruptAsFailure: true },
    );
    expect((await gateway.api("GET", "/me")).status).toBe(200);
  } finally {
    await gateway.close();
  }
}, 900_000);
