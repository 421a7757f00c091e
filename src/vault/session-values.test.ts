import { describe, expect, it, onTestFinished } from "vitest";
import { type Json, ToolFailure, type ValueUse } from "../contract/index.ts";
import { openVault, temporaryHome } from "./fixtures/open-vault.ts";
import { placeholdersIn } from "./placeholders.ts";

const place = { workspace: "/work/project", sessionId: "s1" };
const anywhere: ValueUse = { tool: "WebFetch", hosts: ["api.example.com"] };

async function valuesWith(
  variables: Readonly<Record<string, string>>,
  bound: { tools?: readonly string[]; hosts?: readonly string[]; commands?: readonly string[] } = {},
) {
  const vault = openVault(await temporaryHome(onTestFinished));
  for (const [name, value] of Object.entries(variables)) await vault.set({ name, value, scope: "session", ...bound }, place);
  return vault.values(place);
}

async function failureOf(work: Promise<unknown>): Promise<ToolFailure> {
  const failure = await work.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ToolFailure);
  return failure as ToolFailure;
}

describe("placeholders", () => {
  it("are found in texts at any depth, in order, without literals and names of fields", () => {
    const input = { a: "x $KARYI{ONE} $KARYI{TWO}$KARYI{ONE}", b: [{ c: "$$KARYI{NOT} $KARYI{THREE}" }], "$KARYI{FIELD}": 1 };
    expect(placeholdersIn(input)).toEqual(["ONE", "TWO", "THREE"]);
    expect(placeholdersIn(["$KARYI{1A}", "$KARYI{}", "$KARYI{A B}", "$KARYI{A", "KARYI{A}", "$karyi{A}", null, 5])).toEqual([]);
  });

  it("are found in linear time in anything", () => {
    const cyclic: unknown[] = ["$KARYI{A}"];
    cyclic.push(cyclic);
    let deep: unknown = cyclic;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(placeholdersIn(deep)).toEqual(["A"]);
    expect(placeholdersIn(Array.from({ length: 300_000 }, () => "$KARYI{B}"))).toEqual(["B"]);
    for (const unit of ["$", "$KARYI{", "$KARYI{A", "$$KARYI{"]) expect(placeholdersIn(unit.repeat(300_000))).toEqual([]);
    expect(placeholdersIn(`$KARYI{${"A".repeat(1_000_000)}}`)).toEqual([]);
  });
});

describe("bound to commands", () => {
  const used = (commands?: readonly string[]): ValueUse => ({ tool: "Bash", hosts: [], commands });

  it.each([
    ["gh", ["gh"]],
    ["gh", ["gh api /user", "gh auth status"]],
    ["git push *", ["git push", "git push origin main"]],
    ["npm publish --tag *", ["npm publish --tag next"]],
    ["gh * --json *", ["gh pr list --json id"]],
  ])("%s lets %j have it", async (pattern, commands) => {
    const values = await valuesWith({ A: "value-of-a" }, { commands: [pattern] });
    expect(await values.reveal("A", used(commands))).toBe("value-of-a");
  });

  it.each([
    ["gh", undefined],
    ["gh", []],
    ["gh", ["ghost"]],
    ["gh", ["gh api", "rev"]],
    ["git push *", ["git pushed"]],
    ["git push *", ["git log"]],
    ["gh * --json *", ["gh pr list"]],
  ])("%s keeps it from %j", async (pattern, commands) => {
    const values = await valuesWith({ A: "value-of-a" }, { commands: [pattern] });
    expect(await failureOf(values.reveal("A", used(commands)))).toMatchObject({ code: "permission_denied" });
  });

  it("nothing binds to anything at all", async () => {
    for (const pattern of ["*", " ", "* push"])
      expect(await failureOf(valuesWith({ A: "value-of-a" }, { commands: [pattern] }))).toMatchObject({ code: "invalid_tool_input" });
  });

  it("texts that hold values are told by name", async () => {
    const values = await valuesWith({ A: "value-of-a", B: "value-of-b" });
    expect(await values.heldIn(["x", "Bearer value-of-b"])).toEqual([{ name: "B", value: "value-of-b" }]);
  });
});

describe("substitute", () => {
  it("fills every text in, unescapes literals, and leaves the rest as it is", async () => {
    const values = await valuesWith({ A: "value-a", B: "value $KARYI{A} $& $1" });
    const input: Json = { text: "<$KARYI{A}> $$KARYI{A} $$$KARYI{A}", list: ["$KARYI{B}", 1, null], untouched: { x: true } };
    expect(await values.substitute(input, anywhere, [])).toEqual({
      text: "<value-a> $KARYI{A} $$KARYI{A}",
      // A value is never read for placeholders or patterns itself.
      list: ["value $KARYI{A} $& $1", 1, null],
      untouched: { x: true },
    });
    expect(await values.substitute("$KARYI{A}", anywhere, [])).toBe("value-a");
    const plain: Json = { a: ["b"] };
    expect(await values.substitute(plain, anywhere, [])).toBe(plain);
  });

  it("leaves the parameters alone that a tool resolves itself, and asks for none of their variables", async () => {
    const values = await valuesWith({ A: "value-a" });
    const input: Json = { command: "echo $KARYI{MISSING} $$KARYI{A}", note: "$KARYI{A}", inner: { command: "$KARYI{A}" } };
    expect(await values.substitute(input, anywhere, ["command"])).toEqual({
      command: "echo $KARYI{MISSING} $$KARYI{A}",
      note: "value-a",
      inner: { command: "value-a" },
    });
  });

  it("a missing variable fails closed, with what to do", async () => {
    const values = await valuesWith({ A: "value-a" });
    const failure = await failureOf(values.substitute({ x: "$KARYI{NOPE} $KARYI{A} $KARYI{NADA}" }, anywhere, []));
    expect(failure.toError()).toMatchObject({ code: "tool_not_found", details: { reason: "value_missing", names: ["NOPE", "NADA"] } });
    expect(failure.hint).toContain("GetValue");
    expect(failure.hint).toContain("karyi var set NOPE");
    expect((await failureOf(values.reveal("NOPE", anywhere))).details).toMatchObject({ reason: "value_missing" });
  });

  it("in `warn` mode a missing variable stays as it is written, with a warning", async () => {
    const vault = openVault(await temporaryHome(onTestFinished));
    const warnings: string[] = [];
    const values = vault.values(place, { missing: "warn", warn: (message) => warnings.push(message) });
    expect(await values.substitute({ x: "$KARYI{NOPE}" }, anywhere, [])).toEqual({ x: "$KARYI{NOPE}" });
    expect(warnings).toEqual(["There is no variable NOPE: left as it is written."]);
  });

  it("refuses input that is nested beyond all measure", async () => {
    const values = await valuesWith({ A: "value-a" });
    let deep: Json = "$KARYI{A}";
    for (let level = 0; level < 10_000; level++) deep = [deep];
    expect((await failureOf(values.substitute(deep, anywhere, []))).code).toBe("invalid_tool_input");
  });
});

describe("bound variables", () => {
  const refusal = { code: "permission_denied", details: { reason: "value_not_bound", name: "A" } };

  it("go to no other host, nor where the host is not known", async () => {
    const values = await valuesWith({ A: "value-of-a" }, { hosts: ["api.example.com", "*.trusted.example"] });
    const to = (...hosts: readonly string[]) => values.substitute({ x: "$KARYI{A}" }, { tool: "WebFetch", hosts }, []);
    for (const host of ["api.example.com", "API.EXAMPLE.COM.", "a.trusted.example", "a.b.trusted.example"])
      expect(await to(host)).toEqual({ x: "value-of-a" });
    for (const host of [
      "evil.example",
      "example.com",
      "xapi.example.com",
      "api.example.com.evil.example",
      "trusted.example",
      "xtrusted.example",
    ]) {
      const failure = await failureOf(to(host));
      expect(failure.toError()).toMatchObject(refusal);
      expect(failure.message).not.toContain("value-of-a");
    }
    expect((await failureOf(to("api.example.com", "evil.example"))).toError()).toMatchObject(refusal);
    expect((await failureOf(to())).toError()).toMatchObject(refusal);
    expect((await failureOf(values.reveal("A", { tool: "Bash", hosts: [] }))).toError()).toMatchObject(refusal);
  });

  it("are used by no other tool", async () => {
    const values = await valuesWith({ A: "value-of-a" }, { tools: ["Bash", "mcp__github__*"] });
    expect(await values.reveal("A", { tool: "Bash", hosts: [] })).toBe("value-of-a");
    expect(await values.reveal("A", { tool: "mcp__github__create_issue", hosts: [] })).toBe("value-of-a");
    expect((await failureOf(values.reveal("A", { tool: "WebFetch", hosts: ["x.example"] }))).toError()).toMatchObject(refusal);
  });
});
