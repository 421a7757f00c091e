/** What capture adds to a command, against the same world built by hand, and that a dry run does not grow with the workspace. */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { hasLayer } from "../src/contract/index.ts";
import { BackgroundTasks, createBlobs, createImages, createSandbox, ProcessRoom } from "../src/host/index.ts";
import { question } from "./measure.ts";
import { benchPlace, smoke, temporaryDirectory } from "./place.ts";

const workspace = realpathSync(temporaryDirectory());
const home = realpathSync(temporaryDirectory());
const sandbox = createSandbox({ home, userHome: join(home, "nobody"), images: createImages(createBlobs(join(home, "blobs"))) });
const tier = await sandbox.tier();
const captures = hasLayer(tier);
// The chains by hand need no user namespace; as an ordinary user they would be longer.
const holds = captures && process.getuid?.() === 0;
const why = holds ? "" : ` (skipped: ${captures ? "the chain by hand needs root" : "no overlay here"})`;

const room = new ProcessRoom(process.env, { sandbox });
afterAll(() => room.close());
const processes = room.processes(new BackgroundTasks(1, () => {}), undefined, [workspace]);

async function captured(): Promise<void> {
  const outcome = await processes.run({
    command: "true",
    cwd: workspace,
    env: {},
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    callId: "bench",
    onOutput: () => {},
  });
  if (outcome.exitCode !== 0 || outcome.changes === undefined) throw new Error(`not captured: ${JSON.stringify(outcome)}`);
}

const byHand = join(home, "by-hand");
const overlay = `overlay -o lowerdir=${workspace},upperdir=${byHand}/u,workdir=${byHand}/w ${workspace}`;
const drop = "exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs bash -c true";

/** The layer alone: what the command does elsewhere comes through. */
const layerOnly = `set -e; mount -t overlay ${overlay}; cd ${workspace}; ${drop}`;

/** The same guarantees, with as few programs as util-linux allows: all read-only, a layer, private and covered directories. */
const sameWorld = `set -e; mount -a -o remount,bind,ro; mount -a -T ${byHand}/fstab; cd ${workspace}; ${drop}`;
const fstab = [
  `${byHand} ${byHand} none bind,rw,nosuid`,
  "/tmp /mnt none rbind,rw,nosuid",
  `karyi /mnt/${workspace.replace(/^\/tmp\//, "")} overlay lowerdir=${workspace},upperdir=${byHand}/u,workdir=${byHand}/w`,
  "karyi /run tmpfs mode=0755",
  "/dev/null /etc/shadow none bind",
  "/mnt /tmp none rbind",
]
  .map((line) => `${line} 0 0\n`)
  .join("");

/** Makes the layer, runs the chain, looks at what the layer holds, removes it: what any captured run has to do. */
function chain(script: string): () => Promise<void> {
  return async () => {
    mkdirSync(join(byHand, "u"), { recursive: true });
    mkdirSync(join(byHand, "w"));
    writeFileSync(join(byHand, "fstab"), fstab);
    await new Promise<void>((resolve, reject) => {
      const flags = ["--mount", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
      const child = spawn("/usr/bin/unshare", [...flags, "/bin/sh", "-c", script], { cwd: "/", detached: true });
      let words = "";
      child.stdout.resume();
      child.stderr.on("data", (chunk: Buffer) => {
        words += chunk.toString();
      });
      child.on("error", reject);
      child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${code}: ${words}`))));
    });
    if (readdirSync(join(byHand, "u")).length > 0) throw new Error("the layer is not empty");
    rmSync(byHand, { recursive: true });
  };
}

describe.skipIf(!holds)(`captured runs${why}`, () => {
  question({
    name: "capture: a captured `true` over the same world built by hand",
    limit: chain(sameWorld),
    ours: captured,
    bound: 1.5,
    target: "35 ms",
    pairs: 41,
  });

  question({
    name: "capture: a captured `true` over unshare and overlay alone, unconfined",
    limit: chain(layerOnly),
    ours: captured,
    pairs: 41,
  });
});

const sizes = smoke ? { small: 500, large: 1_000 } : { small: 10_000, large: 50_000 };
const command =
  "for d in d0 d1 d2; do for f in f0 f1 f2 f3; do echo changed >> $d/$f; rm $d/f9; touch $d/new$f; done 2>/dev/null; done; rm -r d4; true";

async function rehearsal(files: number): Promise<() => Promise<void>> {
  const { session, workspace: tree } = await benchPlace({ mode: "accept-edits", env: process.env, approve: async () => "once" });
  for (let index = 0; index < files; index++) {
    const directory = join(tree, `d${Math.floor(index / 100)}`);
    if (index % 100 === 0) mkdirSync(directory);
    writeFileSync(join(directory, `f${index % 100}`), `${index}\n`);
  }
  return async () => {
    const result = await session.call("Bash", { command }, { dryRun: true });
    const { changes } = (result.data ?? {}) as { changes?: readonly unknown[] };
    if (result.status !== "planned" || (changes?.length ?? 0) < 100) throw new Error(`${result.status}: ${result.output.slice(0, 500)}`);
    if (readFileSync(join(tree, "d0", "f0"), "utf8") !== "0\n") throw new Error("the dry run came through");
  };
}

describe.skipIf(!captures)(`dry runs${captures ? "" : " (skipped: no overlay here)"}`, async () => {
  if (!captures) return;
  question({
    name: "capture: dry run and diff in 50,000 files over the same in 10,000",
    limit: await rehearsal(sizes.small),
    ours: await rehearsal(sizes.large),
    bound: 1.5,
    pairs: 15,
  });
});

/** The same command, run at once because every question is answered with yes, and rehearsed because nobody answers. */
async function changingNothing(options: Parameters<typeof benchPlace>[0]): Promise<() => Promise<void>> {
  const { session, workspace: tree } = await benchPlace({ mode: "default", env: process.env, ...options });
  writeFileSync(join(tree, "s.sh"), "true\n");
  return async () => {
    const { status, output } = await session.call("Bash", { command: "bash s.sh" });
    if (status !== "ok") throw new Error(`${status}: ${output}`);
  };
}

const keptFiles = 100;
const keptTree = realpathSync(temporaryDirectory());
const keptHome = realpathSync(temporaryDirectory());
const handTree = realpathSync(temporaryDirectory());
const journalFile = join(keptHome, "journal");
for (const tree of [keptTree, handTree])
  for (let index = 0; index < keptFiles; index++) writeFileSync(join(tree, `f${index}`), "x".repeat(8_000));

function journal(entries: unknown): void {
  const fd = openSync(journalFile, "w");
  writeSync(fd, JSON.stringify(entries));
  fsyncSync(fd);
  closeSync(fd);
}

/** Image, bytes, sync, rename, and the image after: each step for all files before the next one. */
async function commitByHand(): Promise<void> {
  const paths = Array.from({ length: keptFiles }, (_, index) => join(handTree, `f${index}`));
  const image = async (path: string) => {
    const bytes = await readFile(path);
    return { path, hash: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.toString("base64") };
  };
  const before = await Promise.all(paths.map(image));
  journal(before);
  const next = `${before[0]?.bytes.length ?? 0} ${"y".repeat(8_000)}`;
  await Promise.all(paths.map((path) => writeFile(`${path}.new`, next)));
  await Promise.all(paths.map((path) => rename(`${path}.new`, path)));
  execFileSync("sync", ["-f", "--", handTree]);
  journal(await Promise.all(paths.map(image)));
}

const keeping = createSandbox({
  home: keptHome,
  userHome: join(keptHome, "nobody"),
  images: createImages(createBlobs(join(keptHome, "blobs"))),
  journal: async (_, entries) => journal(entries),
});
const keepingRoom = new ProcessRoom(process.env, { sandbox: keeping });
afterAll(() => keepingRoom.close());
let kept = "";

async function keepOne(): Promise<void> {
  const { changeSet } = await keepingRoom.processes(new BackgroundTasks(1, () => {}), undefined, [keptTree]).rehearse(
    {
      command: 'for f in f*; do echo "$RANDOM" >> $f; done',
      cwd: keptTree,
      env: {},
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      onOutput: () => {},
    },
    "none",
    "if_changed",
  );
  if (changeSet.changes.length !== keptFiles) throw new Error(`${changeSet.changes.length} changes`);
  kept = changeSet.id;
}

describe.skipIf(!captures)(`rehearsals${captures ? "" : " (skipped: no overlay here)"}`, async () => {
  if (!captures) return;
  question({
    name: "capture: a rehearsed command that changes nothing over its captured run",
    limit: await changingNothing({ approve: "once" }),
    ours: await changingNothing({ approve: "deny" }),
    bound: 1.15,
    pairs: 41,
  });

  question({
    name: "capture: commit of a kept change set of 100 files over the same steps by hand",
    limit: commitByHand,
    prepare: keepOne,
    ours: () => keeping.commit(keeping.load(kept), "bench"),
    bound: 1.3,
    pairs: 15,
  });
});
