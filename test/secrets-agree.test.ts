/** One table of secrets: whatever reads, by name, by search, by command or in the sandbox, agrees on every name of it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isSecretPath, leftoverEndings, secretFiles, secretFilesIn, secretForms, secretStores, unbraced } from "../src/contract/index.ts";
import { createSearch } from "../src/host/index.ts";
import { createEngine, type EngineOptions } from "../src/index.ts";

const sampled = (glob: string): readonly string[] =>
  unbraced(glob).flatMap((one) => {
    const plain = one.replace(/\[(.)[^\]]*\]/g, "$1");
    return [plain.replaceAll("*", "xy"), plain.replaceAll("*", "xy").toUpperCase()];
  });

/** Every name the table speaks of, what it takes back out, copies of some, and names that only look alike. */
const names: readonly string[] = [
  ...new Set([
    ...secretFiles,
    ...secretStores.map((store) => `${store}/inner.txt`),
    ...secretFilesIn.map((pair) => pair.join("/")),
    ...secretForms.flatMap(({ globs, but }) => [...globs, ...but].flatMap(sampled)),
    ...leftoverEndings.flatMap((ending) => [`.env${ending}`, `server.key${ending}`, `notes.txt${ending}`]),
    ...["..env.swp", "#.env#", ".env.bak~", "secrets/notes.md", "credentials/index.ts", ".env/pyvenv.cfg", "keys.ts", "environment"],
    ...["id_rsa.pub", "public.pem", "package.json", "tsconfig.json", "tokens.json", "README.md", "envoy.yaml", "monkey.ts"],
    ...["terraform.tfvars", ".dev.vars", "auth.json", ".Renviron", "office.ovpn"],
  ]),
];

async function workspaceWith(files: readonly string[], config: NonNullable<EngineOptions["config"]> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-agree-")));
  const workspace = join(root, "w");
  for (const file of files) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    writeFileSync(join(workspace, file), "needle\n");
  }
  const engine = await createEngine({ workspace, home: join(root, "home"), config, approve: async () => "deny" });
  onTestFinished(async () => {
    await engine.close();
    rmSync(root, { recursive: true });
  });
  return { workspace, session: await engine.openSession() };
}

const paths = (data: unknown, field: string): readonly string[] =>
  ((data as Record<string, readonly { readonly path: string }[]>)[field] ?? []).map(({ path }) => path).sort();

it("Read, Grep with and without ripgrep, commands and the sandbox agree on every name", async () => {
  const placed = names.map((name, index) => `d${index}/${name}`);
  const { workspace, session } = await workspaceWith(placed);
  const readable = placed.filter((path) => !isSecretPath(path)).sort();

  const verdicts = async (calls: (path: string) => [string, object]) => {
    const allowed: string[] = [];
    for (const path of placed) if ((await session.explain(...calls(path))).decision.verdict === "allow") allowed.push(path);
    return allowed.sort();
  };
  const grep = await session.call("Grep", {
    pattern: "needle",
    output_mode: "files_with_matches",
    include_ignored: true,
    head_limit: 5_000,
  });
  const signal = new AbortController().signal;
  const request = { target: workspace, pattern: "needle", context: 0, caseInsensitive: false, multiline: false, includeIgnored: true };
  const without = await createSearch({ ripgrep: null }).grep({
    ...request,
    mode: "files_with_matches",
    limit: 10_000,
    signal,
    deadlineMs: 20_000,
  });
  const dryRun = await session.call("Bash", { command: "/bin/sh -c 'grep -rl needle .'" }, { dryRun: true });
  const shown = dryRun.status === "planned" ? String((dryRun.data as { readonly stdout?: string }).stdout ?? "") : undefined;

  expect({
    read: await verdicts((path) => ["Read", { file_path: path }]),
    cat: await verdicts((path) => ["Bash", { command: `cat '${path}'` }]),
    tree: await verdicts((path) => ["Bash", { command: `grep -r needle ${path.split("/")[0]}` }]),
    grep: paths(grep.data, "files"),
    without: without.files.map(({ path }) => path).sort(),
    ...(shown === undefined
      ? {}
      : {
          sandbox: shown
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => line.replace(/^\.\//, ""))
            .sort(),
        }),
  }).toEqual({
    read: readable,
    cat: readable,
    tree: readable,
    grep: readable,
    without: readable,
    ...(shown === undefined ? {} : { sandbox: readable }),
  });
}, 120_000);

it('deny: ["Read(private/**)"] holds for Read, Grep, Glob, List and commands alike', async () => {
  const files = ["private/a.txt", "private/deep/b.txt", "open/c.txt", "private.txt"];
  const { session } = await workspaceWith(files, { permissions: { deny: ["Read(private/**)"] } });
  const glob = await session.call("Glob", { pattern: "**" });
  const grep = await session.call("Grep", { pattern: "needle", output_mode: "files_with_matches" });
  const narrowed = await session.call("Grep", { pattern: "needle", glob: "*.txt", output_mode: "count" });
  const list = await session.call("List", { depth: 5 });
  const verdict = async (tool: string, input: object) => (await session.explain(tool, input)).decision.verdict;
  expect({
    glob: paths(glob.data, "matches"),
    grep: paths(grep.data, "files"),
    left: (grep.data as { secrets_left_out: number }).secrets_left_out,
    narrowed: paths(narrowed.data, "files"),
    list: paths(list.data, "entries"),
    read: await verdict("Read", { file_path: "private/deep/b.txt" }),
    cat: await verdict("Bash", { command: "cat private/a.txt" }),
    grepIn: await verdict("Grep", { pattern: "needle", path: "private" }),
  }).toEqual({
    glob: ["open/c.txt", "private.txt"],
    grep: ["open/c.txt", "private.txt"],
    left: 1,
    narrowed: ["open/c.txt", "private.txt"],
    list: ["open", "open/c.txt", "private", "private.txt"],
    read: "deny",
    cat: "deny",
    grepIn: "deny",
  });
});

it("List and Glob agree on .ignore, .rgignore and nested .gitignore files", async () => {
  const { workspace, session } = await workspaceWith(["a/one.log", "a/two.txt", "b/three.tmp", "b/keep.tmp", "c/four.md"]);
  writeFileSync(join(workspace, ".ignore"), "*.log\n");
  writeFileSync(join(workspace, "b/.gitignore"), "*.tmp\n!keep.tmp\n");
  writeFileSync(join(workspace, "c/.rgignore"), "four.md\n");
  const list = await session.call("List", { depth: 5 });
  const glob = await session.call("Glob", { pattern: "**" });
  const files = (list.data as { readonly entries: readonly { readonly path: string; readonly kind: string }[] }).entries;
  expect(
    files
      .filter(({ kind }) => kind === "file")
      .map(({ path }) => path)
      .sort(),
  ).toEqual(paths(glob.data, "matches"));
  expect(paths(glob.data, "matches")).toEqual([".ignore", "a/two.txt", "b/.gitignore", "b/keep.tmp", "c/.rgignore"]);
});
