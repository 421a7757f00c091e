/** Everything that leaves is searched for a secret after real work with it: results, events, progress, records, the home's bytes. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { KaryiEvent, Result } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";

const value = ["sink", 'Canary"<&', "$(id) 92kQ/+ü"].join("-");
const bytes = Buffer.from(value);
const forms = [
  value,
  bytes.toString("base64"),
  bytes.toString("hex"),
  bytes.toString("hex").toUpperCase(),
  encodeURIComponent(value),
  JSON.stringify(value).slice(1, -1),
];

it("no sink holds a secret in clear or encoded after commands, files, failures, background work, questions and undo", async () => {
  const cards: unknown[] = [];
  const progress: string[] = [];
  const logs: unknown[] = [];
  const events: KaryiEvent[] = [];
  const results: Result[] = [];
  const { engine, workspace, home } = await testEngine({
    approve: async (card) => {
      cards.push(card);
      return "once";
    },
    log: (message, cause) => logs.push(message, String(cause)),
  });
  engine.onEvent((event) => events.push(event));
  await engine.vault.set({ name: "SINK", value, scope: "global" }, { workspace });
  const session = await engine.openSession();
  const call = async (name: string, input: Record<string, unknown>): Promise<Result> => {
    const result = await session.call(name, input as never, { onProgress: (text) => progress.push(text) });
    results.push(result);
    return result;
  };
  const secret = '"$KARYI{SINK}"';
  for (const command of [
    `echo ${secret}`,
    `printf %s ${secret} | base64 -w0`,
    `printf %s ${secret} | od -An -tx1 | tr -d ' \\n'`,
    `echo before; echo ${secret} >&2; exit 3`,
    `cat <<EOT\n${secret}\nEOT`,
    `cat ${secret}`,
    `for i in 1 2 3; do echo "$i"${secret}; sleep 0.2; done`,
    `echo ${secret} > kept.txt && cat kept.txt`,
  ])
    await call("Bash", { command });
  const background = await call("Bash", { command: `echo ${secret}; sleep 0.1; echo ${secret} | base64 -w0`, run_in_background: true });
  const taskId = String((background.data as { task_id?: unknown } | undefined)?.task_id);
  await call("TaskOutput", { id: taskId, wait_ms: 5000 });
  await call("Write", { file_path: "config.txt", content: "key = $KARYI{SINK}\n" });
  await call("Read", { file_path: "config.txt" });
  await call("Grep", { pattern: "key", output_mode: "content" });
  await call("Edit", { file_path: "config.txt", old_string: "$KARYI{SINK}", new_string: "$KARYI{SINK}2" });
  await call("Read", { file_path: "no/$KARYI{SINK}" });
  await call("NoSuchTool", { anything: "$KARYI{SINK}" });
  results.push(await session.undo({ last: 1 }));
  expect(await readFile(join(workspace, "config.txt"), "utf8")).toBe(`key = ${value}\n`);
  const failed = results.filter(({ status }) => status !== "ok").map(({ tool }) => tool);
  expect(failed).toEqual(["Bash", "Bash", "Read", "NoSuchTool"]);

  const history = await session.history(100);
  const audit = await engine.readAudit(0, 1000);
  const sinks: Record<string, string> = { results, cards, progress, logs, events, history, audit } as never;
  for (const [name, sink] of Object.entries(sinks)) {
    const text = JSON.stringify(sink);
    const unescaped = text.replaceAll("\\\\", "\\").replaceAll('\\"', '"');
    for (const form of forms) expect([name, form, text.includes(form) || unescaped.includes(form)]).toEqual([name, form, false]);
  }
  const leaks: string[] = [];
  const search = async (): Promise<void> => {
    for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const content = await readFile(join(entry.parentPath, entry.name));
      for (const form of forms) if (content.includes(form)) leaks.push(`${entry.name}: ${form}`);
    }
  };
  // With the log still beside the database, and again when all is closed.
  await search();
  await engine.close();
  await search();
  expect(leaks).toEqual([]);
});
