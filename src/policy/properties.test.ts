import { expect, test } from "vitest";
import fc from "../../test/support/fast-check.ts";
import {
  defaultTraits,
  type Effect,
  type Mode,
  modes,
  type PathFacts,
  type PolicyQuestion,
  type PolicyWorld,
  type Rules,
  type Verdict,
} from "../contract/index.ts";
import { decide, decideWithin, explain, factsFromText, judgeUrl, parseRule, policyVersion, proposeRules } from "./index.ts";
import { noRules, worldOf } from "./test-world.ts";

const runs = process.env.KARYI_FULL === "1" ? 8000 : 600;
const weight: Readonly<Record<Verdict, number>> = { allow: 0, rehearse: 1, ask: 2, deny: 3 };

const name = fc.constantFrom(
  "repo",
  "src",
  "a.ts",
  ".env",
  ".git",
  "hooks",
  "config",
  "..",
  ".",
  "",
  "home",
  "u",
  ".ssh",
  "etc",
  "proc",
  "C:",
  "nul",
  "\0",
  "\ud800",
  "~",
  "*",
  ".GIT",
  "x:y",
  "a\nb",
);
const path = fc.oneof(
  fc.array(name, { maxLength: 8 }).map((names) => `/${names.join("/")}`),
  fc.array(name, { maxLength: 6 }).map((names) => `/repo/${names.join("/")}`),
  fc.array(name, { maxLength: 5 }).map((names) => names.join("\\")),
  fc.string({ unit: "binary" }),
);
const links = fc.dictionary(
  fc.constantFrom("/repo/src", "/repo/a.ts", "/home/u", "/repo"),
  fc.constantFrom("/etc", "/repo/.git", "/home/u/.ssh", "src", "..", "/repo/src"),
);
const anyFacts: fc.Arbitrary<PathFacts> = fc.oneof(
  fc
    .record({
      asked: path,
      cwd: fc.constantFrom("/repo", "/repo/src", "/"),
      platform: fc.constantFrom("posix", "win32"),
      links,
      hardLinks: fc.nat(3),
    })
    .map(({ asked, ...text }) => factsFromText(asked, text)),
  fc.record({
    asked: path,
    spelled: path,
    lexical: path,
    real: path,
    kind: fc.constantFrom("file", "directory", "fifo", "socket", "device", "absent", "unreadable"),
  }),
);
const url = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.webUrl(),
  fc
    .tuple(
      fc.constantFrom("http://", "https://", "file://", "ssh://", "tcp://"),
      fc.oneof(
        fc.ipV4(),
        fc.ipV6().map((ip) => `[${ip}]`),
        fc.domain(),
        fc.string(),
      ),
      fc.webPath(),
    )
    .map((parts) => parts.join("")),
);
const text = fc.oneof(fc.constantFrom("ls", "npm test", "curl x", "env curl x", "rm -rf *", "git push"), fc.string({ unit: "binary" }));

const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({ kind: fc.constant("read" as const), path: anyFacts, tree: fc.boolean() }),
  fc.record({
    kind: fc.constant("write" as const),
    path: anyFacts,
    change: fc.constantFrom("create", "modify", "delete", "mode", "link"),
    tree: fc.boolean(),
    unread: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("run" as const), program: fc.constantFrom("ls", "npm", "curl", "rm", ""), text, understood: fc.boolean() }),
  fc.record({
    kind: fc.constant("connect" as const),
    url,
    method: fc.constantFrom("GET", "POST", "x"),
    addresses: fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant("environment" as const), name: fc.constantFrom("PATH", "LD_PRELOAD", "X"), steersExecution: fc.boolean() }),
  fc.record({ kind: fc.constant("code" as const), language: fc.string(), text }),
  fc.record({ kind: fc.constant("agent" as const), agent: fc.string() }),
  fc.record({ kind: fc.constant("remote" as const), server: fc.string(), tool: fc.string() }),
  fc.record({ kind: fc.constant("state" as const), area: fc.constantFrom("tasks", "terminal", "values") }),
  fc.record({ kind: fc.constant("forbidden" as const), reason: fc.string() }),
  fc.record({ kind: fc.constant("unknown" as const), reason: fc.string() }),
);

const rule = fc.oneof(
  fc.constantFrom(
    "Read",
    "Edit(src/**)",
    "Edit(**)",
    "Read(.env)",
    "Read(/**)",
    "Write(~/x)",
    "Bash",
    "Bash(*)",
    "Bash(npm test *)",
    "Bash(ls)",
    "WebFetch",
    "WebFetch(domain:example.com)",
    "mcp__x__*",
    "Tool",
    "Agent(a)",
    "Read({a,b}/[x]*)",
    "Read((((",
    "curl *",
  ),
  fc
    .tuple(fc.constantFrom("Read", "Edit", "Bash", "WebFetch"), fc.string({ unit: "binary" }))
    .map(([tool, pattern]) => `${tool}(${pattern})`),
  fc.string({ unit: "binary" }),
);
const ruleSet: fc.Arbitrary<Rules> = fc.record({
  allow: fc.array(rule, { maxLength: 4 }),
  ask: fc.array(rule, { maxLength: 2 }),
  deny: fc.array(rule, { maxLength: 2 }),
});
const mode: fc.Arbitrary<Mode> = fc.constantFrom(...modes);
const world: fc.Arbitrary<PolicyWorld> = fc
  .record({
    roots: fc.constantFrom(["/repo"], ["/repo", "/srv"], []),
    temporary: fc.constantFrom([], ["/tmp/x"]),
    systemPaths: fc.constantFrom(undefined, "denied" as const),
    allowedDomains: fc.constantFrom([], ["example.com", "*.example.org", "", "*"]),
    platform: fc.constantFrom("posix" as const, "win32" as const),
    caseInsensitive: fc.boolean(),
    sandboxed: fc.boolean(),
  })
  .map(worldOf);
const asked: fc.Arbitrary<PolicyQuestion> = fc
  .record({
    tool: fc.constantFrom("Bash", "Read", "Edit", "Tool", "mcp__x__y"),
    readOnly: fc.boolean(),
    confirm: fc.boolean(),
    effects: fc.array(effect, { maxLength: 4 }),
    mode,
    rules: ruleSet,
    doubtful: fc.boolean(),
    rehearsable: fc.boolean(),
  })
  .map(({ readOnly, confirm, ...rest }) => ({
    ...rest,
    traits: { ...defaultTraits, readOnly, permission: confirm ? ("confirm" as const) : ("auto" as const) },
  }));

test("never throws, and the worst effect decides", () => {
  fc.assert(
    fc.property(asked, world, (question, where) => {
      const decision = decide(question, where);
      expect(explain(decision)).toContain(decision.verdict);
      expect(decision.effects).toHaveLength(question.effects.length);
      for (const { verdict } of decision.effects) expect(weight[decision.verdict]).toBeGreaterThanOrEqual(weight[verdict]);
      expect(decision.code !== undefined).toBe(decision.verdict === "deny");
      if (question.mode === "auto") expect(["allow", "deny"]).toContain(decision.verdict);
      if (question.effects.some(({ kind }) => kind === "forbidden")) expect(decision.verdict).toBe("deny");
    }),
    { numRuns: runs },
  );
});

test("adding a deny or an ask rule never widens", () => {
  fc.assert(
    fc.property(asked, world, rule, fc.constantFrom("deny" as const, "ask" as const), (question, where, extra, list) => {
      const before = decide(question, where).verdict;
      const after = decide({ ...question, rules: { ...question.rules, [list]: [...question.rules[list], extra] } }, where).verdict;
      expect(weight[after]).toBeGreaterThanOrEqual(weight[before]);
    }),
    { numRuns: runs },
  );
});

test("adding an allow rule never touches a denial", () => {
  fc.assert(
    fc.property(asked, world, fc.array(rule, { maxLength: 5 }), (question, where, extra) => {
      const bare = { ...question, rules: { ...question.rules, allow: [] } };
      const plain = decide({ ...bare, mode: question.mode === "auto" ? "default" : question.mode }, where);
      const wide = decide(
        { ...bare, mode: question.mode === "auto" ? "default" : question.mode, rules: { ...question.rules, allow: extra } },
        where,
      );
      // A system directory is closed until a rule opens it by its name.
      if (plain.verdict === "deny" && plain.rule !== "builtin:system") expect(wide.verdict).toBe("deny");
    }),
    { numRuns: runs },
  );
});

test("more effects, or doubt, never make a call milder", () => {
  fc.assert(
    fc.property(asked, world, effect, (question, where, extra) => {
      // A command among the effects changes what the others mean, so only what keeps the kind of call is compared.
      fc.pre(extra.kind !== "run" && question.effects.length > 0);
      const before = decide(question, where).verdict;
      expect(weight[decide({ ...question, effects: [...question.effects, extra] }, where).verdict]).toBeGreaterThanOrEqual(weight[before]);
      expect(weight[decide({ ...question, doubtful: true }, where).verdict]).toBeGreaterThanOrEqual(weight[before]);
    }),
    { numRuns: runs },
  );
});

test("a child's rights are never wider than its parent's", () => {
  fc.assert(
    fc.property(asked, world, mode, ruleSet, (question, where, childMode, childRules) => {
      const parent = { mode: question.mode, rules: question.rules };
      const child = { mode: childMode, rules: childRules };
      const both = decideWithin([parent, child], question, where);
      for (const scope of [parent, child]) {
        const alone = decide({ ...question, ...scope }, where);
        expect(weight[both.verdict]).toBeGreaterThanOrEqual(weight[alone.verdict]);
        both.effects.forEach(({ verdict }, index) => {
          expect(weight[verdict]).toBeGreaterThanOrEqual(weight[alone.effects[index]?.verdict ?? "allow"]);
        });
      }
    }),
    { numRuns: runs },
  );
});

test("a write outside the roots and the system's files are refused whatever the rules and the mode", () => {
  const outside = fc.constantFrom(
    "/srv/x",
    "/etc/passwd",
    "/home/u/.bashrc",
    "/repo-evil/a",
    "/repo/../x",
    "/repo/.git/hooks/x",
    "/repo/.karyi/config.json",
    "/dev/sda",
  );
  fc.assert(
    fc.property(outside, ruleSet, mode, fc.boolean(), (target, rules, anyMode, sandboxed) => {
      const write: Effect = { kind: "write", change: "modify", path: factsFromText(target, { cwd: "/repo", platform: "posix" }) };
      const question: PolicyQuestion = { tool: "Tool", traits: defaultTraits, effects: [write], mode: anyMode, rules };
      expect(decide(question, worldOf({ sandboxed })).verdict).toBe("deny");
    }),
    { numRuns: runs },
  );
});

test("a proposal turns its own question into a permission, and no more than questions", () => {
  fc.assert(
    fc.property(asked, world, (question, where) => {
      const decision = decide(question, where);
      const { rules } = proposeRules(question, decision, where);
      if (rules.length === 0) return;
      expect(["ask", "rehearse"]).toContain(decision.verdict);
      for (const text of rules) expect(parseRule(text).ok).toBe(true);
      expect(decide({ ...question, rules: { ...question.rules, allow: [...question.rules.allow, ...rules] } }, where).verdict).toBe(
        "allow",
      );
    }),
    { numRuns: runs },
  );
});

test("addresses and rules of any text are judged, not thrown at", () => {
  fc.assert(
    fc.property(url, fc.string({ unit: "binary" }), (address, text) => {
      expect(["allow", "ask", "deny"]).toContain(judgeUrl(address, worldOf()).verdict);
      expect(typeof parseRule(text).ok).toBe("boolean");
    }),
    { numRuns: runs },
  );
});

test("a chain of nobody is denied", () => {
  expect(decideWithin([], { tool: "Read", traits: defaultTraits, effects: [] }, worldOf()).verdict).toBe("deny");
});

test("a policy's name depends on what decides and on nothing else", () => {
  const base = worldOf({ allowedDomains: ["a.example", "b.example"] });
  const version = policyVersion({ ...noRules, allow: ["Read", "Edit"] }, "default", base);
  expect(
    policyVersion({ ...noRules, allow: ["Edit", "Read", "Read"] }, "default", { ...base, allowedDomains: ["b.example", "a.example"] }),
  ).toBe(version);
  const others = [
    policyVersion({ ...noRules, ask: ["Read", "Edit"] }, "default", base),
    policyVersion({ ...noRules, allow: ["Read"] }, "default", base),
    policyVersion({ ...noRules, allow: ["Read", "Edit"] }, "auto", base),
    policyVersion({ ...noRules, allow: ["Read", "Edit"] }, "default", { ...base, sandboxed: true }),
    policyVersion({ ...noRules, allow: ["Read", "Edit"] }, "default", { ...base, roots: ["/repo", "/x"] }),
    policyVersion({ ...noRules, allow: ["Read", "Edit"] }, "default", { ...base, allowedDomains: [] }),
  ];
  expect(new Set([version, ...others]).size).toBe(7);
});
