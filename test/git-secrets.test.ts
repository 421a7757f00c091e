/** What git would show of committed secrets asks, like reading the file; in repositories without any, git asks nothing. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isSecretPath, readGitIndex, secretNames, secretReason } from "../src/contract/index.ts";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { createEngine, type Mode } from "../src/index.ts";

const holds = (await capturingHere()).includes("E0");
/** Without an overlay nothing can be rehearsed. */
const rehearsed = holds ? "rehearse" : "ask";

function git(cwd: string, ...args: string[]): Buffer {
  return execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@x.example", ...args], { cwd, stdio: ["ignore", "pipe", "ignore"] });
}

/** A repository with these files committed, and an ignored `.env` beside them. */
async function repository(files: readonly string[], mode: Mode = "default", ...init: string[]) {
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
  const engine = await createEngine({ workspace, home: join(root, "home"), mode });
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
  // Numbers, tags and all of them may stand for a content, which is shown whole.
  "git show -s deadbeef^{}",
  "git show --stat deadbeef^{blob}",
  "git show --name-only v1",
  "git show -s --all",
  "git show --stat --tags",
  "git for-each-ref --format='%(raw)'",
  "git tag --format='%(*raw)'",
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
  // Colons in braces part nothing.
  "git show --stat 'HEAD^{/fix: one}:.env'",
  "git show -s 'main@{10:00}:.env'",
  "cd src && git log -s -L1,1:../.env",
  "git show HEAD:config/prod.key",
  "git cat-file -p HEAD:.env",
  "git blame .env",
  "git blame HEAD -- .env",
  "git diff HEAD~1 -- .env",
  "git log -p -- .env",
  "git grep x -- .env",
  "git grep x HEAD -- .env",
  "git diff --no-index /dev/null .env",
  "git archive HEAD .env",
  "git log -L1,1:.env",
  "git log -L:K:.env",
  "git config --blob HEAD:.env -l",
  "git notes add -C HEAD:.env",
  "git mv .env plain.txt",
];
/** Not known to be read-only, and yet they print what is tracked. */
const printing = [
  "git archive HEAD",
  "git archive HEAD | tar xO",
  "git format-patch --stdout --root HEAD",
  "git fast-export HEAD",
  "git bundle create - HEAD",
  "git range-diff HEAD~1...HEAD",
  "git difftool -y",
  "git checkout-index --temp -a",
  "git cat-file --batch",
  "git show --some-new-option",
  "git -c core.x=y log -p",
  "git add -p",
  "git config --blob=HEAD:.env --get K",
  "git stash push -p",
  "git commit --dry-run -v",
  "git rebase --show-current-patch",
  "git submodule foreach git show",
  "git -c alias.x=show x",
  "git -C src archive HEAD",
];
/** They change a repository and show nothing of it. */
const changing = [
  "git add -A",
  "git add src/*.ts",
  "git commit -m 'a -v b'",
  'git commit -qam "$(date)"',
  "git checkout -b topic",
  "git reset -q",
  "git mv a.ts b.ts",
  "git rm -q a.ts",
  "git stash",
  "git stash push -u -m wip",
  "git stash pop",
];
const free = [
  "git show --stat",
  "git show --stat HEAD~1",
  "git show --name-only @^",
  "git show -s main..HEAD",
  "git show --stat HEAD -- src",
  "git for-each-ref --format='%(raw:size)'",
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
    for (const command of [...wholeTree, ...named, ...printing]) expect([command, await verdict(command)]).toEqual([command, "ask"]);
    for (const command of changing) expect([command, await verdict(command)]).toEqual([command, rehearsed]);
    for (const command of free) expect([command, await verdict(command)]).toEqual([command, "allow"]);
  });

  it("without a tracked secret nothing asks but what names one", async () => {
    const { verdict } = await repository([".env.example", "src/credentials.ts"]);
    for (const command of [...wholeTree, ...free]) expect([command, await verdict(command)]).toEqual([command, "allow"]);
    for (const command of named) expect([command, await verdict(command)]).toEqual([command, "ask"]);
    for (const command of [...printing, ...changing]) expect([command, await verdict(command)]).toEqual([command, rehearsed]);
  });

  it("a repository that is named only when it runs, or lies elsewhere, asks before contents of it are shown", async () => {
    const { verdict } = await repository([]);
    for (const command of [
      "cd $SOMEWHERE && git show",
      "git --git-dir=other.git show HEAD",
      "git --git-dir other.git log -p",
      "GIT_DIR=other.git git show HEAD",
      "export GIT_INDEX_FILE=x; git diff",
      "git --git-dir=other.git archive HEAD",
    ])
      expect([command, await verdict(command)]).toEqual([command, "ask"]);
  });

  it("what git's objects hold no world hides, so in auto it is denied", async () => {
    const { verdict } = await repository([".env.production"], "auto");
    const shown = ["git show HEAD:.env.production", "git log -p", "git archive HEAD", "git grep x", "git blame .env.production"];
    const lines = ["git log -L1,1:.env.production", "git log -L:K:.env.production"];
    const copied = ["git config --blob HEAD:.env.production -l", "git notes add -C HEAD:.env.production"];
    for (const command of [...shown, ...lines, ...copied]) expect([command, await verdict(command)]).toEqual([command, "deny"]);
    for (const command of ["git log -- .env.production", "git status", "git show HEAD:a.ts", "cat .env.production"])
      expect([command, await verdict(command)]).toEqual([command, holds ? "allow" : "deny"]);
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
    expect([command, await verdict(command)]).toEqual([command, rehearsed]);
});

describe("the index", () => {
  it.each([
    ["2", []],
    ["3", []],
    ["4", []],
    ["2", ["--object-format=sha256"]],
    ["4", ["--object-format=sha256"]],
  ] as const)("of version %s %j lists what git lists", async (version, init) => {
    const { workspace } = await repository(
      ["src/deep/a-longer-name.ts", "src/deep/b", "ü/中.txt", `l/${"x".repeat(200)}`],
      "default",
      ...init,
    );
    git(workspace, "update-index", "--index-version", version);
    if (version === "3") {
      writeFileSync(join(workspace, "new"), "x");
      git(workspace, "add", "-N", "new");
    }
    const listed = git(workspace, "ls-files", "-z").toString().split("\0").slice(0, -1);
    const index = readGitIndex(execFileSync("cat", [join(workspace, ".git/index")]));
    expect({ ...index, entries: index?.entries.map(({ name }) => String(name)) }).toEqual({ entries: listed, isWhole: true });
  });

  it("that is cut off, split or empty is not guessed at", async () => {
    const { workspace, verdict } = await repository([]);
    const bytes = execFileSync("cat", [join(workspace, ".git/index")]);
    const broken = [bytes.subarray(0, 90), new Uint8Array(), Buffer.from("DIRC")];
    expect(broken.map(readGitIndex)).toEqual([undefined, undefined, undefined]);
    git(workspace, "update-index", "--split-index");
    const split = readGitIndex(execFileSync("cat", [join(workspace, ".git/index")]));
    expect([await verdict("git show"), split?.isWhole ?? false]).toEqual(["ask", false]);
    expect([await verdict("git archive HEAD"), await verdict("git status")]).toEqual(["ask", rehearsed]);
  });

  it("that is missing says nothing about what was committed", async () => {
    const { workspace, verdict } = await repository([]);
    rmSync(join(workspace, ".git/index"));
    git(workspace, "init", "-q", "fresh");
    git(workspace, "init", "-q", "--bare", "bare.git");
    expect([await verdict("git show"), await verdict("cd bare.git && git show"), await verdict("cd fresh && git diff")]).toEqual([
      "ask",
      "ask",
      "allow",
    ]);
  });

  it("of a linked worktree is found where it lies", async () => {
    const { workspace, verdict } = await repository([".env.production"]);
    git(workspace, "worktree", "add", "-q", "linked");
    expect([await verdict("cd linked && git show"), await verdict("cd linked && git status")]).toEqual(["ask", rehearsed]);
  });
});

it("every name the policy asks about is looked for", () => {
  const samples = [
    ...secretNames.flatMap((name) => [name, `${name}/x`, `${name}.bak`, `${name}~`]),
    ..."config/gh/hosts.yml .config/gh/hosts.yml .docker/config.json .cargo/credentials.toml .m2/settings.xml a.pem b.KEY c.tfstate x.env x.env.bak .ENV .env-prod .env_x .envrc.old id_rsa id_ed25519.bak service-account.json my-credentials.json x_service_account.json client_secret_1.json firebase-adminsdk-x.json credentials.yml .credentials secrets.yaml secret.json secrets .secret ..env.swp #.env# server.key.orig keystore.p8".split(
      " ",
    ),
  ];
  const missed = samples.filter((path) => secretReason(path.split("/")) !== undefined && !isSecretPath(path));
  expect(missed).toEqual([]);
});
