import { expect, it } from "vitest";
import { hookFlags } from "./hook-flags.ts";

const read = (text: string) => hookFlags(text.split(" "));

it("a hook as the installed line starts it is read without the table of commands", () => {
  expect(read("hook codex --home /h --when after --mode auto --resident")).toEqual({
    agent: "codex",
    flags: { home: "/h", when: "after", mode: "auto", resident: true },
  });
  expect(read("hook claude-code --when before --workspace /w")).toEqual({
    agent: "claude-code",
    flags: { when: "before", workspace: "/w" },
  });
});

it.each([
  "hook",
  "hook claude-code",
  "hook claude-code --when",
  "hook claude-code --when --home /h",
  "hook claude-code --when before --when after",
  "hook claude-code --when before --json",
  "hook claude-code --when before --help",
  "hook install claude-code --when before",
  "hook shell -- --when before",
  "call claude-code --when before",
])("every other form is left to the table: karyi %s", (text) => expect(read(text)).toBeUndefined());
