/** Variables set for a program: those known to be harmless pass, every other one makes the program ask. */
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "./analyze.ts";
import { settingOf } from "./environment.ts";
import type { ShellWorld } from "./types.ts";

const world: ShellWorld = { cwd: "/repo", userHome: "/home/u", workspace: "/repo", gitTrusted: true };

function isUnderstood(command: string, env?: Readonly<Record<string, string>>): boolean {
  return analyzeCommand(command, env === undefined ? world : { ...world, env }).understood;
}

describe("what a setting comes to", () => {
  it.each([
    ["NO_COLOR", "1", "harmless"],
    ["LC_ALL", "en_US.UTF-8", "harmless"],
    ["LC_ALL", "../x", "steers"],
    ["LC_ALL", undefined, "steers"],
    ["TZ", "Europe/Berlin", "harmless"],
    ["TZ", ":/etc/shadow", "steers"],
    ["TERM", "xterm-256color", "harmless"],
    ["TERM", "/repo/x", "steers"],
    ["GIT_PAGER", "cat", "harmless"],
    ["GIT_PAGER", "less", "steers"],
    ["GIT_DIR", "/x", "steers"],
    ["PATH", "/x", "steers"],
    ["TAPE", "host:x", "seen"],
    ["ANYTHING", "1", "seen"],
  ] as const)("%s=%s is %s", (name, value, expected) => {
    expect(settingOf(name, value, true)).toBe(expected);
  });

  it("is nothing to programs as long as it is not exported", () => {
    expect(settingOf("TAPE", "host:x", false)).toBe("harmless");
    expect(isUnderstood("TAPE=host:x; tar tf a.tar")).toBe(true);
  });
});

describe("a variable that is not known to be harmless", () => {
  it.each(["X=1 ls", "env X=1 ls", "export X=1; ls", "declare -x X=1; ls", "X=1 timeout 5 ls", "export X=1 && cd src && ls"])(
    "makes the program ask: %s",
    (command) => {
      expect(isUnderstood(command)).toBe(false);
    },
  );

  it.each(["X=1 echo hi", "export X=1; echo $X", "export X=1; cd src; pwd", "(export X=1); ls", "X=1; ls"])(
    "is nothing to builtins, nor to what does not see it: %s",
    (command) => {
      expect(isUnderstood(command)).toBe(true);
    },
  );

  it("stays exported where the environment has it already", () => {
    const env = { PATH: "/usr/bin", X: "1" };
    expect(isUnderstood("X=2; ls", env)).toBe(false);
    expect(isUnderstood("read -r X <<< 2; ls", env)).toBe(false);
    expect(isUnderstood("for X in 1 2; do ls; done", env)).toBe(false);
    expect(isUnderstood("unset X; ls", env)).toBe(false);
    expect(isUnderstood("Y=2; ls", env)).toBe(true);
  });
});

describe("a variable of the environment that a program obeys", () => {
  it.each([
    ["tar t", "TAPE", "host:x"],
    ["tar tf a.tar", "TAR_OPTIONS", "--to-command=x"],
    ["grep x a.txt", "GREP_OPTIONS", "-r"],
    ["rg x", "RIPGREP_CONFIG_PATH", "./c"],
    ["less a.txt", "LESSOPEN", "|./x %s"],
    ["zcat a.gz", "GZIP", "-k"],
    ["xzcat a.xz", "XZ_OPT", "-k"],
    ["unzip -l a.zip", "UNZIP", "-x"],
    ["ps", "PS_FORMAT", "pid,environ"],
    ["git status", "GIT_DIR", "/x"],
    ["bat a.txt", "BAT_PAGER", "./x"],
  ])("makes %s ask: %s", (command, name, value) => {
    expect(isUnderstood(command, { PATH: "/usr/bin" })).toBe(true);
    expect(isUnderstood(command, { PATH: "/usr/bin", [name]: value })).toBe(false);
  });
});
