import { describe, expect, test } from "vitest";
import type { Effect, PolicyQuestion, PolicyWorld, Rules, RunEffect, Verdict } from "../../contract/index.ts";
import { decide, parseRule } from "../index.ts";
import { connect, question, read, rules, run, worldOf, write } from "../test-world.ts";

const world = worldOf();

function verdict(
  effects: readonly Effect[],
  set: Partial<Rules>,
  changes: Partial<PolicyQuestion> = {},
  where: PolicyWorld = world,
): Verdict {
  return decide(question(effects, { rules: rules(set), ...changes }), where).verdict;
}

describe("a rule that cannot be read says how it is written", () => {
  test.each([
    ["", "empty"],
    ["curl *", "Bash(curl *)"],
    ["Bash(ls", '")"'],
    ["Bash()", "write Bash for all"],
    ["*", "mode"],
    ["Read(../x)", ".."],
    ["Read(!x)", "!"],
    ["WebFetch(https://example.com)", "domain:"],
    ["WebFetch(domain:)", "domain:example.com"],
    ["WebFetch(domain:*)", "domain:example.com"],
    ["WebFetch(domain:*.com)", "too wide"],
    ["WebFetch(domain:a b)", "domain:example.com"],
    ["mcp__x__*(y)", "no pattern"],
    ["mcp__x__y(z)", "no pattern"],
    ["Read(a\0b)", "NUL"],
    ["(x)", "Tool(pattern)"],
    ["x".repeat(5000), "longer"],
  ])("%j", (text, hint) => {
    const reading = parseRule(text);
    expect(reading.ok ? "" : reading.error).toContain(hint);
  });
  test("the readable ones", () => {
    const subjects = [
      "Bash(git status *)",
      "Read(src/**)",
      "FileWrite(a)",
      "WebFetch(domain:*.example.com:8443)",
      "mcp__github",
      "Agent(search)",
      "Grep(src/**)",
      "plugin:tool",
    ].map((text) => {
      const reading = parseRule(text);
      return reading.ok ? [reading.rule.tool, reading.rule.everyTool, reading.rule.subject] : reading.error;
    });
    expect(subjects).toEqual([
      ["Bash", true, { kind: "command", pattern: "git status *" }],
      ["Read", true, { kind: "path", access: "read", glob: "src/**" }],
      ["Write", true, { kind: "path", access: "write", glob: "a" }],
      ["WebFetch", true, { kind: "domain", host: "*.example.com", port: "8443" }],
      ["mcp__github__*", false, { kind: "tool" }],
      ["Agent", false, { kind: "agent", name: "search" }],
      ["Grep", false, { kind: "path", access: "any", glob: "src/**" }],
      ["plugin:tool", false, { kind: "tool" }],
    ]);
  });
  test("a prohibition that cannot be read makes every call ask", () => {
    expect(verdict([read("a")], { deny: ["Read(("] })).toBe("ask");
    expect(verdict([read("a")], { deny: ["curl *"] })).toBe("ask");
    expect(verdict([read("a")], { allow: ["curl *"] })).toBe("allow");
    expect(verdict([read("a")], { ask: [""] }, { mode: "auto" })).toBe("deny");
  });
});

describe("precedence: deny, ask, allow, then the mode", () => {
  const effect = write("src/a.ts");
  test.each([
    [{}, "ask"],
    [{ allow: ["Edit(src/**)"] }, "allow"],
    [{ allow: ["Edit(src/**)"], ask: ["Edit(src/a.ts)"] }, "ask"],
    [{ allow: ["Edit(src/**)"], ask: ["Edit(src/a.ts)"], deny: ["Edit(src)"] }, "deny"],
    [{ allow: ["Write(src/*.ts)"] }, "allow"],
    [{ allow: ["Read(src/**)"] }, "ask"],
    [{ allow: ["Edit(*.ts)"] }, "ask"],
    [{ allow: ["Edit(/repo/src/a.ts)"] }, "allow"],
    [{ allow: ["Edit(./src/a.ts)"] }, "allow"],
    [{ deny: ["Edit(*.ts)"] }, "deny"],
    [{ deny: ["Tool"] }, "deny"],
    [{ ask: ["Tool"], allow: ["Tool"] }, "ask"],
    [{ allow: ["Tool"] }, "allow"],
    [{ allow: ["Other"] }, "ask"],
  ] as const)("%j: %s", (set, expected) => {
    expect(verdict([effect], set)).toBe(expected);
  });
  test("an ask rule also holds where the mode would allow", () => {
    expect(verdict([effect], { ask: ["Edit(src/**)"] }, { mode: "accept-edits" })).toBe("ask");
    expect(verdict([read("a")], { ask: ["Read(a)"] })).toBe("ask");
  });
  test("the decision names the rule in its own words", () => {
    expect(decide(question([effect], { rules: rules({ deny: ["Edit(src/**)"] }) }), world)).toMatchObject({
      verdict: "deny",
      rule: "Edit(src/**)",
      code: "permission_denied",
    });
  });
  test("a rule about a tool also holds for a call without effects", () => {
    expect(verdict([], { deny: ["Tool"] }, { readOnly: true } as Partial<PolicyQuestion>)).toBe("deny");
    expect(verdict([], { allow: ["Tool"] })).toBe("allow");
  });
});

describe("an allow rule never lifts a denial", () => {
  const everything = { allow: ["Tool", "Bash", "Read(/**)", "Edit(/**)", "Write(**)", "Bash(*)", "WebFetch(domain:10.0.0.1)"] };
  test.each([
    [write("/srv/x")],
    [write(".git/hooks/pre-commit")],
    [write("/home/u/.bashrc")],
    [write("../x")],
    [read("/etc/passwd")],
    [read("/home/u/.ssh/id_rsa")],
    [write("/repo/../x")],
    [connect("http://10.0.0.1/")],
    [{ kind: "forbidden", reason: "floor" } as Effect],
  ])("%j", (effect) => {
    expect(verdict([effect], everything)).toBe("deny");
    expect(verdict([run("x"), effect], everything, { tool: "Bash" })).toBe(effect.kind === "connect" ? "allow" : "deny");
  });
  test("plan mode stays read-only", () => {
    expect(verdict([write("a")], everything, { mode: "plan" })).toBe("deny");
    expect(verdict([run("make")], everything, { mode: "plan", tool: "Bash" })).toBe("deny");
  });
});

describe("secret and sensitive files are lifted only by a rule that spells them out", () => {
  test.each([
    ["Read(.env)", ".env", "allow"],
    ["Read(.env.*)", ".env.local", "allow"],
    ["Read(**/.env)", "sub/.env", "allow"],
    ["Read(certs/*.pem)", "certs/a.pem", "allow"],
    ["Read(sub/.env)", "sub/.env", "allow"],
    ["Read(/repo/.env)", ".env", "allow"],
    ["Read(.env)", "sub/.env", "ask"],
    ["Read(**)", ".env", "ask"],
    ["Read(*)", ".env", "ask"],
    ["Read(sub/**)", "sub/.env", "ask"],
    ["Read(/repo/**)", ".env", "ask"],
    ["Read", ".env", "ask"],
    ["Tool", ".env", "ask"],
  ])("%s on %s: %s", (rule, path, expected) => {
    expect(verdict([read(path)], { allow: [rule] })).toBe(expected);
  });
  test.each([
    ["Edit(.mcp.json)", ".mcp.json", "allow"],
    ["Edit(.github/workflows/*)", ".github/workflows/ci.yml", "allow"],
    ["Edit(**)", ".mcp.json", "ask"],
    ["Edit", ".mcp.json", "ask"],
  ])("%s on %s: %s", (rule, path, expected) => {
    expect(verdict([write(path)], { allow: [rule] }, { mode: "accept-edits" })).toBe(expected);
  });
  test("where the workspace lies does not make a rule about secrets", () => {
    const here = worldOf({ workspace: "/srv/secrets.d/.ssh/ws", roots: ["/srv/secrets.d/.ssh/ws"] });
    expect(verdict([read(".env", { cwd: "/srv/secrets.d/.ssh/ws" })], { allow: ["Read(**)"] }, {}, here)).toBe("ask");
    expect(verdict([read("a", { cwd: "/srv/secrets.d/.ssh/ws" })], {}, {}, here)).toBe("allow");
  });
});

describe("path rules hold for every tool and every spelling", () => {
  test("cat .env is a read of .env", () => {
    expect(verdict([run("cat .env", true), read(".env")], { deny: ["Read(.env)"] }, { tool: "Bash" })).toBe("deny");
    expect(
      verdict([run("cat x", true), read("x", { links: { "/repo/x": "/repo/.env" } })], { deny: ["Read(.env)"] }, { tool: "Bash" }),
    ).toBe("deny");
    expect(verdict([run("cat x", true), read("src/../private/a")], { deny: ["Read(private/**)"] }, { tool: "Bash" })).toBe("deny");
  });
  test("a denied name counts at any depth, and so does what is below it", () => {
    expect(verdict([read("a/b/notes.txt")], { deny: ["Read(notes.txt)"] })).toBe("deny");
    expect(verdict([read("private/a/b")], { deny: ["Read(private)"] })).toBe("deny");
    expect(verdict([read("private/a/b")], { deny: ["Read(private/)"] })).toBe("deny");
    expect(verdict([read("public/a")], { deny: ["Read(private)"] })).toBe("allow");
    const here = worldOf({ workspace: "/srv/build/ws", roots: ["/srv/build/ws"] });
    expect(verdict([read("a", { cwd: "/srv/build/ws" })], { deny: ["Read(build)"] }, {}, here)).toBe("allow");
  });
  test("a link is denied by its name and by its target, and allowed by its target alone", () => {
    const link = { links: { "/repo/l": "/srv/docs" } };
    expect(verdict([read("l/x", link)], { deny: ["Read(l/**)"] })).toBe("deny");
    expect(verdict([read("l/x", link)], { deny: ["Read(/srv/**)"] })).toBe("deny");
    expect(verdict([read("l/x", link)], { allow: ["Read(l/**)"] })).toBe("ask");
    expect(verdict([read("l/x", link)], { allow: ["Read(/srv/docs/**)"] })).toBe("allow");
  });
  test("the home, absolute paths and system files that were opened", () => {
    expect(verdict([read("/home/u/notes/a")], { allow: ["Read(~/notes/**)"] })).toBe("allow");
    expect(verdict([read("/home/u/other/a")], { allow: ["Read(~/notes/**)"] })).toBe("ask");
    expect(verdict([read("/etc/nginx/nginx.conf")], {})).toBe("deny");
    expect(verdict([read("/etc/nginx/nginx.conf")], { allow: ["Read(/etc/nginx/**)"] })).toBe("allow");
    expect(verdict([read("/etc/nginx/nginx.conf")], { allow: ["Read(/**)", "Read", "Read(**)"] })).toBe("deny");
    expect(verdict([write("/etc/nginx/nginx.conf")], { allow: ["Edit(/etc/nginx/**)"] })).toBe("deny");
    for (const path of ["/etc/shadow", "/etc/ssl/private/server.crt", "/proc/1/environ", "/proc/self/fd/3", "/run/docker.sock"])
      expect([path, verdict([read(path)], { allow: [`Read(${path})`, "Read(/etc/**)", "Read(/proc/**)"] })]).toEqual([path, "deny"]);
    const closed = worldOf({ systemPaths: "denied" });
    expect(verdict([read("/etc/nginx/nginx.conf")], { allow: ["Read(/etc/nginx/**)"] }, {}, closed)).toBe("deny");
  });
  test("case folds where the file system folds", () => {
    const folding = worldOf({ caseInsensitive: true });
    expect(verdict([read("Private/A")], { deny: ["Read(private/**)"] }, {}, folding)).toBe("deny");
    expect(verdict([read("Private/A")], { deny: ["Read(private/**)"] })).toBe("allow");
  });
  test("special characters in the workspace's own name are literal", () => {
    const here = worldOf({ workspace: "/w/[x](y)*", roots: ["/w/[x](y)*"] });
    expect(verdict([write("src/a.ts", { cwd: "/w/[x](y)*" })], { allow: ["Edit(src/*.ts)"] }, {}, here)).toBe("allow");
  });
  test("a whole tree that may hold denied files", () => {
    const tree = (path: string): Effect[] => [run(`grep -r x ${path}`, true), read(path, { tree: true })];
    expect(verdict(tree("."), { deny: ["Read(private/**)"] }, { tool: "Bash" })).toBe("deny");
    expect(verdict(tree("src"), { deny: ["Read(private/**)"] }, { tool: "Bash" })).toBe("allow");
    expect(verdict(tree("src"), { deny: ["Read(notes.txt)"] }, { tool: "Bash" })).toBe("ask");
    expect(verdict([read(".", { tree: true })], { deny: ["Read(private/**)"] }, { tool: "Grep" })).toBe("allow");
    expect(verdict([write("src", { tree: true, change: "delete" })], { deny: ["Edit(src/keep/**)"] }, { mode: "accept-edits" })).toBe(
      "deny",
    );
    expect(verdict([write("src", { tree: true, change: "delete" })], { allow: ["Edit(src)"] })).toBe("ask");
    expect(verdict([write("src", { tree: true, change: "delete" })], { allow: ["Edit(src/**)"] })).toBe("allow");
  });
  test("a bare name forbids the effect everywhere, and permits it to its own tool only", () => {
    expect(verdict([run("tee a", true), write("a")], { deny: ["Edit"] }, { tool: "Bash" })).toBe("deny");
    expect(verdict([write("a")], { allow: ["Edit"] }, { tool: "Write" })).toBe("ask");
    expect(verdict([write("a")], { allow: ["Edit"] }, { tool: "Edit" })).toBe("allow");
    expect(verdict([read("a")], { deny: ["Grep(src/**)"] }, { tool: "Read" })).toBe("allow");
    expect(verdict([read("src/a")], { deny: ["Grep(src/**)"] }, { tool: "Grep" })).toBe("deny");
  });
});

describe("command rules", () => {
  const allows = (rule: string, text: string, program?: string): boolean => {
    const effect: Effect = { ...(run(text) as RunEffect), ...(program === undefined ? {} : { program }) };
    return verdict([effect], { allow: [rule] }, { tool: "Bash" }) === "allow";
  };
  const denies = (rule: string, text: string, program?: string): boolean => {
    const effect: Effect = { ...(run(text) as RunEffect), ...(program === undefined ? {} : { program }) };
    return verdict([effect], { deny: [rule] }, { tool: "Bash" }) === "deny";
  };
  test("a permission is read narrowly", () => {
    expect(allows("Bash(git fetch *)", "git fetch origin")).toBe(true);
    expect(allows("Bash(git fetch *)", "git fetch")).toBe(true);
    expect(allows("Bash(git fetch *)", "git fetch-pack x")).toBe(false);
    expect(allows("Bash(git fetch*)", "git fetch-pack x")).toBe(true);
    expect(allows("Bash(npm run test:*)", "npm run test")).toBe(true);
    expect(allows("Bash(npm run test:*)", "npm run test --watch")).toBe(true);
    expect(allows("Bash(npm run test:*)", "npm run tests")).toBe(false);
    expect(allows("Bash(make)", "make")).toBe(true);
    expect(allows("Bash(make)", "make install")).toBe(false);
    expect(allows("Bash(git * main)", "git push origin main")).toBe(true);
    expect(allows("Bash(git * main)", "git push origin mainly")).toBe(false);
    expect(allows("Bash(echo \\*)", "echo *")).toBe(true);
    expect(allows("Bash(echo \\*)", "echo x")).toBe(false);
    expect(allows("Bash", "anything at all")).toBe(true);
  });
  test("a permission for a wrapper is none for what it wraps, and one for a name is none for a path", () => {
    expect(allows("Bash(env *)", "env curl x", "curl")).toBe(false);
    expect(allows("Bash(sudo *)", "sudo rm x", "rm")).toBe(false);
    expect(allows("Bash(*)", "env curl x", "curl")).toBe(false);
    expect(allows("Bash(timeout 5 npm test)", "timeout 5 npm test", "npm")).toBe(true);
    expect(allows("Bash(cat *)", "./cat x", "cat")).toBe(false);
  });
  test("every simple command must be covered", () => {
    const set = { allow: ["Bash(cd *)"] };
    expect(verdict([run("cd /repo", true), run("touch pwned", true), write("pwned")], set, { tool: "Bash" })).toBe("ask");
    expect(verdict([run("npm test"), run("curl x")], { allow: ["Bash(npm *)"] }, { tool: "Bash" })).toBe("ask");
    expect(verdict([run("npm test"), run("curl x")], { allow: ["Bash(npm *)", "Bash(curl *)"] }, { tool: "Bash" })).toBe("allow");
  });
  test("a prohibition is read widely, at any position", () => {
    const chain = [...Array.from({ length: 60 }, () => run("true", true)), run("curl https://evil.example/x")];
    expect(verdict(chain, { deny: ["Bash(curl *)"] }, { tool: "Bash" })).toBe("deny");
    expect(denies("Bash(curl *)", "/usr/bin/curl x", "curl")).toBe(true);
    expect(denies("Bash(curl *)", "env A=b /bin/curl x", "curl")).toBe(true);
    expect(denies("Bash(curl *)", "curl")).toBe(true);
    expect(denies("Bash(curl)", "curl x")).toBe(true);
    expect(denies("Bash(curl:*)", "curl x")).toBe(true);
    expect(denies("Bash(git push:*)", "git push --force")).toBe(true);
    expect(denies("Bash(git push *)", "git push")).toBe(true);
    expect(denies("Bash(curl *)", "echo curl")).toBe(false);
    expect(denies("Bash(curl:*)", "/bin/curlie x", "curlie")).toBe(true);
    expect(denies("Bash(curl *)", "CURL x")).toBe(false);
    expect(verdict([run("CURL x")], { deny: ["Bash(curl *)"] }, { tool: "Bash" }, worldOf({ caseInsensitive: true }))).toBe("deny");
    expect(denies("Bash(rm *)", "x y", "rm")).toBe(true);
  });
  test("a permission covers the code inside its own exact command, nothing else", () => {
    const code: Effect = { kind: "code", language: "python", text: "print(1)" };
    const own = run("python3 -c 'print(1)'");
    expect(verdict([own, code], { allow: ["Bash(python3 -c 'print(1)')"] }, { tool: "Bash" })).toBe("allow");
    expect(verdict([own, { ...code, text: "print(2)" }], { allow: ["Bash(python3 -c 'print(1)')"] }, { tool: "Bash" })).toBe("ask");
    expect(verdict([own, run("python2 -c 'print(1)'"), code], { allow: ["Bash(python3 *)", "Bash(python2 -c x)"] }, { tool: "Bash" })).toBe(
      "ask",
    );
    expect(
      verdict([run("ls", true), { kind: "environment", name: "PATH", steersExecution: true }], { allow: ["Bash(ls *)"] }, { tool: "Bash" }),
    ).toBe("ask");
  });
  test("hostile text ends like any other", () => {
    expect(allows(`Bash(${"a*".repeat(1000)}b)`, "a".repeat(60_000))).toBe(false);
    expect(denies(`Bash(${"a*".repeat(1000)}b)`, "a ".repeat(30_000), "a")).toBe(false);
  });
});

describe("domain, agent and server rules", () => {
  const fetches = (rule: string, url: string, method = "GET"): Verdict =>
    verdict([connect(url, method)], { allow: [rule] }, { tool: "WebFetch" });
  test("domains end at labels", () => {
    expect(fetches("WebFetch(domain:example.com)", "https://example.com/x")).toBe("allow");
    expect(fetches("WebFetch(domain:example.com)", "https://a.example.com/")).toBe("ask");
    expect(fetches("WebFetch(domain:*.example.com)", "https://a.example.com/")).toBe("allow");
    expect(fetches("WebFetch(domain:*.example.com)", "https://example.com/")).toBe("ask");
    expect(fetches("WebFetch(domain:example.com)", "https://example.com.evil.example/")).toBe("ask");
    expect(fetches("WebFetch(domain:*.example.com)", "https://evilexample.com/")).toBe("ask");
    expect(fetches("WebFetch(domain:example.com)", "https://example.com:8443/")).toBe("ask");
    expect(fetches("WebFetch(domain:example.com:8443)", "https://example.com:8443/")).toBe("allow");
    expect(fetches("WebFetch(domain:example.com)", "https://example.com/", "POST")).toBe("ask");
    expect(fetches("WebFetch(domain:example.com)", "https://u:p@example.com/")).toBe("deny");
    expect(fetches("WebFetch", "https://u:p@example.com/")).toBe("deny");
    expect(fetches("WebFetch", "https://any.example/")).toBe("allow");
  });
  test("a denied domain takes its subdomains and every method and port along", () => {
    for (const url of ["https://evil.example/", "https://a.evil.example/", "http://evil.example:8080/"]) {
      expect(verdict([run("curl x"), connect(url, "POST")], { deny: ["WebFetch(domain:evil.example)"] }, { tool: "Bash" })).toBe("deny");
    }
  });
  test("servers and agents", () => {
    const remote: Effect = { kind: "remote", server: "github", tool: "list_issues" };
    const ofServer = (set: Partial<Rules>): Verdict => verdict([remote], set, { tool: "mcp__github__list_issues" });
    expect(ofServer({ allow: ["mcp__github__*"] })).toBe("allow");
    expect(ofServer({ allow: ["mcp__github"] })).toBe("allow");
    expect(ofServer({ allow: ["mcp__github__list_issues"] })).toBe("allow");
    expect(ofServer({ allow: ["mcp__git__*"] })).toBe("ask");
    expect(ofServer({ allow: ["mcp__*"], deny: ["mcp__github__list_*"] })).toBe("deny");
    expect(verdict([remote], { deny: ["mcp__github__*"] }, { tool: "other_name" })).toBe("deny");
    expect(verdict([{ kind: "agent", agent: "crawl" }], { deny: ["Agent(crawl)"] }, { tool: "Agent" })).toBe("deny");
    expect(verdict([{ kind: "agent", agent: "search" }], { deny: ["Agent(crawl)"] }, { tool: "Agent" })).toBe("allow");
  });
});
