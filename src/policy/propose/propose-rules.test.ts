import { describe, expect, test } from "vitest";
import type { Effect, PolicyQuestion, RuleProposal } from "../../contract/index.ts";
import { decide, proposeRules } from "../index.ts";
import { connect, question, read, rules, run, windowsWorld, worldOf, write } from "../test-world.ts";
import { commandRule } from "./command-rule.ts";

const world = worldOf();
const nothing: RuleProposal = { rules: [], alsoAllows: [], stillAsks: [] };

function proposeWhole(effects: readonly Effect[], changes: Partial<PolicyQuestion> = {}, where = world): RuleProposal {
  const asked = question(effects, { tool: "Bash", ...changes });
  return proposeRules(asked, decide(asked, where), where);
}

/** The proposal as a whole; the examples of each rule have a test of their own. */
function propose(...given: Parameters<typeof proposeWhole>): RuleProposal {
  const { examples: _, ...proposal } = proposeWhole(...given);
  return proposal;
}

describe("the narrowest rule for one simple command", () => {
  test.each([
    ["npm run test src/a.test.ts", "Bash(npm run test *)"],
    ["npm run test", "Bash(npm run test)"],
    ["npm test -- --grep foo", "Bash(npm test -- --grep *)"],
    ["npm install left-pad", "Bash(npm install left-pad)"],
    ["npm run test --prefix=/x ../y", "Bash(npm run test --prefix=/x ../y)"],
    ["npm run --silent test", "Bash(npm run --silent test)"],
    ["cargo test parser", "Bash(cargo test *)"],
    ["cargo run x", "Bash(cargo run x)"],
    ["go build ./...", "Bash(go build *)"],
    ["git commit -m 'a message'", "Bash(git commit -m *)"],
    ['git commit -m "$(date)"', 'Bash(git commit -m "$(date)")'],
    ["git push origin main", "Bash(git push origin main)"],
    ["git fetch origin", "Bash(git fetch origin)"],
    ["pytest -q tests/a.py", "Bash(pytest -q *)"],
    ["pytest tests/a.py -p evil", "Bash(pytest tests/a.py -p evil)"],
    ["eslint /etc", "Bash(eslint /etc)"],
    ["rm -rf build", "Bash(rm -rf build)"],
    ["python3 script.py", "Bash(python3 script.py)"],
    ["bash install.sh", "Bash(bash install.sh)"],
    ["make all", "Bash(make all)"],
    ["make *.o", "Bash(make \\*.o)"],
  ])("%s: %s", (text, rule) => {
    expect(commandRule(text.split(" ")[0] ?? "", text)?.rule).toBe(rule);
  });
  test.each(
    [
      "bash sh zsh env sudo xargs python node busybox eval ssh perl ruby find awk docker kubectl npx curl tar timeout nohup".split(" "),
    ].flat(),
  )("%s is never widened", (program) => {
    expect(commandRule(program, `${program} something plain`)?.open).toBe(false);
  });
  test("a wrapped program is not widened by its inner name", () => {
    expect(commandRule("npm", "sudo npm test x")).toMatchObject({ rule: "Bash(sudo npm test x)", open: false });
  });
  test("what cannot be read at a glance is not stored", () => {
    expect(commandRule("cat", "cat <<X\na\nX")).toBeUndefined();
    expect(commandRule("echo", `echo ${"a".repeat(300)}`)).toBeUndefined();
  });
});

describe("a proposal answers every question, or is none", () => {
  test("a widened command, with what else it would allow and what not", () => {
    expect(propose([run("npm run test a.test.ts")])).toEqual({
      rules: ["Bash(npm run test *)"],
      alsoAllows: ["npm run test", "npm run test other-argument", "npm run test --any-flag other-argument"],
      stillAsks: ["npm run something-else", "npm run test && sh install.sh", "sudo npm run test"],
    });
  });
  test("an exact command", () => {
    expect(propose([run("git push origin main")])).toEqual({
      rules: ["Bash(git push origin main)"],
      alsoAllows: ["git push origin main 2>/dev/null", "git push origin main | head -n 20", "cd src && git push origin main"],
      stillAsks: ["git push origin main --one-more", "git push origin main && sh install.sh", "sudo git push origin main"],
    });
  });
  test("one rule a simple command", () => {
    expect(propose([run("npm ci"), run("ls", true), run("make")]).rules).toEqual(["Bash(npm ci)", "Bash(make)"]);
  });
  test("a file is its exact path", () => {
    expect(propose([write("app/[id]/page (1).tsx")], { tool: "Edit" })).toEqual({
      rules: ["Edit(app/\\[id\\]/page \\(1\\).tsx)"],
      alsoAllows: ["Edit app/[id]/page (1).tsx", "Write app/[id]/page (1).tsx", "tee app/[id]/page (1).tsx"],
      stillAsks: ["Edit app/[id]/page (1).tsx.other", "Edit another file in app/[id]", "Edit .env"],
    });
    expect(propose([read("/srv/docs/a.md")], { tool: "Read" }).rules).toEqual(["Read(/srv/docs/a.md)"]);
    expect(propose([read(".env")], { tool: "Read" }).rules).toEqual(["Read(.env)"]);
    expect(propose([write(".mcp.json")], { tool: "Write", mode: "accept-edits" }).rules).toEqual(["Edit(.mcp.json)"]);
    expect(propose([read("/srv/docs", { tree: true })], { tool: "Grep" }).rules).toEqual(["Read(/srv/docs/**)"]);
  });
  test("a file on Windows", () => {
    const effects = [write("C:\\repo\\src\\a.ts", { platform: "win32", cwd: "C:\\repo" })];
    expect(propose(effects, { tool: "Edit" }, windowsWorld()).rules).toEqual(["Edit(src/a.ts)"]);
  });
  test("a host is its exact name and port", () => {
    expect(propose([connect("https://api.example.com/v1?x=1")], { tool: "WebFetch" })).toEqual({
      rules: ["WebFetch(domain:api.example.com)"],
      alsoAllows: [
        "GET https://api.example.com/",
        "GET https://api.example.com/any/other/page",
        "GET https://api.example.com/?q=any+words",
      ],
      stillAsks: ["GET https://other.api.example.com/", "GET https://api.example.com.example.net/", "POST https://api.example.com/"],
    });
    expect(propose([connect("https://example.com:8443/")], { tool: "WebFetch" }).rules).toEqual(["WebFetch(domain:example.com:8443)"]);
  });
  test("a remote tool is that tool", () => {
    const remote: Effect = { kind: "remote", server: "github", tool: "list_issues" };
    expect(propose([remote], { tool: "mcp__github__list_issues" }).rules).toEqual(["mcp__github__list_issues"]);
    expect(propose([], { tool: "Weather" }).rules).toEqual(["Weather"]);
  });
  test("code is answered by the exact command that holds it", () => {
    expect(propose([run("python3 -c 'print(1)'"), { kind: "code", language: "python", text: "print(1)" }]).rules).toEqual([
      "Bash(python3 -c 'print(1)')",
    ]);
  });
  test("each rule of several has examples of its own", () => {
    const { rules: proposed, examples } = proposeWhole([run("make"), run("npm test")]);
    expect(proposed).toEqual(["Bash(make)", "Bash(npm test)"]);
    expect(examples).toEqual([
      {
        rule: "Bash(make)",
        alsoAllows: ["make 2>/dev/null", "make | head -n 20", "cd src && make"],
        stillAsks: ["make --one-more", "make && sh install.sh", "sudo make"],
      },
      {
        rule: "Bash(npm test)",
        alsoAllows: ["npm test 2>/dev/null", "npm test | head -n 20", "cd src && npm test"],
        stillAsks: ["npm test --one-more", "npm test && sh install.sh", "sudo npm test"],
      },
    ]);
  });
  test("where no narrow rule would do, nothing is offered", () => {
    expect(propose([{ kind: "unknown", reason: "x" }])).toEqual(nothing);
    expect(propose([run("make"), { kind: "unknown", reason: "x" }])).toEqual(nothing);
    expect(propose([run("ls", true), { kind: "environment", name: "PATH", steersExecution: true }])).toEqual(nothing);
    expect(propose([run("rm -rf build", true), write("build", { tree: true, change: "delete" })])).toEqual(nothing);
    expect(propose([connect("https://example.com/", "POST")], { tool: "WebFetch" })).toEqual(nothing);
    expect(propose([connect("https://u:p@example.com/")], { tool: "WebFetch" })).toEqual(nothing);
    expect(propose([run("make")], { rules: rules({ ask: ["Bash(make)"] }) })).toEqual(nothing);
    expect(propose([run("make")], { doubtful: true })).toEqual(nothing);
    expect(propose([write("a")], { tool: "Edit", traits: { ...question([]).traits, permission: "confirm" } })).toEqual(nothing);
    expect(propose([read("a")], { tool: "Read" })).toEqual(nothing);
    expect(propose([read("/etc/x")], { tool: "Read" })).toEqual(nothing);
  });
});
