/**
 * Where the person's home and Karyi's own may lie: commands run, confined, in every mode. The usual place (`~/.karyi`), a home in a
 * directory that PATH leads to, one below /tmp, Karyi's own within a cache of the home.
 */
import { readdirSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { outsideDirectory, temporaryDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).includes("E0");
const why = holds ? "" : " (skipped: tier E0 does not hold here)";

interface Place {
  readonly userHome: string;
  readonly path?: string;
  readonly home?: string;
}

/** A program of the home's own, settings, a letter and a key. */
async function furnish(userHome: string): Promise<string> {
  const tools = join(userHome, "tools/bin");
  await mkdir(tools, { recursive: true });
  await mkdir(join(userHome, ".ssh"), { recursive: true });
  await writeFile(join(tools, "own-tool"), "#!/bin/sh\necho tool\n");
  await chmod(join(tools, "own-tool"), 0o755);
  await writeFile(join(userHome, ".gitconfig"), "[user]\n\tname = Somebody\n");
  await writeFile(join(userHome, "letter"), "dear friend\n");
  await writeFile(join(userHome, ".ssh/id_rsa"), "private\n");
  return tools;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  "with Karyi's home in it": async () => ({ userHome: await outsideDirectory() }),
  "in a directory that PATH leads to": async () => {
    const outer = await outsideDirectory();
    await mkdir(join(outer, "home"));
    await mkdir(join(outer, "bin"));
    return { userHome: join(outer, "home"), path: `${join(outer, "bin")}:${outer}` };
  },
  "on PATH itself": async () => {
    const userHome = await outsideDirectory();
    return { userHome, path: userHome };
  },
  "below /tmp": async () => ({ userHome: await temporaryDirectory() }),
  "with Karyi's home in a cache": async () => {
    const userHome = await outsideDirectory();
    return { userHome, home: join(userHome, ".cache/karyi") };
  },
};

const script = `'import os; print("ran", os.path.exists(os.path.expanduser("~/letter")))'`;

describe.skipIf(!holds)(`a home${why}`, { timeout: 120_000 }, () => {
  it.each(Object.entries(places))("%s: reads, tests and tools run, and nothing of it is shown unasked", async (_, make) => {
    const { userHome, path, home } = await make();
    const tools = await furnish(userHome);
    const workspace = await outsideDirectory();
    // The engine asks the process for it.
    vi.stubEnv("HOME", userHome);
    onTestFinished(() => void vi.unstubAllEnvs());
    await writeFile(join(workspace, "f"), "in\n");
    const env = { HOME: userHome, PATH: [tools, path, process.env.PATH].filter(Boolean).join(":") };
    for (const mode of ["auto", "default", "plan"] as const) {
      const { engine } = await testEngine({ workspace, home: home ?? join(userHome, ".karyi"), env, mode, approve: "deny" });
      const session = await engine.openSession({ id: mode });
      const call = async (command: string) => {
        const { status, data, error } = await session.call("Bash", { command });
        return { status, out: (data as { stdout?: string } | undefined)?.stdout ?? "", ...(status === "ok" ? {} : { error }) };
      };
      expect(await call("cat f; git config user.name")).toMatchObject({ status: "ok", out: "in\nSomebody\n" });
      expect(await call("own-tool")).toEqual({ status: "ok", out: "tool\n" });
      expect(await call(`python3 -c ${script}`)).toEqual({ status: "ok", out: "ran False\n" });
      expect((await call(`python3 -c 'print(open("${userHome}/.ssh/id_rsa").read())'`)).out).not.toContain("private");
    }
  });

  it("a fresh one: an approved command writes caches that are missing for real, nothing else, and leaves no empty one behind", async () => {
    const userHome = await outsideDirectory();
    vi.stubEnv("HOME", userHome);
    onTestFinished(() => void vi.unstubAllEnvs());
    const tools = join(userHome, "tools");
    await mkdir(tools);
    await writeFile(join(tools, "npm"), "#!/bin/sh\nmkdir -p ~/.npm/_cacache/tmp && echo fetched > ~/.npm/_cacache/one\n");
    await chmod(join(tools, "npm"), 0o755);
    const { engine } = await testEngine({ env: { HOME: userHome, PATH: `${tools}:${process.env.PATH}` }, approve: "once" });
    const session = await engine.openSession();
    const run = (command: string) => session.call("Bash", { command });
    const found = () => readdirSync(userHome).filter((name) => name !== "tools");
    const names = found();
    // With `commands: ask` or an answer at hand it runs at once, for real.
    expect(await run("node -e 'process.exit(0)'")).toMatchObject({ status: "ok" });
    expect(found()).toEqual(names);
    expect(await run("npm install")).toMatchObject({ status: "ok" });
    expect(found()).toEqual([...names, ".npm"].sort());
    expect(readdirSync(join(userHome, ".npm/_cacache")).sort()).toEqual(["one", "tmp"]);
    expect(await run(`node -e 'require("fs").writeFileSync(process.env.HOME + "/.npmrc", "x")'`)).toMatchObject({ status: "error" });
  });

  it("a link that a command left in the session's /tmp leads Karyi nowhere when it makes the places of roots there", async () => {
    const outside = await outsideDirectory();
    const parent = await temporaryDirectory();
    const workspace = join(parent, "ws");
    await mkdir(workspace);
    const { engine } = await testEngine({ mode: "auto", workspace });
    const session = await engine.openSession();
    const swap = `import os; os.rename("${parent}", "/tmp/aside"); os.symlink("${outside}", "${parent}")`;
    const swapped = await session.call("Bash", { command: `cd / && python3 -c '${swap}' && echo swapped` });
    expect(swapped.output).toContain("swapped");
    expect((await session.call("Bash", { command: "echo fine" })).output).toBe("fine\n");
    expect(readdirSync(outside)).toEqual([]);
  });
});
