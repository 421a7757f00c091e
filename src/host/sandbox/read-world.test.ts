/** What only reads runs where it can only read: tried with commands that would do everything else. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { BackgroundTasks } from "../processes/background-tasks.ts";
import { ProcessRoom } from "../processes/create-processes.ts";
import { capturingHere, makeWorld, treeOf, type World } from "./fixtures/world.ts";

const here = await capturingHere();
const holds = here.includes("E0");
const why = holds ? "" : " (skipped: tier E0 does not hold here)";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end();
});

interface Reading {
  readonly world: World;
  read(
    command: string,
    reads?: readonly string[],
    touched?: readonly string[],
  ): Promise<{ readonly text: string; readonly exitCode: number | null }>;
}

function reading(seed: string, userHome?: string): Reading {
  const world = makeWorld({ seed, only: ["E0"], ...(userHome === undefined ? {} : { userHome }) });
  const hides = (path: string) => /\/\.env$|\/private$/.test(path);
  const room = new ProcessRoom({ PATH: process.env.PATH }, { sandbox: world.sandbox, hides: () => hides });
  ends.push(
    () => world.close(),
    () => room.close(),
  );
  const processes = room.processes(new BackgroundTasks(1, () => {}), undefined, [world.workspace]);
  return {
    world,
    async read(command, reads = [], touched) {
      const chunks: Uint8Array[] = [];
      const { exitCode, tier } = await processes.run({
        ...{ command, cwd: world.workspace, env: {}, timeoutMs: 30_000, signal: new AbortController().signal, purpose: "read", reads },
        ...(touched === undefined ? {} : { touches: touched.map((path) => ({ lexical: path, real: path })) }),
        git: command.includes("git") ? [world.workspace] : [],
        onOutput: (_, chunk) => void chunks.push(chunk),
      });
      expect(tier).toBe("E0");
      return { exitCode, text: Buffer.concat(chunks).toString("utf8") };
    },
  };
}

describe.skipIf(!holds)(`a world of reading${why}`, () => {
  it("nothing can be written, made, removed or changed, in the roots or elsewhere", async () => {
    const { world, read } = reading("echo one > a; echo secret > .env");
    const before = treeOf(world.workspace, { times: "changed" });
    const outside = join(world.base, "outside");
    const writes = ["echo x > a", "echo x >> new", "rm a", "chmod 777 a", "touch a", "mkdir d", "mv a b", "ln -s a l", "truncate -s 0 a"];
    for (const command of [...writes, `echo x > '${outside}'`, "echo x > /tmp/karyi-never", "echo x > /usr/karyi-never"])
      expect({ command, failed: (await read(command)).exitCode !== 0 }).toEqual({ command, failed: true });
    expect(treeOf(world.workspace, { times: "changed" })).toEqual(before);
    expect([outside, "/tmp/karyi-never", "/usr/karyi-never"].filter(existsSync)).toEqual([]);
    expect(readdirSync(join(world.home, "sandbox")).filter((name) => name.length === 16)).toEqual([]);
  });

  it("nothing of the disk is there where all that is touched is known", async () => {
    const { world, read } = reading("echo one > a");
    const [named, other] = ["named", "other"].map((name) => join(world.base, name)) as [string, string];
    for (const path of [named, other]) writeFileSync(path, "here\n");
    const tried = async (touched?: readonly string[]) =>
      (await read(`cat a '${named}' '${other}' 2>/dev/null`, [], touched)).text.split("\n").filter(Boolean);
    expect([await tried(), await tried([])]).toEqual([["one", "here", "here"], ["one"]]);
  });

  it("programs still find a place for what they put aside", async () => {
    const { read } = reading("printf '2\\n1\\n' > a");
    expect(await read("sort -S 1k a; cat <<< here; head -c 200000 /dev/zero | tac | wc -c; mktemp >/dev/null")).toEqual({
      exitCode: 0,
      text: "1\n2\nhere\n200000\n",
    });
  });

  it("nobody can be reached, and what the machine's network looks like can be asked", async () => {
    const { read } = reading("");
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    ends.push(() => void server.close());
    const { port } = server.address() as { port: number };
    expect((await read(`echo x > /dev/tcp/127.0.0.1/${port}`)).exitCode).not.toBe(0);
    expect(visits).toBe(0);
    expect((await read("perl -e 'socket(my $s, 16, 3, 0) or die; print qq(asked\\n)'")).text).toBe("asked\n");
    expect((await read("perl -e 'socket(my $s, 1, 1, 0) and print qq(open\\n)'")).text).toBe("");
  });

  it("hidden files are unreadable, never empty, and keep size and time; what was judged is shown", async () => {
    const { world, read } = reading("echo secret > .env; mkdir private; echo deep > private/note; touch -d @1600000000 .env");
    expect(await read("cat .env")).toEqual({ exitCode: 1, text: "cat: .env: Permission denied\n" });
    expect((await read("cat private/note")).exitCode).not.toBe(0);
    expect((await read("stat -c '%s %Y' .env")).text).toBe("7 1600000000\n");
    expect((await read("tar cf - .env | wc -c; exit ${PIPESTATUS[0]}")).exitCode).toBe(2);
    expect((await read("cat .env", [join(world.workspace, ".env")])).text).toBe("secret\n");
  });

  it("a hidden file stays hidden when somebody outside replaces it by rename", async () => {
    const { world, read } = reading("echo secret > .env; mkfifo -m 600 ../go");
    const go = join(world.base, "go");
    const ended = read(`cat .env 2>/dev/null; cat '${go}'; cat .env`);
    const file = join(world.workspace, ".env");
    writeFileSync(`${file}.new`, "replaced secret\n");
    // Opened for writing as soon as the command waits there, when it has looked already.
    const gate = await open(go, "w");
    renameSync(`${file}.new`, file);
    await gate.write("replaced\n");
    await gate.close();
    expect((await ended).text).toBe("replaced\ncat: .env: Permission denied\n");
    expect(readFileSync(file, "utf8")).toBe("replaced secret\n");
  });

  it("git runs no filter, converter or monitor that the config names", async () => {
    const run = "sh -c 'echo code-was-here >&2; cat'";
    const { read } = reading(`git init -q; echo '*.txt filter=mine diff=mine' > .gitattributes; echo one > a.txt; git add -A
git -c user.name=a -c user.email=a@b.c commit -qm one; echo two > a.txt
git config filter.mine.clean "${run}"; git config diff.mine.textconv "${run}"; git config core.fsmonitor "${run}"`);
    const { text } = await read("git status --short; git diff");
    expect(text).toContain("+two");
    expect(text).not.toContain("code-was-here");
  });

  it("keys of the home are hidden, and one that was judged is there alone", async () => {
    const place = makeWorld({ seed: "" });
    ends.push(() => place.close());
    const userHome = join(place.base, "person");
    mkdirSync(join(userHome, ".ssh"), { recursive: true });
    for (const name of ["id_rsa", "config"]) writeFileSync(join(userHome, ".ssh", name), `${name} text\n`);
    writeFileSync(join(userHome, "letter"), "letter\n");
    const { read } = reading("", userHome);
    const look = `cat '${userHome}/.ssh/config' '${userHome}/.ssh/id_rsa' '${userHome}/letter' 2>/dev/null`;
    expect((await read(look)).text).toBe("letter\n");
    expect((await read(look, [join(userHome, ".ssh/config")])).text).toBe("config text\nletter\n");
  });
});
