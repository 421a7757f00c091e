import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DriverNotes } from "../host/index.ts";
import { TerminalDrivers } from "./terminal-drivers.ts";

let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "karyi-drivers-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** As a process of its own would have it. */
const inAProcess = (waitMs?: number) => new TerminalDrivers(new DriverNotes(home), waitMs);

test("a call waits while a person drives, and goes on when the terminal is given back", async () => {
  const drivers = inAProcess();
  await drivers.givenBack("s");
  drivers.set("s", "ann");
  let wentOn = false;
  const waiting = drivers.givenBack("s").then(() => {
    wentOn = true;
  });
  await drivers.givenBack("other");
  // Somebody else takes over: still a person.
  drivers.set("s", "bob");
  await Promise.resolve();
  expect(wentOn).toBe(false);
  drivers.set("s", undefined);
  await waiting;
  expect(wentOn).toBe(true);
});

test("a call that waited too long is refused with who drives", async () => {
  const drivers = inAProcess(5);
  drivers.set("s", "ann");
  await expect(drivers.givenBack("s")).rejects.toMatchObject({
    code: "tool_conflict",
    details: { reason: "person_drives", person: "ann" },
  });
  drivers.set("s", undefined);
});

test("a call in another process of the home waits too, and goes on when the terminal is given back", async () => {
  const [server, other] = [inAProcess(), inAProcess()];
  server.set("shared", "ann");
  let wentOn = false;
  const waiting = other.givenBack("shared").then(() => {
    wentOn = true;
  });
  await expect(inAProcess(5).givenBack("shared")).rejects.toMatchObject({ details: { reason: "person_drives", person: "ann" } });
  expect(wentOn).toBe(false);
  server.set("shared", undefined);
  await waiting;
  expect(await readdir(join(home, "run", "drivers"))).not.toContain("shared.json");
});

test("what a process left behind that is gone holds nobody", async () => {
  const owner = { id: "gone", pid: 2 ** 22 + 1, startToken: "linux-gone" };
  await mkdir(join(home, "run", "drivers"), { recursive: true });
  await writeFile(join(home, "run", "drivers", "left.json"), JSON.stringify({ person: "ann", owner }));
  await inAProcess(5).givenBack("left");
});

test("a call that is cancelled does not wait on", async () => {
  const drivers = inAProcess();
  drivers.set("s", "ann");
  const controller = new AbortController();
  const waiting = drivers.givenBack("s", controller.signal);
  controller.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
  drivers.set("s", undefined);
});
