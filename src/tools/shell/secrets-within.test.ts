import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { outsideDirectory } from "../../../test/support/engine.ts";
import { createEngine } from "../../index.ts";

/** The verdict on a command in a workspace whose links lead out of it. */
async function world(more: readonly string[] = [], links: readonly (readonly [string, string])[] = []) {
  const root = await outsideDirectory();
  const workspace = join(root, "w");
  for (const directory of ["w/docs", "w/src/deep", "w/plain", "w/dirs", "outside"]) mkdirSync(join(root, directory), { recursive: true });
  for (const file of ["w/docs/a.md", "w/src/deep/b.ts", "w/plain/c.md", "w/plain/d.md", "outside/private"])
    writeFileSync(join(root, file), "x\n");
  for (const file of more) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "x\n");
  }
  for (const [link, target] of links) symlinkSync(target, join(root, link));
  symlinkSync("../../outside/private", join(workspace, "docs/z.md"));
  symlinkSync("../../../outside/private", join(workspace, "src/deep/z.ts"));
  symlinkSync("c.md", join(workspace, "plain/inside.md"));
  symlinkSync("../../outside", join(workspace, "dirs/out"));
  const engine = await createEngine({ workspace, home: join(root, "home") });
  onTestFinished(() => engine.close());
  const session = await engine.openSession();
  return async (command: string) => (await session.explain("Bash", { command })).decision.verdict;
}

it("what a pattern of names or a followed tree reaches through links is judged where it lies", async () => {
  const verdict = await world();
  for (const command of [
    "cat docs/*",
    "cat docs/*.md",
    "head -5 docs/z*",
    "grep x docs/*",
    "cat */*.md",
    "cat src/*/*",
    "grep -R x src",
    "grep -R x .",
    "diff -r docs plain",
    "diff docs plain",
    "find src -name '*.ts' | xargs cat",
    "ls dirs/*",
    "ls -LR dirs",
    "ls -RL",
    "tree -l dirs",
    "du -L dirs",
    "find -L dirs -name x",
    "find dirs -follow",
    "fd -L . dirs",
  ])
    expect([command, await verdict(command)]).toEqual([command, "ask"]);
});

it("links that stay inside, and trees whose links are not followed, ask nothing", async () => {
  const verdict = await world();
  for (const command of [
    "cat plain/*",
    "grep -R x plain",
    "grep -rn x .",
    "rg x",
    "ls -R .",
    "ls plain/*",
    "diff -r plain plain",
    "cat src/deep/b.ts",
    "find dirs",
    "find -L plain",
    "ls -L plain",
    "tree dirs",
    "du -sh dirs",
  ])
    expect([command, await verdict(command)]).toEqual([command, "allow"]);
});

it("a link that no pattern of names leads to or through asks nothing", async () => {
  const verdict = await world(["w/top.md", "w/dirs/own.md"], [["w/zz", "../outside"]]);
  for (const command of [
    "cat *.md",
    "wc -l t*",
    "ls t*",
    "echo *.md",
    "cat dirs/*.md",
    "cat d*/own.md",
    "for f in *.md; do head -1 $f; done",
    "find dirs -name '*.md' -exec cat {} +",
    "find dirs -name '*.md' | xargs cat",
    "git ls-files '*.json' | xargs cat",
  ])
    expect([command, await verdict(command)]).toEqual([command, "allow"]);
  for (const command of [
    "cat *",
    "cat z*/private",
    "cat */private",
    "cat [z]z/private",
    "ls *",
    "cat p*/../zz/private",
    "cat dirs/o*/private",
    "find . -name 'z*' -exec cat {} +",
    "find . | xargs cat",
    "find -L . -name private -exec cat {} +",
  ])
    expect([command, await verdict(command)]).toEqual([command, "ask"]);
});

it("a link inside makes every link behind it count", async () => {
  const verdict = await world([], [["w/other", "dirs"]]);
  expect(await verdict("cat o*/out/private")).toBe("ask");
});

it("a wide pattern asks about a secret that it would find only where there is one", async () => {
  const commands = ["cat c*", "head plain/[a-s]*", "wc -l s*", "cat *.y*ml", "grep -rn x plain --include='*.j*'"];
  const bare = await world();
  for (const command of commands) expect([command, await bare(command)]).toEqual([command, "allow"]);
  const names = ["w/client-secret.json", "w/plain/server.key", "w/server.env", "w/passwords.yml", "w/plain/auth.json"];
  const full = await world(names);
  for (const command of commands) expect([command, await full(command)]).toEqual([command, "ask"]);
  // Who spells the name out means it.
  for (const command of ["cat .e[n]v", "cat .en?", "cat id_*", "cat .e*"]) expect([command, await bare(command)]).toEqual([command, "ask"]);
});

it("a listing of names outside asks where reading the files would be refused", async () => {
  // A home below /tmp would be in the session's own temporary directory.
  vi.stubEnv("HOME", await outsideDirectory());
  onTestFinished(() => void vi.unstubAllEnvs());
  const verdict = await world();
  for (const command of ["ls ..", "ls -d ../*", "echo ../../*", "find / -name '*.py'", "ls -R ~", "du -sh ~"])
    expect([command, await verdict(command)]).toEqual([command, "ask"]);
  for (const command of ["cat ~/*", "grep -r x ~", "find ~ -type f -exec cat {} +"])
    expect([command, await verdict(command)]).toEqual([command, "deny"]);
});

it("names that are cut at blanks are judged as whole only where none has a blank, a quote or a wildcard in it", async () => {
  const commands = [
    "find plain -name '*.md' | xargs cat",
    "cat $(find plain -name '*.md')",
    "for f in plain/*.md; do head -1 $f; done",
    "grep -rl x plain | xargs sed -n 1p",
  ];
  for (const name of [undefined, "a /etc/passwd b.md", "it's.md", "star*.md", "deep/with blank/x.md"]) {
    const verdict = await world(name === undefined ? [] : [`w/plain/${name}`]);
    const expected = name === undefined ? "allow" : "rehearse";
    for (const command of commands) expect([name, command, await verdict(command)]).toEqual([name, command, expected]);
  }
});

it("what find hands over at any depth is judged where links lead", async () => {
  const verdict = await world();
  for (const command of ["find src -name '*.ts' -exec cat {} +", "find . -name '*.ts' | xargs head -1"])
    expect([command, await verdict(command)]).toEqual([command, "ask"]);
});

it("a secret in the workspace makes only those ask who would open it", async () => {
  const verdict = await world(["w/.env", "w/plain/server.pem", "w/code/a.ts"]);
  for (const command of [
    "ls -R",
    "ls .e*",
    "ls *.ts",
    "tree",
    "du -sh .",
    "find . -name '*.ts'",
    "find . -type f",
    "rg --files",
    "cat *.md",
    "wc -l code/*.ts",
    "grep x *.md",
    "grep -rn x . --include='*.ts'",
    "find code -name '*.ts' -exec cat {} +",
    "find code -name '*.ts' | xargs cat",
    "for f in code/*.ts; do head -1 $f; done",
  ])
    expect([command, await verdict(command)]).toEqual([command, "allow"]);
  for (const command of [
    "cat .e*",
    "cat .*",
    "cat plain/*",
    "cat plain/*.pem",
    "cat plain/s*",
    "grep x *",
    "grep -r x .",
    "grep -r x . --include='*.pem'",
    "grep -r x . --include='*.ts' --include='.e*'",
    "rg -uu x",
    "find . -type f -exec cat {} +",
    "find . -name 'S*' -exec cat {} +",
    "find . -iname 'SERVER*' -exec cat {} +",
    "find . -name zzz -o -type f -exec cat {} +",
    "find . -exec cat {} \\; -name zzz",
    "find . -not -name zzz -exec cat {} +",
    "find . ! \\( -name zzz \\) -exec cat {} +",
    "find . -name '*.ts' -o ! -name zzz | xargs cat",
    "find . -regex '.*env' -exec cat {} +",
    "find . -type f | xargs cat",
    "cat $(find . -type f)",
  ])
    expect([command, await verdict(command)]).toEqual([command, "ask"]);
});

it("a link to a secret beside it is judged where it leads", async () => {
  const verdict = await world(["w/links/.env"]);
  expect(await verdict("cat links/*.ts")).toBe("allow");
  const linked = await world(["w/links/.env"], [["w/links/z.ts", ".env"]]);
  expect(await linked("cat links/*.ts")).toBe("ask");
});
