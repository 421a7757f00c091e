/** The session's own /tmp (B6): written unasked, seen by later calls and the file tools under the same name, by nobody else. */
import { existsSync, readdirSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { outsideDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";
const name = `karyi-own-${process.pid}`;

describe.skipIf(!holds)(`/tmp of a session${why}`, { timeout: 60_000 }, () => {
  it.each(["default", "auto"] as const)("is written unasked and read by later calls and the file tools, in %s", async (mode) => {
    const { engine } = await testEngine({ mode, approve: "deny" });
    const session = await engine.openSession();
    expect((await session.call("Bash", { command: `echo 'echo 42' > /tmp/${name}.sh` })).status).toBe("ok");
    expect((await session.call("Bash", { command: `sh /tmp/${name}.sh; echo x > /var/tmp/${name}` })).output).toMatch(/^42\n/);
    expect((await session.call("Bash", { command: `cat /tmp/${name}.sh /var/tmp/${name}` })).output).toBe("echo 42\nx\n");
    expect((await session.call("Read", { file_path: `/tmp/${name}.sh` })).output).toContain("echo 42");
    expect((await session.call("Write", { file_path: `/tmp/${name}.txt`, content: "made" })).status).toBe("ok");
    expect((await session.call("Bash", { command: `cat /tmp/${name}.txt` })).output).toBe("made");
    expect(readdirSync("/tmp").filter((file) => file.startsWith(name))).toEqual([]);
  });

  it("is not another session's, and gone when the session is", async () => {
    const { engine, home } = await testEngine({ approve: "deny" });
    const [one, two] = [await engine.openSession({ id: "one" }), await engine.openSession({ id: "two" })];
    await one.call("Bash", { command: `echo mine > /tmp/${name}` });
    expect((await two.call("Bash", { command: `cat /tmp/${name}` })).status).toBe("error");
    expect((await two.call("Read", { file_path: `/tmp/${name}` })).status).not.toBe("ok");
    expect(readdirSync(join(home, "temporary"))).toHaveLength(2);
    await engine.removeSession(one.id);
    expect(readdirSync(join(home, "temporary"))).toHaveLength(1);
    expect((await engine.listSessions()).map(({ key }) => key.externalId)).toEqual(["two"]);
  });

  it("has a quota: a command that goes on over it is ended, and what it printed is told", async () => {
    const { engine, workspace } = await testEngine({ mode: "auto", config: { sandbox: { maxLayerBytes: 1 << 20 } } });
    const session = await engine.openSession();
    const command = `echo begun > made; echo begun; dd if=/dev/zero of=/tmp/${name}-big bs=1M count=4 2>/dev/null; sleep 60`;
    const ended = await session.call("Bash", { command });
    expect(ended).toMatchObject({ status: "error", error: { details: { reason: "temporary_full", max_bytes: 1 << 20 } } });
    expect([ended.output.includes("begun"), existsSync(join(workspace, "made"))]).toEqual([true, false]);
    expect((await session.call("Bash", { command: `rm /tmp/${name}-big; echo fine` })).output).toBe("fine\n");
  });

  it("a name that the session did not write is the machine's for a file tool, and does not exist for a command", async () => {
    const { engine } = await testEngine({ approve: "deny" });
    const session = await engine.openSession();
    const theirs = `/tmp/${name}-theirs`;
    await writeFile(theirs, "letter");
    onTestFinished(() => rm(theirs, { force: true }));
    expect(await session.call("Read", { file_path: theirs })).toMatchObject({ status: "denied" });
    expect(await session.call("Write", { file_path: theirs, content: "x" })).toMatchObject({ status: "denied" });
    const seen = await session.call("Bash", { command: `cat ${theirs}` });
    expect([seen.status, seen.output.includes("letter")]).toEqual(["error", false]);
  });

  it("a link there is judged where it leads, and one that leads there is followed into it", async () => {
    const { engine, workspace } = await testEngine({ approve: "deny" });
    const outside = await outsideDirectory();
    await writeFile(join(outside, "letter"), "private");
    const session = await engine.openSession();
    await session.call("Bash", {
      command: `python3 -c 'import os; os.symlink("${outside}/letter", "/tmp/${name}-link")' || perl -e 'symlink "${outside}/letter", "/tmp/${name}-link"'`,
    });
    expect(await session.call("Read", { file_path: `/tmp/${name}-link` })).toMatchObject({ status: "denied" });
    await session.call("Bash", { command: `echo own > /tmp/${name}-file` });
    await symlink(`/tmp/${name}-file`, join(workspace, "in"));
    expect((await session.call("Read", { file_path: "in" })).output).toContain("own");
    expect((await session.call("Read", { file_path: `/tmp/../tmp/${name}-file` })).output).toContain("own");
  });

  it("roots below /tmp show through, and a setuid file there does nothing", async () => {
    const { engine, workspace } = await testEngine({ mode: "auto" });
    const session = await engine.openSession();
    await mkdir(join(workspace, "sub"));
    expect((await session.call("Bash", { command: `echo in > ${workspace}/sub/f; ls ${workspace}` })).output).toContain("sub");
    expect(existsSync(join(workspace, "sub/f"))).toBe(true);
    const mounts = await session.call("Bash", { command: "grep ' /tmp ' /proc/self/mountinfo" });
    expect(mounts.output).toContain("nosuid");
  });
});
