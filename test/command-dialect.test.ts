/** What `karyi prompt` teaches a model, `karyi parse` reads back: every example is one whole call of its tool. */
import { expect, it } from "vitest";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";

it.each(["toolsxml", "tool_call", "anthropic_xml", "hermes", "qwen", "glm", "json"])(
  "the examples of a prompt in %s parse back, each to its own tool",
  async (dialect) => {
    const places = ["--workspace", await temporaryDirectory(), "--home", await temporaryDirectory()];
    const { tools } = JSON.parse((await karyi(["tools", "--json", ...places])).stdout) as { tools: { name: string }[] };
    const prompt = await karyi(["prompt", "--dialect", dialect, ...places]);
    // What explains the form comes first; the examples stand in the tools' own sections.
    const sections = prompt.stdout.slice(prompt.stdout.indexOf("### "));
    const parsed = await karyi(["parse", "-", "--dialect", dialect, ...places], { stdin: sections });
    const calls = parsed.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { name: string; error?: string; repaired?: string[] });
    expect(calls.filter(({ error, repaired }) => error !== undefined || repaired !== undefined)).toEqual([]);
    expect(calls.map(({ name }) => name).sort()).toEqual(tools.map(({ name }) => name).sort());
  },
);
