import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createServerLog } from "./log.ts";

function target(isTTY: boolean) {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: createServerLog(Object.assign(stream, { isTTY })) };
}

test("on a terminal only warnings and errors are told, as plain lines without control characters", () => {
  const { lines, log } = target(true);
  log.info({ address: "http://127.0.0.1:1" }, "listening");
  log.warn({ cause: "no such\u001b[2Jhost" }, "a server could not be reached");
  log.error({ err: new Error("disk full"), path: "/api/v1/tools", request_id: "r1" }, "a request failed");
  expect(lines).toEqual(["! a server could not be reached · no such [2Jhost\n", "! a request failed · /api/v1/tools · disk full · r1\n"]);
});

test("elsewhere everything is a JSON line", () => {
  const { lines, log } = target(false);
  log.info({ address: "http://127.0.0.1:1" }, "listening");
  log.error({ err: new Error("disk full"), path: "/x" }, "a request failed");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 30, name: "karyi", address: "http://127.0.0.1:1", msg: "listening" },
    { level: 50, path: "/x", err: { message: "disk full" }, msg: "a request failed" },
  ]);
});
