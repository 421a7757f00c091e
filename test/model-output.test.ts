/** `modelOutputTokens` of the config bounds what a model reads: in the loop, from `exec`, over MCP; the whole stays readable. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { karyi } from "./support/command.ts";
import { testEngine } from "./support/engine.ts";
import { mcpPlaces, textOf, v1Client } from "./support/mcp.ts";
import { type Body, modelServer } from "./support/models/server.ts";

const lines = Array.from({ length: 400 }, (_, index) => `line ${index} of a text that is too long`).join("\n");
const config = { modelOutputTokens: 300 };
const reference = /ReadOutput \{"ref": "([^"]+)"\} reads the whole/;

/** Head, note with a reference, tail; not much longer than 300 tokens of four letters. */
function expectCut(text: string): string {
  expect([text.includes("line 0 of"), text.includes("line 399 of"), text.includes("line 200 of")]).toEqual([true, true, false]);
  expect(text.length).toBeLessThan(2000);
  return reference.exec(text)?.[1] ?? "no reference";
}

it("in the loop the model gets head and tail with a reference, and reads the rest by it", async () => {
  const sent: string[] = [];
  const server = await modelServer("anthropic", (body: Body) => {
    sent.push(JSON.stringify(body.messages.at(-1)));
    return sent.length === 1 ? { calls: [{ name: "Read", input: { file_path: "long.txt" } }] } : { text: "ready" };
  });
  const providers = { anthropic: { baseUrl: server.url, apiKey: "k" } };
  const { engine, workspace } = await testEngine({ config: { ...config, providers } as never, env: { PATH: process.env.PATH } });
  await writeFile(join(workspace, "long.txt"), lines);
  const session = await engine.openSession({ id: "s" });
  const run = session.run({ prompt: "go", model: "anthropic/m" });
  while (!(await run.next()).done);
  const ref = expectCut((sent[1] ?? "").replaceAll('\\"', '"'));
  const whole = await session.call("ReadOutput", { ref });
  expect([whole.status, whole.output.includes("line 200 of")]).toEqual(["ok", true]);
});

it("`exec` and MCP cut as the loop does; `--json` gives results as they are", async () => {
  const places = await mcpPlaces(config);
  await writeFile(join(places.workspace, "long.txt"), lines);
  const flags = ["--workspace", places.workspace, "--home", places.home];
  const text = '<tool_call>{"name": "Read", "arguments": {"file_path": "long.txt"}}</tool_call>';
  const cut = await karyi(["exec", "--dialect", "tool_call", ...flags], { stdin: text });
  expect(cut.code).toBe(0);
  expectCut(cut.stdout.replaceAll('\\"', '"'));
  const data = await karyi(["exec", "--dialect", "tool_call", "--json", ...flags], { stdin: text });
  expect(data.stdout).toContain("line 200 of");
  const client = await v1Client(places);
  try {
    const ref = expectCut(textOf(await client.callTool({ name: "Read", arguments: { file_path: "long.txt" } })));
    expect(textOf(await client.callTool({ name: "ReadOutput", arguments: { ref, offset: 6000, limit: 400 } }))).toMatch(/line \d+ of/);
  } finally {
    await client.close();
  }
});
