import { describe, expect, it } from "vitest";
import type { FoundFile } from "./definition.ts";
import { readFrontMatter } from "./front-matter.ts";
import { loadDefinitions } from "./load-definitions.ts";
import { readToolList } from "./tool-list.ts";

const readable = () => undefined;

function file(path: string, ...lines: string[]): FoundFile {
  return { path, text: lines.join("\n") };
}

function load(...files: FoundFile[]) {
  const { agents, problems } = loadDefinitions([{ files, trusted: true }], (rule) =>
    rule.includes("((") ? `The rule ${rule} is bad.` : undefined,
  );
  return { agents: agents.filter(({ source }) => source !== "built-in"), problems };
}

describe("definitions", () => {
  it("there are four built-in agents", () => {
    const { agents } = loadDefinitions([], readable);
    expect(agents.map(({ name, tools }) => [name, tools?.length])).toEqual([
      ["general", undefined],
      ["lead", 12],
      ["search", 3],
      ["crawl", 2],
    ]);
  });

  it("reads every field", () => {
    const reviewer = file(
      "a.md",
      "---",
      "name: reviewer",
      "description: Looks at changes",
      "tools: Read, Grep, Bash(git diff *, git log *)",
      "model: anthropic/claude-x",
      "max_rounds: 7",
      "color: blue",
      "---",
      "",
      "You review.",
      "",
    );
    expect(load(reviewer)).toEqual({
      agents: [
        {
          name: "reviewer",
          description: "Looks at changes",
          tools: ["Read", "Grep", "Bash(git diff *, git log *)"],
          model: "anthropic/claude-x",
          maxRounds: 7,
          prompt: "You review.",
          source: "a.md",
        },
      ],
      problems: [],
    });
  });

  it("a model of 'inherit' and names of model families are the parent's", () => {
    for (const model of ["inherit", "sonnet", "Opus"])
      expect(load(file("a.md", "---", "name: a", "description: d", `model: ${model}`, "---")).agents[0]).not.toHaveProperty("model");
  });

  it("a description may hold a colon, as other programs write it", () => {
    const { agents, problems } = load(file("a.md", "---", "name: a", "description: Use it: always. Examples: <x>", "---", "p"));
    expect([agents[0]?.description, problems]).toEqual(["Use it: always. Examples: <x>", []]);
  });

  it("a bad file is named with its line, and all others count", () => {
    const good = file("good.md", "---", "name: good", "description: d", "---");
    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [["no front matter"], 1, "does not begin with front matter"],
      [["---", "name: a"], 1, "has no end"],
      [["---", "name: a", "description: d", "tools: [Read", "---"], 4, "not valid YAML"],
      [["---", "description: d", "---"], 1, "'name' is missing"],
      [["---", "name: a", "---"], 1, "'description' is missing"],
      [["---", "description: d", "name: a b", "---"], 3, "is no name"],
      [["---", "name: a", "description: d", "max_rounds: many", "---"], 4, "max_rounds"],
      [["---", "name: a", "description: d", "model: x y", "---"], 4, "PROVIDER/MODEL"],
      [["---", "name: a", "description: d", "", "tools: Bash((x)", "---"], 5, "is bad"],
      [["---", "name: a", "description: d", "tools: {Read: true}", "---"], 4, "no list of tools"],
      [["---", "- a", "---"], 2, "no list of fields"],
    ];
    for (const [lines, line, words] of cases) {
      const { agents, problems } = load(file("bad.md", ...lines), good);
      expect(agents.map(({ name }) => name)).toEqual(["good"]);
      expect(problems).toEqual([{ file: "bad.md", line, message: expect.stringContaining(words) }]);
    }
    expect(load({ path: "x.md", problem: "This is no regular file." }).problems).toEqual([
      { file: "x.md", line: 1, message: "This is no regular file." },
    ]);
  });

  it("the last place of a name wins, and an untrusted project neither chooses a model nor widens", () => {
    const wide = file("p.md", "---", "name: search", "description: mine", "model: a/b", "tools: Bash, WebFetch, ReadArtifact(x)", "---");
    const bare = file("q.md", "---", "name: crawl", "description: mine", "---");
    const own = file("r.md", "---", "name: own", "description: mine", "tools: Bash", "---");
    const [trusted, not] = [true, false].map(
      (isTrusted) => loadDefinitions([{ files: [wide, bare, own], trusted: isTrusted }], readable).agents,
    );
    const found = (agents: typeof trusted, name: string) => agents?.find((agent) => agent.name === name);
    expect(found(trusted, "search")).toMatchObject({ model: "a/b", tools: ["Bash", "WebFetch", "ReadArtifact(x)"] });
    expect(found(not, "search")).toEqual({
      name: "search",
      description: "mine",
      tools: ["WebFetch", "ReadArtifact(x)"],
      prompt: "",
      source: "p.md",
    });
    expect(found(trusted, "crawl")).not.toHaveProperty("tools");
    expect(found(not, "crawl")).toMatchObject({ tools: ["WebFetch", "ReadArtifact"] });
    expect(found(not, "own")).toMatchObject({ tools: ["Bash"] });
  });
});

it("lists of tools are texts with commas or lists", () => {
  expect(readToolList("Read,  Bash(a, b) ,, Grep")).toEqual(["Read", "Bash(a, b)", "Grep"]);
  expect(readToolList(["Read ", "Bash(a, b)"])).toEqual(["Read", "Bash(a, b)"]);
  expect([readToolList(3), readToolList([3]), readToolList({})]).toEqual([undefined, undefined, undefined]);
});

it("front matter has lines of any ending, and aliases do not blow it up", () => {
  const crlf = readFrontMatter("\uFEFF---\r\nname: a\r\n---\r\nbody\r\nmore\r\n");
  expect(crlf.ok && [crlf.file.fields, crlf.file.body]).toEqual([{ name: "a" }, "body\nmore"]);
  const levels = [
    "a: &a [x, x, x, x, x, x, x, x, x]",
    ..."bcdefgh".split("").map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[at]}`).join(", ")}]`),
  ];
  expect(readFrontMatter(["---", ...levels, "---"].join("\n")).ok).toBe(false);
});
