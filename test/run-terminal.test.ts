/** `karyi run` as a person at a terminal sees it: text, one line a call, the tree of agents, cost, cards in place. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "./support/engine.ts";
import { person } from "./support/person.ts";
import { screenOf } from "./support/screen.ts";

async function place(scripts: Record<string, unknown>, config: object = {}) {
  const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
  for (const [name, turns] of Object.entries(scripts)) await writeFile(join(workspace, name), JSON.stringify(turns));
  await writeFile(join(home, "config.json"), JSON.stringify(config));
  return { workspace, args: (...more: string[]) => ["run", "go", "--workspace", workspace, "--home", home, ...more] };
}

const usage = { input_tokens: 1000, output_tokens: 200 };
const write = (file_path: string) => ({ name: "Write", input: { file_path, content: "new\n" } });

it("shows calls and agents while they work, asks one question at a time, and leaves one line each", async () => {
  const agent = (description: string) => ({ name: "Agent", input: { prompt: "look", description, model: "scripted/child.json" } });
  const { args } = await place({
    "main.json": [
      { text: "First a command.", usage, calls: [{ name: "Bash", input: { command: "echo working; sleep 1.5" } }] },
      { text: "Now agents.", usage, calls: [agent("one side"), agent("other side")] },
      { text: "All done: \u001b[31mred\u001b[0m" },
    ],
    "child.json": [
      { calls: [{ name: "Glob", input: { pattern: "*" } }], usage },
      { text: "I write", calls: [write("from-child.txt")], delay_ms: 800 },
      { text: "child is done" },
    ],
  });
  const someone = person(args("--model", "scripted/main.json"), { TERM: "xterm-256color", NO_COLOR: "1" });
  await someone.sees("Run: echo working");
  await someone.sees("working");
  await someone.sees("agent_2 general: other side");
  await someone.sees("1 call, 1200 tokens");
  await someone.sees("asks:");
  await someone.sees("Allow this?");
  someone.type("\r");
  await someone.sees("asks:");
  await someone.sees("Allow this?");
  someone.type("\r");
  expect(await someone.ended).toBe(0);
  const screen = await screenOf(someone.raw(), 100, 200);
  const lines = screen.filter((line) => /^(?:[✓✗⊘]|First|Now|All|\d|agent_|.{0,4}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏])/.test(line));
  const ends = lines.filter((line) => line.startsWith("✓ agent_"));
  expect(lines.filter((line) => !line.startsWith("✓ agent_") && !line.endsWith("asks:"))).toEqual([
    "First a command.",
    "✓ Run: echo working; sleep 1.5",
    "Now agents.",
    "All done: \\u{1b}[31mred\\u{1b}[0m",
    "4000 tokens in, 800 out",
  ]);
  expect(ends.sort()).toEqual([
    "✓ agent_1 general: one side · 2 calls, 1200 tokens",
    "✓ agent_2 general: other side · 2 calls, 1200 tokens",
  ]);
  expect(lines.filter((line) => line.endsWith("asks:"))).toHaveLength(2);
});

it("text that pauses within a line goes on where it was, and a long line is whole", async () => {
  const text = `Begin ${"of a long line ".repeat(7)}and the end.`;
  const { args } = await place({ "main.json": [{ text, delay_ms: 6_500, calls: [] }] });
  const someone = person(args("--model", "scripted/main.json"), { TERM: "xterm-256color", NO_COLOR: "1" });
  await someone.sees("thinking");
  expect(await someone.ended).toBe(0);
  const screen = await screenOf(someone.raw(), 100, 200);
  expect(screen.join("").replaceAll(/\s+/g, " ").trim()).toBe(`${text}0 tokens in, 0 out`.replaceAll(/\s+/g, " "));
});
