/** One word a concept in Chinese, wherever a person reads it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** What is not said, and the word that is: a proxy of the network is called 代理服务器, so that 代理 alone is nothing. */
const replaced: readonly (readonly [RegExp, string])[] = [
  [/代理(?!服务器)/u, "智能体"],
  [/演练|预演|彩排/u, "试运行"],
  [/您/u, "你"],
];

/** Patterns of other people's pages, which we do not word. */
const foreign = /furniture-names\.ts$|\/fixtures\/|\.test\.tsx?$|schema\.ts$/;

function texts(): string[] {
  const below = (directory: string, ending: RegExp): string[] =>
    readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
      .filter((name) => ending.test(name))
      .map((name) => join(root, directory, name));
  return [...below("src", /\.ts$/), ...below("console/src", /\.tsx?$/), ...below("docs", /\.md$/), join(root, "README.zh.md")].filter(
    (path) => !foreign.test(path) || path.endsWith("config-schema.ts"),
  );
}

it("says agent, sub-agent, dry run and you with one Chinese word each", () => {
  const wrong: string[] = [];
  let chinese = 0;
  for (const path of texts()) {
    for (const [index, line] of readFileSync(path, "utf8").split("\n").entries()) {
      if (!/\p{Script=Han}/u.test(line)) continue;
      chinese += 1;
      for (const [old, word] of replaced) if (old.test(line)) wrong.push(`${relative(root, path)}:${index + 1} ${old.source}: say ${word}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(chinese).toBeGreaterThan(500);
});
