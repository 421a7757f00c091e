/** Agents and skills as files, in an engine and in the command. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { karyi } from "./support/command.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const agent = (name: string, description: string, more = "") => `---\nname: ${name}\ndescription: ${description}\n${more}---\nDo it.\n`;
const skill = (name: string, body: string, more = "") => `---\nname: ${name}\ndescription: about ${name}\n${more}---\n${body}\n`;

describe("karyi agents", () => {
  it("lists built-ins and files, the last place winning, with the problems of bad files", async () => {
    const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
    await put(join(home, "agents", "a.md"), agent("one", "home", "model: local/big\n"));
    await put(join(workspace, ".claude", "agents", "b.md"), agent("one", "claude"));
    await put(join(workspace, ".claude", "agents", "c.md"), agent("two", "claude", "model: local/small\n"));
    await put(join(workspace, ".karyi", "agents", "one.md"), agent("one", "karyi", "tools: Read, Bash(git status *)\n"));
    await put(join(workspace, ".karyi", "agents", "bad.md"), "---\nname: bad\ntools: [\n---\n");
    const flags = ["--workspace", workspace, "--home", home, "--json"];
    const listed = await karyi(["agents", ...flags]);
    expect(listed.code).toBe(0);
    const { agents, problems } = JSON.parse(listed.stdout);
    expect(agents.map(({ name, description }: Record<string, string>) => `${name} ${description?.slice(0, 6)}`)).toEqual([
      "general Does a",
      "lead Plans ",
      "search Search",
      "crawl Reads ",
      "one karyi",
      "two claude",
    ]);
    expect(agents[4]).toEqual({
      name: "one",
      description: "karyi",
      tools: ["Read", "Bash(git status *)"],
      source: expect.stringMatching(/\.karyi\/agents\/one\.md$/),
    });
    expect(problems).toEqual([{ file: expect.stringMatching(/bad\.md$/), line: 3, message: expect.stringContaining("YAML") }]);
    const shown = await karyi(["agents", "show", "one", ...flags]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ name: "one", prompt: "Do it." });
    expect((await karyi(["agents", "show", "none", ...flags])).code).toBe(1);
    expect(JSON.parse((await karyi(["agents", "--running", ...flags])).stdout)).toEqual({ agents: [] });
    // Only a person's trust lets the project choose a model.
    expect(agents[5]).not.toHaveProperty("model");
    await karyi(["config", "trust", "--workspace", workspace, "--home", home]);
    const trusted = JSON.parse((await karyi(["agents", ...flags])).stdout);
    expect(trusted.agents[5]).toMatchObject({ name: "two", model: "local/small" });
  });

  it("a link out of the workspace is not read", async () => {
    const { engine, workspace } = await testEngine();
    const outside = await temporaryDirectory();
    await put(join(outside, "x.md"), agent("x", "outside"));
    await mkdir(join(workspace, ".karyi", "agents"), { recursive: true });
    await symlink(join(outside, "x.md"), join(workspace, ".karyi", "agents", "x.md"));
    const { agents, problems } = await engine.agentFiles.definitions(engine.workspace);
    expect(agents.map(({ name }) => name)).not.toContain("x");
    expect(problems).toEqual([
      { file: join(engine.workspace, ".karyi", "agents", "x.md"), line: 1, message: expect.stringContaining("leads out") },
    ]);
  });
});

describe("skills", () => {
  it("are listed, the last place winning", async () => {
    const [workspace, home] = [await temporaryDirectory(), await temporaryDirectory()];
    await put(join(home, "skills", "a", "SKILL.md"), skill("a", "home"));
    await put(join(workspace, ".claude", "skills", "a", "SKILL.md"), skill("a", "claude"));
    await put(join(workspace, ".karyi", "skills", "b", "SKILL.md"), skill("b", "b", "context: sideways\n"));
    const listed = await karyi(["skills", "--workspace", workspace, "--home", home, "--json"]);
    expect(JSON.parse(listed.stdout)).toEqual({
      skills: [{ name: "a", description: "about a", source: expect.stringMatching(/\.claude\/skills\/a\/SKILL\.md$/) }],
      problems: [{ file: expect.stringMatching(/skills\/b\/SKILL\.md$/), line: 4, message: expect.stringContaining("sideways") }],
    });
  });

  it("are told by the Skill tool, arguments put in literally", async () => {
    const { engine, workspace } = await testEngine();
    await put(join(workspace, ".karyi", "skills", "notes", "SKILL.md"), skill("notes", "Write $ARGUMENTS and $ARGUMENTS."));
    await put(join(workspace, ".karyi", "skills", "plain", "SKILL.md"), skill("plain", "Just do."));
    const session = await engine.openSession();
    const filled = await session.call("Skill", { skill: "notes", args: "$& $1 $ARGUMENTS" });
    expect([filled.status, filled.output.endsWith("\n\nWrite $& $1 $ARGUMENTS and $& $1 $ARGUMENTS.")]).toEqual(["ok", true]);
    expect((await session.call("Skill", { skill: "plain" })).output.endsWith("\n\nJust do.")).toBe(true);
    expect((await session.call("Skill", { skill: "plain", args: "x" })).output.endsWith("Just do.\n\nARGUMENTS: x")).toBe(true);
    expect(await session.call("Skill", { skill: "nothing" })).toMatchObject({
      status: "error",
      error: { code: "tool_not_found", hint: "There are: notes, plain." },
    });
  });
});
