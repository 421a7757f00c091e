/** A message to `/agent/process` whose run waits for a person: 202 at once, and the run outlives the request and the server. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readEvents, startGateway, type TestGateway } from "./support/gateway.ts";

let gateway: TestGateway;
let folder: string;

const models = {
  writes: [{ text: "First.", calls: [{ name: "Write", input: { file_path: "made.txt", content: "made\n" } }] }, { text: "Written." }],
  asks: [{ calls: [{ name: "GetValue", input: { key: "API_KEY", reason: "the call needs it" } }] }, { text: "Got it." }],
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "karyi-turns-"));
  for (const [name, turns] of Object.entries(models)) await writeFile(join(folder, `${name}.json`), JSON.stringify(turns));
  gateway = await startGateway({ config: { model: `scripted/${join(folder, "writes.json")}` } });
});

afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

const message = (session: string, more: object = {}) => ({
  input: [{ role: "user", type: "message", content: [{ type: "text", text: "Go" }] }],
  session_id: session,
  user_id: "u",
  channel: "c",
  ...more,
});

test("a question is 202 with the approval's id; after a restart it can be answered, and the run goes on", async () => {
  const asked = await gateway.request("POST", "/agent/process", message("a"));
  expect(asked).toMatchObject({ status: 202, body: { approval_id: expect.any(String), status: "waiting", run_id: expect.any(String) } });
  await gateway.restart();
  const card = (await gateway.api("GET", `/approvals/${asked.body.approval_id}`)).body;
  expect(card).toMatchObject({ status: "pending", tool: "Write", input: { file_path: "made.txt" } });
  const reading = readEvents(gateway, `/api/v1/sessions/${card.session_id}/events`, (all) => all.at(-1)?.event === "run_end");
  expect((await gateway.api("POST", `/approvals/${card.id}/answer`, { answer: "once", nonce: card.nonce })).status).toBe(200);
  expect((await reading).at(-1)?.data).toMatchObject({ run_id: asked.body.run_id, status: "done", text: "Written." });
  expect(await readFile(join(gateway.workspace, "made.txt"), "utf8")).toBe("made\n");
});

test("a stream that waits when the server stops is told so, and its question is there afterwards", async () => {
  let restarted: Promise<void> | undefined;
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(message("b", { stream: true })) };
  const events = await readEvents(
    gateway,
    "/agent/process",
    (all) => {
      if (all.at(-1)?.event === "permission_request") restarted ??= gateway.restart();
      return false;
    },
    init,
  );
  await restarted;
  expect(events.at(-1)).toMatchObject({ event: "run_end", data: { status: "failed", error: { code: "unavailable" } } });
  const { approval_id: id } = events.find(({ event }) => event === "permission_request")?.data ?? {};
  expect((await gateway.api("GET", `/approvals/${id}`)).body).toMatchObject({ status: "pending", nonce: expect.any(String) });
});

test("a value that is asked for is 202 with the id of the request, and the run goes on with the value", async () => {
  const other = await startGateway({ config: { model: `scripted/${join(folder, "asks.json")}` } });
  try {
    const asked = await other.request("POST", "/agent/process", message("v"));
    expect(asked).toMatchObject({ status: 202, body: { request_id: expect.any(String), status: "waiting" } });
    const [wanted] = (await other.api("GET", "/values")).body.values;
    expect(wanted).toMatchObject({ id: asked.body.request_id, key: "API_KEY" });
    const reading = readEvents(other, `/api/v1/sessions/${wanted.session_id}/events`, (all) => all.at(-1)?.event === "run_end");
    expect((await other.api("POST", `/values/${wanted.id}`, { value: ["sesame", "open"].join("-") })).status).toBe(204);
    expect((await reading).at(-1)?.data).toMatchObject({ status: "done", text: "Got it." });
  } finally {
    await other.close();
  }
});
