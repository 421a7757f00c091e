/** The configuration explains itself: every key has its words beside its schema, and docs/config.md says the same. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configKeys, explainKey, ruleForms } from "../src/compose/index.ts";
import { parseRule } from "../src/policy/index.ts";
import { configReference } from "./support/config-reference.ts";
import { temporaryDirectory } from "./support/engine.ts";

const karyi = join(import.meta.dirname, "../bin/karyi.js");

function explain(home: string, language: string, ...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, KARYI_LANG: language };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [karyi, "config", ...words, "--home", home, "--workspace", home], { env }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

describe("every key", () => {
  it("has words in English and Chinese beside its schema", () => {
    expect(
      configKeys()
        .filter(({ en, zh }) => !/[.:]$/.test(en) || !/\p{Script=Han}/u.test(zh))
        .map(({ key }) => key),
    ).toEqual([]);
  });

  it("stands in docs/config.md (npm run docs writes it)", async () => {
    await expect(configReference()).toMatchFileSnapshot("../docs/config.md");
  });

  it("is found by its name, below a list too, and a mistyped one by the nearest name", () => {
    expect(explainKey("hooks.command")).toMatchObject({ key: "hooks[].command", required: true });
    expect(explainKey("sandbox")).toMatchObject({ type: "object", below: expect.arrayContaining(["sandbox.network"]) });
    expect(explainKey("sandbox.netwrk")).toEqual({ unknown: "sandbox.netwrk", near: "sandbox.network" });
  });
});

it("every example of a rule form can be read, and all kinds of subject are shown", () => {
  const subjects = ruleForms.map(({ example }) => {
    const reading = parseRule(example);
    return reading.ok ? reading.rule.subject.kind : reading.error;
  });
  expect([...new Set(subjects)].sort()).toEqual(["agent", "command", "domain", "path", "tool"]);
});

describe("karyi config explain", () => {
  it("says what a key does, its default and which layer sets it", async () => {
    const home = await temporaryDirectory();
    expect((await explain(home, "en", "set", "mode", "plan")).code).toBe(0);
    const { out } = await explain(home, "en", "explain", "mode", "--json");
    expect(JSON.parse(out)).toMatchObject({ key: "mode", default: "default", value: "plan", set_by: "home", below: [] });
    const text = await explain(home, "en", "explain", "permissions.deny");
    expect([text.code, text.out.includes("Read(private/**)"), text.out.includes("not set")]).toEqual([0, true, true]);
  });

  it("speaks Chinese, and an unknown key is wrong usage with the nearest one", async () => {
    const home = await temporaryDirectory();
    expect((await explain(home, "zh", "explain", "sandbox")).out).toContain("命令如何受到限制");
    const wrong = await explain(home, "en", "explain", "sandbx");
    expect([wrong.code, wrong.err.includes("Did you mean 'sandbox'?")]).toEqual([2, true]);
  });
});
