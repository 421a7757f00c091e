import { expect, it } from "vitest";
import { readingGit } from "./git-environment.ts";

const pairsOf = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: Number(env.GIT_CONFIG_COUNT) }, (_, index) => [env[`GIT_CONFIG_KEY_${index}`], env[`GIT_CONFIG_VALUE_${index}`]]),
  );

it("variables of git that somebody set are gone, all others stay", () => {
  const env = readingGit({ PATH: "/bin", GIT_DIR: "/evil", GIT_EXTERNAL_DIFF: "/evil/run", GITHUB: "x" }, []);
  expect(env).toMatchObject({ PATH: "/bin", GITHUB: "x", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" });
  expect(Object.keys(env).filter((name) => name === "GIT_DIR" || name === "GIT_EXTERNAL_DIFF")).toEqual([]);
  expect(pairsOf(env)).toMatchObject({ "core.fsmonitor": "false", "core.hooksPath": "/dev/null", "credential.helper": "" });
});

it("keys with a name of their own are switched off by that name", () => {
  const names = [
    "filter.my lfs.process",
    "filter.x.clean",
    "diff.img.textconv",
    "remote.a.b.promisor",
    "hook.lint.command",
    "user.name",
    "diff.img.binary",
  ];
  const pairs = pairsOf(readingGit({}, names));
  expect(pairs).toMatchObject({
    "filter.my lfs.process": "",
    "filter.x.clean": "cat",
    "diff.img.textconv": "cat",
    "remote.a.b.promisor": "false",
    "hook.lint.enabled": "false",
  });
  expect([pairs["user.name"], pairs["diff.img.binary"]]).toEqual([undefined, undefined]);
});
