/** What a dry run leaves in temporary directories is told, and is nowhere afterwards. */
import { existsSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).length > 0;
const why = holds ? "" : " (skipped: no overlay here)";

it.skipIf(!holds)(
  `a dry run tells what it left among the temporary files, by name the first few, and keeps nothing of it${why}`,
  async () => {
    const workspace = realpathSync(await temporaryDirectory());
    const { engine, home } = await testEngine({ workspace });
    const session = await engine.openSession();
    const name = `karyi-left-${process.pid}`;
    const script = `mkdir -p /tmp/${name}/d; cd /tmp/${name}; touch a b c d/e d/f g; mkdir -m 000 shut; echo x > /tmp/gone; rm /tmp/gone; test -w /tmp`;
    // What is understood as a write there is refused before; what a program does is not known.
    writeFileSync(join(workspace, "leave.sh"), script);
    const planned = await session.call("Bash", { command: "sh leave.sh" }, { dryRun: true });
    const first = ["a", "b", "c", "d/e", "d/f"].map((file) => `/tmp/${name}/${file}`);
    expect(planned.data).toMatchObject({ exit_code: 0, changes: [], temporary: { count: 6, first } });
    expect(planned.output).toContain(
      `It would also leave 6 file(s) among the temporary ones, which a dry run does not keep: ${first.join(", ")}, …`,
    );
    expect(existsSync(`/tmp/${name}`)).toBe(false);
    const silent = await session.call("Bash", { command: "ls /tmp; sort <<< x > made; cat < <(echo x)" }, { dryRun: true, keep: true });
    expect(silent.data).not.toHaveProperty("temporary");
    const { change_set: id } = silent.data as { change_set: string };
    expect(readdirSync(join(home, "sandbox", id)).filter((file) => file.startsWith("temporary"))).toEqual([]);
  },
);
