import { describe, expect, it } from "vitest";
import { attacks, benign, corpus, decide, floor, world } from "./fixtures/cases.ts";
import { analyzeCommand, type DraftEffect } from "./index.ts";

function effectsOf(command: string): readonly DraftEffect[] {
  return analyzeCommand(command, world).effects;
}

function pathsOf(command: string, kind: "read" | "write"): readonly string[] {
  return effectsOf(command).flatMap((effect) => (effect.kind === kind ? [effect.path] : []));
}

function reasonOf(command: string): string | undefined {
  for (const effect of effectsOf(command)) if (effect.kind === "run" && !effect.understood) return effect.reason;
  return undefined;
}

describe("the policy corpus", () => {
  it("allows nothing that must ask or be denied, and prompts at most twice where nothing must", () => {
    const wrong: string[] = [];
    let prompts = 0;
    for (const { id, expect: expected, command, gitConfigKeys, rules } of corpus) {
      const analysis = analyzeCommand(command, gitConfigKeys === undefined ? world : { ...world, gitTrusted: false, gitConfigKeys });
      const denied =
        rules?.deny?.includes("curl *") === true &&
        analysis.effects.some((effect) => effect.kind === "run" && effect.text.startsWith("curl "));
      const verdict = denied ? "deny" : decide(analysis);
      if (expected === "allow" ? verdict === "deny" : expected === "ask" ? verdict === "allow" : verdict !== "deny")
        wrong.push(`${id} ${verdict}`);
      if (expected === "allow" && verdict === "ask") prompts += 1;
    }
    expect(wrong).toEqual([]);
    expect(prompts).toBeLessThanOrEqual(2);
  });
});

describe("own tables", () => {
  it("never allows another spelling of an attack", () => {
    expect(attacks.filter((command) => decide(analyzeCommand(command, world)) === "allow")).toEqual([]);
  });

  it("denies what is on the floor in every spelling", () => {
    expect(floor.filter((command) => decide(analyzeCommand(command, world)) !== "deny")).toEqual([]);
  });

  it("does not prompt for read-only commands", () => {
    expect(benign.filter((command) => decide(analyzeCommand(command, world)) !== "allow")).toEqual([]);
  });

  it("is a table of at least 300 attacks", () => {
    expect(attacks.length + floor.length).toBeGreaterThanOrEqual(300);
  });
});

it("npm lists what is installed unasked, as long as nothing makes it keep logs or look for news", () => {
  for (const command of ["npm ls", "npm list --depth=0", "npm ls --all --json", "npm root", "npm why x", "npm pkg get version", "npm -v"])
    expect([command, decide(analyzeCommand(command, world))]).toEqual([command, "allow"]);
  for (const command of [
    "npm ls --cache=x",
    "npm --depth=0 install",
    "npm pkg set a=b",
    "npm ls --logs-dir x",
    "npm",
    "npm ll",
    "npm help ls",
  ])
    expect([command, decide(analyzeCommand(command, world))]).toEqual([command, "ask"]);
  for (const env of [{ npm_config_logs_max: "5" }, { npm_config_update_notifier: "true" }])
    expect([env, decide(analyzeCommand("npm ls", { ...world, env }))]).toEqual([env, "ask"]);
});

describe("paths", () => {
  it.each([
    ["cd src && cat a.ts", ["/repo/src/a.ts"]],
    ["cd src; cat a.ts", ["/repo/src/a.ts", "/repo/a.ts"]],
    ["(cd src); cat a.ts", ["/repo/a.ts"]],
    ["cd src | cat a.ts", ["/repo/a.ts"]],
    ["cd /etc && cat passwd", ["/etc", "/etc/passwd"]],
    ["cd link && cat ../x", ["/repo/link/../x"]],
    ["cd link && cd .. && cat x", ["/repo/x"]],
    ["cat ~/x", ["/home/u/x"]],
    ["cat $HOME/x", ["/home/u/x"]],
    ["cat ${HOME}/x", ["/home/u/x"]],
    ["cat $PWD/x", ["/repo/x"]],
    ["cat ~root/x", ["/root/x"]],
    ["cat < x", ["/repo/x"]],
    ["x=a; cat $x.ts", ["/repo/a.ts"]],
    ["x='a b'; cat $x", ["/repo/a", "/repo/b"]],
    ["x='a b'; cat \"$x\"", ["/repo/a b"]],
    ["for f in a b; do cat $f; done", ["/repo/a", "/repo/b"]],
    ["cat {a,b}.ts", ["/repo/a.ts", "/repo/b.ts"]],
    ["cat .{env,x}", ["/repo/.env", "/repo/.x"]],
    ["cat src/*.ts", ["/repo/src"]],
    ["git show HEAD:.env", ["/repo/.env"]],
    ["bash -c 'cat \"$1\"' _ a", ["/repo/a"]],
    ["env -C src cat a", ["/repo/src", "/repo/src/a"]],
    ["find src -name x -newer a", ["/repo/a", "/repo/src"]],
    ["grep -f pats x", ["/repo/pats", "/repo/x"]],
    ["cat 'a b'", ["/repo/a b"]],
    ["cat a\\ b", ["/repo/a b"]],
    ["dd if=~/x", ["/home/u/x"]],
  ])("%s reads %j", (command, paths) => {
    expect(pathsOf(command, "read")).toEqual(paths);
  });

  it.each([
    ["echo x > a", ["/repo/a"]],
    ["echo x 2> a", ["/repo/a"]],
    ["echo x &> a", ["/repo/a"]],
    ["echo x >& a", ["/repo/a"]],
    ["echo x > /dev/null 2>&1", []],
    ["cd .claude && echo {} > settings.json", ["/repo/.claude/settings.json"]],
    ["bash -c 'echo x >> .claude/settings.json'", ["/repo/.claude/settings.json"]],
    ["tee -a ~/.ssh/authorized_keys", ["/home/u/.ssh/authorized_keys"]],
    ["uniq a b", ["/repo/b"]],
    ["sort -ro b a", ["/repo/b"]],
    ["sed -i s/a/b/ f", ["/repo/f"]],
    ["sed -i.bak s/a/b/ f", ["/repo/f", "/repo/f.bak"]],
    ["sed -n 'w out' f", ["/repo/out"]],
    ["cp a ~", ["/home/u", "/home/u/a"]],
    ["cp -t d a", ["/repo/d", "/repo/d/a"]],
    ["mv a b", ["/repo/a", "/repo/b", "/repo/b/a"]],
    ["ln -s a b", ["/repo/b", "/repo/b/a"]],
    ["rm -r d", ["/repo/d"]],
    ["mkdir -p a/b", ["/repo/a/b"]],
    ["dd if=a of=b", ["/repo/b"]],
    ["xxd -r a b", ["/repo/b"]],
    ["curl -o out https://x.example", ["/repo/out"]],
    ["find . -fprint out", ["/repo/out"]],
    ["ls | tee out", ["/repo/out"]],
  ])("%s writes %j", (command, paths) => {
    expect(pathsOf(command, "write")).toEqual(paths);
  });

  it("a pattern that hides a secret name names the secret", () => {
    for (const command of ["cat .e[n]v", "cat .e*", "cat .en?", "cat ./.[e]nv", "cat .*", "grep -r --include='.e*' x ."]) {
      expect([command, pathsOf(command, "read").some((path) => path.endsWith("/.env"))]).toEqual([command, true]);
    }
  });

  it("does not know the directory after cd to somewhere unknown", () => {
    for (const command of ["cd $X; cat a", "cd -; cat a", "pushd x; popd; cat a"])
      expect(analyzeCommand(command, world).understood).toBe(false);
  });
});

describe("effects", () => {
  it("names everything a plain reader does", () => {
    expect(effectsOf("cat a.txt")).toEqual([
      { kind: "read", path: "/repo/a.txt" },
      { kind: "run", program: "cat", text: "cat a.txt", understood: true },
    ]);
  });

  it("names change kinds and trees of a writer", () => {
    expect(effectsOf("rm -rf d")).toEqual([
      { kind: "write", path: "/repo/d", change: "delete", tree: true },
      { kind: "run", program: "rm", text: "rm -rf d", understood: true },
    ]);
  });

  it("sees through wrappers, and shows those that change rights", () => {
    expect(effectsOf("timeout 5 env -i nice -n 5 ls src")).toEqual([
      { kind: "read", path: "/repo/src" },
      { kind: "run", program: "ls", text: "ls src", understood: true },
    ]);
    const reason = "runs with the rights of another user";
    expect(effectsOf("sudo ls src")).toEqual([
      { kind: "run", program: "sudo", text: "sudo ls src", understood: false, reason },
      { kind: "read", path: "/repo/src" },
      { kind: "run", program: "ls", text: "ls src", understood: false, reason },
    ]);
  });

  it("names the address and method of a network program", () => {
    expect(effectsOf("curl -X DELETE https://x.example/a")).toEqual([
      { kind: "connect", url: "https://x.example/a", method: "DELETE" },
      { kind: "run", program: "curl", text: "curl -X DELETE https://x.example/a", understood: false, reason: "talks to the network" },
    ]);
  });

  it("shows code given to an interpreter", () => {
    expect(effectsOf("python3 -c 'print(1)'")).toContainEqual({ kind: "code", language: "python", text: "print(1)" });
    expect(effectsOf('eval "$x"')).toContainEqual({ kind: "code", language: "bash", text: '"$x"' });
  });

  it("canonical text has no quotes or comments it does not need", () => {
    const [, run] = effectsOf("  'c''at'   \"a.txt\"   # why");
    expect(run).toEqual({ kind: "run", program: "cat", text: "cat a.txt", understood: true });
  });

  it("a variable that steers execution makes all later commands doubtful", () => {
    for (const command of [
      "PATH=.; ls",
      "export PATH=.; ls",
      "IFS=x; ls",
      "((PATH=1)); ls",
      "for PATH in .; do ls; done",
      "read PATH; ls",
    ]) {
      const runs = effectsOf(command).filter((effect) => effect.kind === "run" && effect.program === "ls");
      expect([command, runs]).toEqual([command, [expect.objectContaining({ understood: false })]]);
    }
  });

  it("plain assignments are followed and harmless", () => {
    expect(analyzeCommand("x=1; y=$x; export Z=$y; echo $Z", world).understood).toBe(true);
  });
});

describe("the world", () => {
  it("a program found in the workspace or a temporary directory is not the known one", () => {
    for (const place of ["/repo/bin/ls", "/tmp/ls", "/var/tmp/x/ls", "bin/ls"]) {
      expect([place, analyzeCommand("ls", { ...world, which: () => place }).understood]).toEqual([place, false]);
    }
    for (const place of ["/bin/ls", "/usr/bin/ls", "/home/u/.local/bin/ls", undefined]) {
      expect([place, analyzeCommand("ls", { ...world, which: () => place }).understood]).toEqual([place, true]);
    }
  });

  it("a hostile environment makes everything doubtful", () => {
    for (const env of [
      { "BASH_FUNC_ls%%": "() { :; }" },
      { BASH_ENV: "x" },
      { LD_PRELOAD: "x" },
      { PATH: ".:/bin" },
      { PATH: "/bin:" },
      { SHELLOPTS: "xtrace" },
    ]) {
      expect([env, analyzeCommand("ls", { ...world, env }).understood]).toEqual([env, false]);
    }
    expect(analyzeCommand("ls", { ...world, env: { PATH: "/usr/bin:/bin", HOME: "/home/u", LANG: "C" } }).understood).toBe(true);
  });

  it("variables of the environment steer the programs that obey them", () => {
    expect(analyzeCommand("git log", { ...world, env: { GIT_EXTERNAL_DIFF: "x" } }).understood).toBe(false);
    expect(analyzeCommand("git log", { ...world, env: { GIT_PAGER: "cat", PAGER: "cat", GIT_EDITOR: "true" } }).understood).toBe(true);
    expect(analyzeCommand("rg x", { ...world, env: { RIPGREP_CONFIG_PATH: "rc" } }).understood).toBe(false);
    expect(analyzeCommand("less a", { ...world, env: { LESSOPEN: "|x" } }).understood).toBe(false);
    expect(analyzeCommand("cd src", { ...world, env: { CDPATH: "/x" } }).understood).toBe(false);
  });

  it("git in a repository that is not trusted runs unasked only where its configuration starts nothing", () => {
    const untrusted = { ...world, gitTrusted: false };
    const cases: readonly (readonly [string, readonly string[] | undefined, boolean])[] = [
      ["git status", undefined, false],
      ["git rev-parse HEAD", undefined, false],
      ["git status", [], true],
      ["git status", ["core.bare", "remote.origin.url"], true],
      ["git status", ["core.fsmonitor"], false],
      ["git -c core.fsmonitor=false status", ["core.fsmonitor"], true],
      ["git -c core.fsmonitor=true status", ["core.fsmonitor"], false],
      ["git status", ["filter.x.clean"], false],
      ["git diff", ["diff.external"], false],
      ["git diff --no-ext-diff", ["diff.external"], true],
      ["git diff --no-ext-diff", ["diff.x.textconv"], false],
      ["git diff --no-ext-diff --no-textconv", ["diff.x.textconv", "diff.external"], true],
      ["git diff --no-ext-diff --no-textconv", ["core.fsmonitor"], false],
      ["git log -p", ["diff.x.textconv"], false],
      ["git log --no-show-signature", ["log.showsignature"], true],
      ["git log", ["log.showsignature"], false],
      ["git log", ["include.path"], false],
      ["git log", ["extensions.partialclone"], false],
    ];
    for (const [command, gitConfigKeys, understood] of cases) {
      const analysis = analyzeCommand(command, gitConfigKeys === undefined ? untrusted : { ...untrusted, gitConfigKeys });
      expect([command, gitConfigKeys, analysis.understood]).toEqual([command, gitConfigKeys, understood]);
    }
  });

  it("trust in a repository does not reach into another directory", () => {
    for (const command of ["cd vendor && git status", "git -C vendor status", "(cd vendor; git log)"]) {
      expect([command, analyzeCommand(command, world).understood]).toEqual([command, false]);
    }
    const below = { ...world, cwd: "/repo/src" };
    expect(analyzeCommand("cd /repo && git status", below).understood).toBe(false);
    expect(analyzeCommand("cd /repo && git status", { ...below, gitDirectories: ["/repo"] }).understood).toBe(true);
  });

  it("a terminal expands history and starts pagers", () => {
    const terminal = { ...world, interactive: true };
    for (const command of ["echo !!", "echo !ls", "git log", "less a.txt"])
      expect([command, analyzeCommand(command, terminal).understood]).toEqual([command, false]);
    for (const command of ["echo hi!", "git --no-pager log", "ls"])
      expect([command, analyzeCommand(command, terminal).understood]).toEqual([command, true]);
  });
});

describe("reasons", () => {
  it.each([
    ["sort --compress-program=x a", "option --compress-program is not known to be harmless"],
    ["./cat a", "./cat is a program outside the system's directories"],
    ["frobnicate", "frobnicate is not on the list of known programs"],
    ["$x a", "the program is only known when it runs"],
    ["cat $x", "an argument is only known when it runs and could be an option"],
    ['cat -- "$x"', "a path is only known when it runs"],
    ["sed 'e' a", "a sed script that could write files or start programs"],
  ])("%s: %s", (command, reason) => {
    expect(reasonOf(command)).toBe(reason);
  });
});
