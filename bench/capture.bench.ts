/** What capture adds to a command, against the same world built by hand, and that a dry run does not grow with the workspace. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { BackgroundTasks, createBlobs, createImages, createSandbox, ProcessRoom } from "../src/host/index.ts";
import { question } from "./measure.ts";
import { benchPlace, smoke, temporaryDirectory } from "./place.ts";

const workspace = realpathSync(temporaryDirectory());
const home = realpathSync(temporaryDirectory());
const sandbox = createSandbox({ home, userHome: join(home, "nobody"), images: createImages(createBlobs(join(home, "blobs"))) });
const tier = await sandbox.tier();
const captures = tier === "E1" || tier === "E2" || tier === "E2u";
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
