/** `karyi sessions show|fork|delete|export`, with the built command. */
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./support/engine.ts";

const bin = join(import.meta.dirname, "../bin/karyi.js");

test("a session is shown, forked under a free name, and removed with all it holds", async () => {
  const [home, workspace] = [await temporaryDirectory(), await temporaryDirectory()];
  await writeFile(join(workspace, "a.txt"), "text\n");
  const karyi = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args, "--home", home, "--workspace", workspace], {
      encoding: "utf8",
      env: { ...process.env, LANG: "C", LC_ALL: "C", KARYI_LANG: "en" },
    });
    return { status, stdout, stderr };
  };
  const json = (...args: string[]) => JSON.parse(karyi(...args, "--json").stdout);
  expect(karyi("sessions", "show").status).toBe(1);
  expect(karyi("call", "Read", '{"file_path":"a.txt"}', "--session", "work").status).toBe(0);
  const shown = json("sessions", "show", "work");
  expect(shown).toMatchObject({ name: "work", user_id: "local", channel: "local", workspace, is_busy: false });
  expect(karyi("sessions", "show").stdout).toContain("name: work");
  expect(json("sessions", "fork", "work", "other")).toMatchObject({ name: "other", forked_from: shown.id, workspace });
  expect(json("sessions", "show", "other").events).toBe(shown.events);
  const taken = karyi("sessions", "fork", "work", "other");
  expect([taken.status, taken.stderr]).toEqual([2, expect.stringContaining("'other'")]);
  expect(json("sessions", "delete", "work")).toEqual({ deleted: shown.id });
  expect(json("sessions").sessions.map(({ key }: { key: { externalId: string } }) => key.externalId)).toEqual(["other"]);
  expect(karyi("sessions", "delete", "work").status).toBe(1);
});
