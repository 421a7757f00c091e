/** What git would show of committed secrets asks, like reading the file; in repositories without any, git asks nothing. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEngine } from "../src/index.ts";
import { secretNames, secretReason } from "../src/policy/paths/secrets.ts";
import { trackedPaths } from "../src/tools/shell/git-index.ts";
import { mayBeSecret } from "../src/tools/shell/secret-names.ts";

function git(cwd: string, ...args: string[]): Buffer {
  return execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@x.example", ...args], { cwd, stdio: ["ignore", "pipe", "ignore"] });
}

/** A repository with these files committed, and an ignored `.env` beside them. */
async function repository(files: readonly string[], ...init: string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-git-secrets-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const workspace = join(root, "w");
  mkdirSync(workspace);
  git(workspace, "init", "-q", ...init);
  for (const file of ["a.ts", "src/b.ts", "docs/c.md", ...files]) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), "x\n");
  }
  git(workspace, "add", "-A");
  git(workspace, "commit", "-qm", "one");
  writeFileSync(join(workspace, ".gitignore"), ".env\n");
  writeFileSync(join(workspace, ".env"), "K=v\n");
  const engine = await createEngine({ workspace, home: join(root, "home") });
  onTestFinished(() => engine.close());
  const session = await engine.openSession();
  return { workspace, verdict: async (command: string) => (await session.explain("Bash", { command })).decision.verdict };
}

const wholeTree = [
  "git log -p",
  "git log -1 -p",
  "git log --patch-with-stat -3",
  "git log -U0",
  "git log --cc -2",
  "git log -p -S -- main",
  "git show",
  "git show HEAD",
  "git show HEAD~0 --stat -p",
  "git show -s deadbeef",
  "git diff",
  "git diff HEAD",
  "git diff --cached",
  "git diff -- '*'",
  "git diff -- ':!docs'",
  "git diff -- :/",
  "git grep x",
  "git grep x HEAD",
  "git grep -e -- HEAD",
  "git grep 'x/'",
  "git grep -l x",
  "git stash show -p",
  "git stash show",
  "git stash list -p",
  "git cat-file -p deadbeef",
  "git cat-file blob deadbeef",
  "git status -v",
  "git diff-tree -p HEAD",
  "git whatchanged -p",
  "cd src && git show HEAD",
];
const named = [
  "git show HEAD:.env",
  "git show :.env",
  "git show HEAD:config/prod.key",
  "git cat-file -p HEAD:.env",
  "git blame .env",
  "git blame HEAD -- .env",
  "git diff HEAD~1 -- .env",
  "git log -p -- .env",
  "git grep x -- .env",
  "git grep x HEAD -- .env",
  "git diff --no-index /dev/null .env",
  "git archive HEAD",
];
const free = [
  "git log",
  "git log --oneline -5",
  "git log --stat",
  "git log --name-only",
  "git log -S secret",
  "git status",
  "git status -s",
  "git diff --stat",
  "git diff --name-only HEAD~1",
  "git diff --quiet",
  "git show --stat",
  "git show -s HEAD",
  "git show --name-only --format=%h HEAD",
  "git show HEAD:a.ts",
  "git diff HEAD -- src",
  "git diff ./src",
  "git log -p -- src/b.ts",
  "git grep x -- src",
  "git grep x src/",
  "git blame a.ts",
  "git stash list",
  "git ls-files",
  "git ls-tree -r HEAD",
  "git cat-file -t HEAD",
  "git rev-parse HEAD",
  "git branch -a",
];

describe("contents that git shows", () => {
  it("a tracked secret makes git ask where it would show it, and nowhere else", async () => {
    const { verdict } = await repository([".env.production", "config/prod.key"]);
    for (const command of [...wholeTree, ...named]) expect([command, await verdict(command)]).toEqual([command, "ask"]);
    for (const command of free) expect([command, await verdict(command)]).toEqual([command, "allow"]);
  });

  it("without a tracked secret nothing asks but what names one", async () => {
    const { verdict } = await repository([".env.example", "src/credentials.ts"]);
    for (const command of [...wholeTree, ...free]) expect([command, await verdict(command)]).toEqual([command, "allow"]);
    for (const command of named) expect([command, await verdict(command)]).toEqual([command, "ask"]);
  });

  it("many harmless names do not hide the one that is not", async () => {
    const examples = Array.from({ length: 60 }, (_, index) => `${index}/.env.example`);
    const { workspace, verdict } = await repository(["deep/x.pem", ...examples]);
    rmSync(join(workspace, ".env"));
    for (const command of ["git show", "grep -r x .", "rg --hidden x"]) expect([command, await verdict(command)]).toEqual([command, "ask"]);
  });
});

it("git is trusted in a directory the command goes to, unless a repository there says otherwise", async () => {
  const { workspace, verdict } = await repository([]);
  mkdirSync(join(workspace, "nested"));
  git(join(workspace, "nested"), "init", "-q");
  for (const command of ["cd src && git status", "git -C src log -1", "cd 'docs' && cd ../src && git diff", "cd nested && git log"])
    expect([command, await verdict(command)]).toEqual([command, "allow"]);
  git(join(workspace, "nested"), "config", "core.fsmonitor", "./run-me");
  mkdirSync(join(workspace, "nested/sub"));
  symlinkSync("nested/sub", join(workspace, "link"));
  for (const command of [
    "cd nested && git status",
    "git -C nested status",
    "git -C link status",
    "cd src && git -C ../link/.. status",
    "cd src && cd -P ../link/.. && git status",
    "d=nested; cd $d && git status",
    "cd src/.. && cd nested; git status",
  ])
    expect([command, await verdict(command)]).toEqual([command, "ask"]);
});

describe("the index", () => {
  it.each([
    ["2", []],
    ["3", []],
    ["4", []],
    ["2", ["--object-format=sha256"]],
    ["4", ["--object-format=sha256"]],
  ] as const)("of version %s %j lists what git lists", async (version, init) => {
    const { workspace } = await repository(["src/deep/a-longer-name.ts", "src/deep/b", "ü/中.txt", `l/${"x".repeat(200)}`], ...init);
    git(workspace, "update-index", "--index-version", version);
    if (version === "3") {
      writeFileSync(join(workspace, "new"), "x");
      git(workspace, "add", "-N", "new");
    }
    const listed = git(workspace, "ls-files", "-z").toString().split("\0").slice(0, -1);
    expect(trackedPaths(execFileSync("cat", [join(workspace, ".git/index")]))).toEqual(listed);
  });

  it("that is cut off, split or empty is not guessed at", async () => {
    const { workspace, verdict } = await repository([]);
    const bytes = execFileSync("cat", [join(workspace, ".git/index")]);
    expect([trackedPaths(bytes.subarray(0, 90)), trackedPaths(new Uint8Array()), trackedPaths(Buffer.from("DIRC"))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    git(workspace, "update-index", "--split-index");
    expect([await verdict("git show"), trackedPaths(execFileSync("cat", [join(workspace, ".git/index")]))]).toEqual(["ask", undefined]);
  });
});

it("every name the policy asks about is looked for", () => {
  const samples = [
    ...secretNames.flatMap((name) => [name, `${name}/x`, `${name}.bak`, `${name}~`]),
    ..."config/gh/hosts.yml .config/gh/hosts.yml .docker/config.json .cargo/credentials.toml .m2/settings.xml a.pem b.KEY c.tfstate x.env x.env.bak .ENV .env-prod .env_x .envrc.old id_rsa id_ed25519.bak service-account.json my-credentials.json x_service_account.json client_secret_1.json firebase-adminsdk-x.json credentials.yml .credentials secrets.yaml secret.json secrets .secret ..env.swp #.env# server.key.orig keystore.p8".split(
      " ",
    ),
  ];
  const missed = samples.filter((path) => secretReason(path.split("/")) !== undefined && !mayBeSecret(path));
  expect(missed).toEqual([]);
});
