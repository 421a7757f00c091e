/** What a conversation keeps when its past is told in fewer words, and results that are larger than the model's window. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { finished, modelPlace } from "./support/models/place.ts";
import type { Body } from "./support/models/server.ts";

const read = (file_path: string) => ({ name: "Read", input: { file_path } });
const isSummary = (body: Body) => JSON.stringify(body.messages.at(-1)).includes("summary that you write now");
const lines = (count: number) => "words of a long file that nobody reads twice\n".repeat(count);

it("loaded skills, the agent's words, files in work and failed attempts survive every compaction, whatever the summary says", async () => {
  let turn = 0;
  const { server, session, workspace } = await modelPlace(
    "anthropic",
    (body: Body) => {
      if (isSummary(body)) return { text: "nothing worth telling" };
      turn += 1;
      if (turn === 1) return { calls: [{ name: "Skill", input: { skill: "careful" } }] };
      if (turn === 2) return { calls: [{ name: "Write", input: { file_path: "in-work.txt", content: "draft" } }] };
      if (turn === 3) return { calls: [{ name: "Edit", input: { file_path: "gone.txt", old_string: "a", new_string: "b" } }] };
      return turn < 40 ? { text: lines(120), calls: [read(`f${turn}.txt`)] } : { text: "ready" };
    },
    { m: { contextWindow: 30_000, maxOutputTokens: 1000 } },
    { mode: "accept-edits" },
  );
  const skill = `Weigh every word. ${"RULE OF THE SKILL. ".repeat(60)}`;
  await mkdir(join(workspace, ".karyi/skills/careful"), { recursive: true });
  await writeFile(join(workspace, ".karyi/skills/careful/SKILL.md"), `---\nname: careful\ndescription: care\n---\n${skill}\n`);
  for (let index = 4; index < 40; index++) await writeFile(join(workspace, `f${index}.txt`), lines(150));
  const { outcome } = await finished(session, { prompt: "go", model: "anthropic/m" });
  expect(outcome).toMatchObject({ status: "done", text: "ready" });
  expect(server.requests.filter(isSummary).length).toBeGreaterThan(1);
  const last = JSON.stringify(server.requests.at(-1).messages);
  for (const kept of [skill.trim(), "Do the task completely and check", "in-work.txt (Write)", "gone.txt", "failed_attempts"])
    expect(last).toContain(kept);
  expect(server.refused).toEqual([]);
});

it("results that are larger than the window together are cut to fit, with their references, and the run goes on", async () => {
  const window = 30_000;
  const { server, session, workspace } = await modelPlace(
    "anthropic",
    (body: Body, index: number) => {
      const tokens = JSON.stringify(body).length / 4;
      if (tokens > window) return { status: 400, message: `prompt is too long: ${tokens} tokens > ${window} maximum` };
      return index === 0 ? { calls: Array.from({ length: 8 }, (_, at) => read(`f${at}.txt`)) } : { text: "read them" };
    },
    { m: { contextWindow: window, maxOutputTokens: 1000 } },
  );
  for (let index = 0; index < 8; index++) await writeFile(join(workspace, `f${index}.txt`), index === 7 ? "short\n" : lines(1900));
  const { outcome } = await finished(session, { prompt: "go", model: "anthropic/m" });
  expect(outcome).toMatchObject({ status: "done", text: "read them", rounds: 2 });
  expect(server.requests).toHaveLength(2);
  const results = (server.requests[1].messages.at(-1).content as { content: string }[]).map(({ content }) => content);
  expect(results.filter((text) => text.includes("ReadOutput")).length).toBe(7);
  expect(results[7]).toContain("short");
});

it("a window that nobody configured and that a huge prompt does not fit is learned, and the summary is made of what fits", async () => {
  const window = 12_000;
  const { server, session } = await modelPlace(
    "anthropic",
    (body: Body) => {
      const tokens = JSON.stringify(body.messages).length / 4;
      if (tokens > window) return { status: 400, message: "input is too long for requested model" };
      return isSummary(body) ? { text: "SUMMARY" } : { text: "fine" };
    },
    { m: {} },
  );
  await finished(session, { prompt: "begin", model: "anthropic/m" });
  for (let count = 0; count < 3; count++) {
    const { outcome } = await finished(session, { prompt: `${count} ${lines(300)}`, model: "anthropic/m" });
    expect(outcome.status).toBe("done");
  }
  const { outcome } = await finished(session, { prompt: "and now?", model: "anthropic/m" });
  expect(outcome).toMatchObject({ status: "done", text: "fine" });
  expect(server.refused).toEqual([]);
});
