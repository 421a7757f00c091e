/** Small promises of the command about its home and its workspace: leftovers of a crash, a lost database, paths as one reads them. */
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryName } from "../src/host/files/temporary.ts";
import { karyi } from "./support/command.ts";
import { temporaryDirectory } from "./support/engine.ts";

const mounts = spawnSync("unshare", ["-m", "sh", "-c", "mount -t tmpfs none /mnt"]).status === 0;
const noMounts = mounts ? "" : " (skipped: no file system can be mounted here)";

async function places() {
  const workspace = await temporaryDirectory();
  const home = await temporaryDirectory();
  return {
    workspace,
    home,
    run: (...args: string[]) => karyi([...args, "--workspace", workspace, "--home", home]),
    explain: (command: string) => karyi(["policy", "explain", "--workspace", workspace, "--home", home, "--", command]),
  };
}

describe("loose ends", { timeout: 60_000 }, () => {
  test("what a dead writer left in the workspace is gone after any start, and nothing of a living one", async () => {
    const { workspace, run } = await places();
    const mine = temporaryName();
    const dead = temporaryName().replace(`-${process.pid}-`, `-${spawnSync(process.execPath, ["-e", "0"]).pid}-`);
    for (const name of [mine, dead]) writeFileSync(join(workspace, name), "half");
    expect((await run("history")).code).toBe(0);
    expect(readdirSync(workspace)).toEqual([mine]);
  });

  test("images whose database is gone are set aside, said by the next command, and kept until their retention ends", async () => {
    const { workspace, home, run } = await places();
    await writeFile(join(workspace, "a.txt"), "x".repeat(300_000));
    expect((await run("call", "Write", '{"file_path":"a.txt","content":"y"}', "--approve", "yes")).code).toBe(0);
    for (const name of readdirSync(home)) if (name.startsWith("state.db")) rmSync(join(home, name));
    const kept = readdirSync(join(home, "blobs"));
    expect(kept.length).toBeGreaterThan(0);
    expect((await run("history")).stderr).toContain(
      `${join(home, "state.db")} is gone, though ${join(home, "blobs")} holds images of files`,
    );
    expect((await run("history")).stderr).toBe("");
    const aside = (): string[] => readdirSync(home).filter((name) => name.startsWith("blobs.lost-"));
    expect((await run("gc")).code).toBe(0);
    expect(readdirSync(join(home, aside()[0] ?? ""))).toEqual(kept);
    renameSync(join(home, aside()[0] ?? ""), join(home, "blobs.lost-1000"));
    expect((await run("gc")).code).toBe(0);
    expect(aside()).toEqual([]);
  });

  test("a home that is read-only stays so: what reads works there, and whatever would write names the home", async () => {
    const { workspace, home, run } = await places();
    await writeFile(join(workspace, "a.txt"), "old\n");
    expect((await run("call", "Write", '{"file_path":"a.txt","content":"y"}', "--approve", "yes")).code).toBe(0);
    // Upkeep is due, and must not happen.
    writeFileSync(join(home, "upkeep.json"), JSON.stringify({ at: 1000 }));
    const shown = (): string[] => readdirSync(home).map((name) => `${name} ${statSync(join(home, name)).mtimeMs}`);
    const before = shown();
    chmodSync(home, 0o500);
    onTestFinished(() => chmodSync(home, 0o700));
    expect((await run("history")).stdout).toContain("Write a.txt");
    for (const command of [["sessions"], ["tools"], ["approvals"], ["audit", "verify"], ["rules"]])
      expect([command, (await run(...command)).code]).toEqual([command, 0]);
    expect((await run("call", "Read", '{"file_path":"a.txt"}')).stdout).toContain("y");
    for (const command of [["call", "Write", '{"file_path":"a.txt","content":"z"}', "--approve", "yes"], ["undo", "--last", "1"], ["gc"]]) {
      const { code, stdout, stderr } = await run(...command);
      expect([command, code, `${stdout}${stderr}`]).toEqual([command, 1, expect.stringContaining(home)]);
    }
    expect([statSync(home).mode & 0o777, shown(), readFileSync(join(workspace, "a.txt"), "utf8")]).toEqual([0o500, before, "y"]);
  });

  test.skipIf(!mounts)(`where the home is full the error names the home, and the file is as it was${noMounts}`, async () => {
    const { workspace, home } = await places();
    const content = Array.from({ length: 60_000 }, (_, n) => `line ${n} of many\n`).join("");
    await writeFile(join(workspace, "a.txt"), content.repeat(3));
    const bin = join(import.meta.dirname, "../bin/karyi.js");
    const script = 'mount -t tmpfs -o size=1500k none "$1" && exec "$2" "$3" call Write "$4" --approve yes --workspace "$5" --home "$1"';
    const given = [home, process.execPath, bin, '{"file_path":"a.txt","content":"y"}', workspace];
    const { status, stderr } = spawnSync("unshare", ["-m", "sh", "-c", script, "sh", ...given], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${join(home, "blobs")}: no space left on the device`)]);
    expect(readFileSync(join(workspace, "a.txt"), "utf8") === content.repeat(3)).toBe(true);
  });

  test("policy explain shows paths relative to the workspace, and a command as it was written", async () => {
    const { workspace, run, explain } = await places();
    await mkdir(join(workspace, "sub"));
    await writeFile(join(workspace, "sub/a.txt"), "a");
    const { stdout } = await run("policy", "explain", "Read", JSON.stringify({ file_path: join(workspace, "sub/a.txt") }));
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "Read sub/a.txt",
      "allow: sub/a.txt is inside the workspace [builtin:inside]",
      "  allow    read sub/a.txt: sub/a.txt is inside the workspace [builtin:inside]",
    ]);
    const command = `cat ${join(workspace, "sub/a.txt")}`;
    expect((await explain(command)).stdout.split("\n")).toEqual(
      expect.arrayContaining([`Run: ${command}`, "  allow    read sub/a.txt: sub/a.txt is inside the workspace [builtin:inside]"]),
    );
  });
});
