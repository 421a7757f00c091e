/** A workspace that says where its repository lies is not believed: what it names outside stays outside (F7). */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitDirectoriesOf } from "../src/host/git-directories.ts";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { outsideDirectory, testEngine, treeOf } from "./support/engine.ts";

const holds = (await capturingHere()).includes("E0");
const why = holds ? "" : " (skipped: tier E0 does not hold here)";
const canary = ["letter", "Zq81", "Kd"].join("-");
const quiet = "export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b";

/** `ws` is the workspace, `private` a folder, `other` somebody else's repository. */
async function make(seed: string): Promise<string> {
  const base = await outsideDirectory();
  const script = `set -e; ${quiet}; mkdir ws private home; echo ${canary} > private/letter
    git init -q -b main other; echo ${canary} > other/letter; git -C other add -A; git -C other commit -qm ${canary}; BASE=$PWD; ${seed}`;
  execFileSync("bash", ["-c", script], { cwd: base, env: { PATH: process.env.PATH } });
  return base;
}

/** A plain repository of the workspace's own, into which something is planted. */
const own = "cd ws; git init -q -b main; echo a > a; git add -A; git commit -qm one";
const looks = "mkdir -p $BASE/private/objects $BASE/private/refs; echo 'ref: refs/heads/main' > $BASE/private/HEAD";

const planted: Readonly<Record<string, string>> = {
  "a .git file that names a folder": "echo gitdir: $BASE/private > ws/.git",
  "a .git file that names a folder by a link": "ln -s $BASE/private ws/near; echo gitdir: near > ws/.git",
  "a .git file that names a folder which looks like a git directory": `${looks}; echo gitdir: $BASE/private > ws/.git`,
  "a .git file that names somebody else's repository": "echo gitdir: $BASE/other/.git > ws/.git",
  "a .git file that names the whole disk": "echo gitdir: / > ws/.git",
  "a .git file that names the worktree of somebody else":
    "git -C other worktree add -q $BASE/side -b side; echo gitdir: $BASE/other/.git/worktrees/side > ws/.git",
  "a .git file that names the submodule of somebody else":
    "cp -r other/.git private/git; git -C private/git config core.worktree $BASE/other; echo gitdir: $BASE/private/git > ws/.git",
  "a commondir in .git that names a folder": `${looks}; ${own}; echo $BASE/private > .git/commondir`,
  "a commondir in .git that names somebody else's repository": `${own}; echo $BASE/other/.git > .git/commondir`,
  "a worktree of its own making whose commondir names somebody else's repository":
    "mkdir -p ws/worktrees/w; echo gitdir: worktrees/w > ws/.git; echo $BASE/other/.git > ws/worktrees/w/commondir; echo $BASE/ws/.git > ws/worktrees/w/gitdir; cp other/.git/HEAD ws/worktrees/w/",
  "alternates that name somebody else's objects": `${own}; echo $BASE/other/.git/objects > .git/objects/info/alternates`,
  "objects that are a link to somebody else's": `${own}; rm -r .git/objects; ln -s $BASE/other/.git/objects .git/objects`,
  "packs that are a link to somebody else's": `${own}; git -C $BASE/other gc -q; rm -r .git/objects/pack; ln -s $BASE/other/.git/objects/pack .git/objects/pack`,
  "a folder of objects that is a link to somebody else's": `${own}; for d in $BASE/other/.git/objects/??; do rm -rf .git/objects/\${d##*/}; ln -s $d .git/objects/; done`,
  "refs that are a link to somebody else's": `${own}; rm -r .git/refs .git/objects; ln -s $BASE/other/.git/refs .git/refs; ln -s $BASE/other/.git/objects .git/objects`,
  ".git that is a link to somebody else's": "ln -s $BASE/other/.git ws/.git",
};

/** Each of its kind; all of them, in every mode, in the full form. */
const isFull = process.env.KARYI_FULL === "1";
const first = Object.entries(planted).filter((_, index) => isFull || [2, 3, 8, 9, 10, 13].includes(index));
const modes = isFull ? (["plan", "default", "accept-edits", "auto"] as const) : (["default", "auto"] as const);

describe(`planted git directories`, { timeout: 120_000 }, () => {
  it.each(Object.entries(planted))("%s counts as outside", async (_, seed) => {
    const base = await make(seed);
    expect(gitDirectoriesOf([join(base, "ws")], join(base, "home"))).toEqual([]);
  });

  it.skipIf(!holds).each(first)(`%s shows and changes nothing${why}`, async (_, seed) => {
    const base = await make(seed);
    const object = (name: string) =>
      execFileSync("git", ["-C", join(base, "other"), "rev-parse", name])
        .toString()
        .trim();
    const [commit, blob] = [object("HEAD"), object("HEAD:letter")];
    const before = [await treeOf(join(base, "private")), await treeOf(join(base, "other"))];
    for (const mode of modes) {
      const { engine } = await testEngine({ workspace: join(base, "ws"), mode, approve: "deny" });
      const session = await engine.openSession();
      const told: string[] = [];
      const note = async (tool: string, input: object) => told.push(JSON.stringify(await session.call(tool, input)));
      for (const place of ["private", "other"]) {
        await note("Read", { file_path: join(base, place, "letter") });
        await note("Write", { file_path: join(base, place, "new"), content: "x" });
        await note("Bash", { command: `cat ${base}/${place}/letter` });
        await note("Bash", { command: `python3 -c 'print(open("${base}/${place}/letter").read())'` });
        await note("Bash", { command: `python3 -c 'open("${base}/${place}/made", "w"); open("${base}/${place}/.git/made", "w")'` });
      }
      for (const command of [
        "git log",
        `git log ${commit}`,
        `git show ${commit}`,
        `git cat-file -p ${blob}`,
        "git commit --allow-empty -m x",
      ])
        await note("Bash", { command });
      expect([mode, told.filter((text) => text.includes(canary))]).toEqual([mode, []]);
    }
    expect([await treeOf(join(base, "private")), await treeOf(join(base, "other"))]).toEqual(before);
  });
});

const linked: Readonly<Record<string, { readonly seed: string; readonly root: string; readonly directories: readonly string[] }>> = {
  "a linked worktree": {
    seed: "git -C other worktree add -q $BASE/side -b side",
    root: "side",
    directories: ["other/.git/worktrees/side", "other/.git"],
  },
  "a folder of a linked worktree": {
    seed: "git -C other worktree add -q $BASE/side -b side; mkdir side/sub",
    root: "side/sub",
    directories: ["other/.git/worktrees/side", "other/.git"],
  },
  "a linked worktree of a bare repository": {
    seed: "git clone -q --bare other store; git -C store worktree add -q $BASE/side main",
    root: "side",
    directories: ["store/worktrees/side", "store"],
  },
  "a submodule": {
    seed: "git init -q super; cd super; git -c protocol.file.allow=always submodule --quiet add $BASE/other lib",
    root: "super/lib",
    directories: ["super/.git/modules/lib"],
  },
  "a sub-directory": { seed: "mkdir other/sub", root: "other/sub", directories: ["other/.git"] },
};

describe("the git directory of a root", { timeout: 60_000 }, () => {
  it.each(Object.entries(linked))("%s counts as inside", async (_, { seed, root, directories }) => {
    const base = await make(seed);
    const found = gitDirectoriesOf([join(base, root)], join(base, "home"));
    expect([...found].sort()).toEqual(directories.map((name) => join(base, name)).sort());
  });

  it("a repository that holds the person's home does not count, for that would show the home", async () => {
    const base = await make("mkdir -p other/home/ws");
    expect(gitDirectoriesOf([join(base, "other/home/ws")], join(base, "other/home"))).toEqual([]);
  });

  it.skipIf(!holds)(`hooks and config of a bare repository are not written from its worktree, whatever it is called${why}`, async () => {
    const base = await make("git clone -q --bare other store; git -C store worktree add -q $BASE/side main");
    const { engine } = await testEngine({ workspace: join(base, "side"), mode: "auto" });
    const session = await engine.openSession();
    const config = readFileSync(join(base, "store/config"), "utf8");
    for (const name of ["config", "hooks/post-commit", "worktrees/side/commondir"]) {
      const refused = await session.call("Bash", { command: `python3 -c 'open("${base}/store/${name}", "a").write("x")'` });
      expect([name, refused.error?.code]).toEqual([name, "tool_forbidden_path"]);
    }
    expect(readFileSync(join(base, "store/config"), "utf8")).toBe(config);
    const done = await session.call("Bash", { command: "echo b > b; git add b; git -c user.name=a -c user.email=a@b commit -qm two" });
    expect(done.status).toBe("ok");
  });
});
