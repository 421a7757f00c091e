import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { createBlobs } from "./blobs.ts";
import { createFiles } from "./files.ts";
import { childScript } from "./fixtures/plain-files.ts";
import { createImages } from "./images.ts";
import { isHalfDone } from "./rescue.ts";

let root: string;
const isSuperuser = process.getuid?.() === 0;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-in-place-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const head = "shared\n".repeat(100);
const oldText = head + "a".repeat(500_000);
const newText = head + "b".repeat(600_000);

/** Dies where `when` says: after that share of the bytes went into the file itself. */
function dyingWriter(directory: string, share: number): string {
  return childScript(
    `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { write } = fs;
    const length = ${newText.length - head.length};
    fs.write = (fd, bytes, offset, count, position, done) => {
      // Only the file itself is written from the first difference on.
      if (position !== ${head.length}) return write(fd, bytes, offset, count, position, done);
      fs.writeSync(fd, bytes, offset, Math.floor(length * ${share}), position);
      process.kill(process.pid, "SIGKILL");
    };
    syncBuiltinESMExports();
    const files = createFiles({ cwd: () => ${JSON.stringify(directory)} });
    const facts = await files.resolve("x");
    const { fingerprint } = await files.readAll(facts);
    await files.replace(facts, Buffer.from(${JSON.stringify(head)} + "b".repeat(600_000)), { expect: fingerprint });`,
  );
}

function killed(share: number): void {
  writeFileSync(join(root, "x"), oldText);
  linkSync(join(root, "x"), join(root, "other name"));
  const { signal, stderr } = spawnSync(process.execPath, [dyingWriter(root, share)], { encoding: "utf8" });
  expect([signal, stderr]).toEqual(["SIGKILL", ""]);
}

const images = () => createImages(createBlobs(join(root, ".blobs")));
const content = (): string => readFileSync(join(root, "x"), "utf8");
const left = (): readonly string[] => readdirSync(root).filter((name) => name.startsWith(".karyi"));

describe("a writer that dies while it writes into the file itself", () => {
  it.each([0, 0.3, 0.9])("leaves what the next look turns back, after %d of it", async (share) => {
    killed(share);
    const { ino } = statSync(join(root, "x"));
    if (share > 0) expect([oldText, newText]).not.toContain(content());
    expect(left().length).toBe(1);
    await images().inspect(join(root, "x"));
    expect(content()).toBe(oldText);
    expect([statSync(join(root, "x")).ino, statSync(join(root, "other name")).ino, left()]).toEqual([ino, ino, []]);
  });

  it("leaves the new content where all of it was written", async () => {
    killed(1);
    await images().inspect(join(root, "x"));
    expect([content() === newText, left()]).toEqual([true, []]);
  });

  it("does not cost anybody's later work", async () => {
    killed(0.5);
    appendFileSync(join(root, "x"), "by hand");
    const now = content();
    await images().inspect(join(root, "x"));
    expect([content() === now, left()]).toEqual([true, []]);
  });

  it("does not stand in the way of the next write", async () => {
    killed(0.5);
    const files = createFiles({ cwd: () => root });
    const write = async () => {
      const facts = await files.resolve("x");
      const { fingerprint } = await files.readAll(facts);
      return files.replace(facts, Buffer.from("next"), { expect: fingerprint });
    };
    // What it was about to change turned out to be half a write.
    await expect(write()).rejects.toMatchObject({ details: { reason: "stale_file" } });
    expect(content()).toBe(oldText);
    await write();
    expect([content(), left()]).toEqual(["next", []]);
  });

  it("is found in a private place where the directory may not be written", () => {
    mkdirSync(join(root, "closed"));
    writeFileSync(join(root, "closed/x"), oldText);
    const scripts = [
      dyingWriter(join(root, "closed"), 0.5),
      childScript(
        `const { healFile } = await import(new URL("../host/files/rescue.js", import.meta.url));
        await healFile(${JSON.stringify(join(root, "closed/x"))});`,
      ),
    ];
    chmodSync(root, 0o755);
    chmodSync(join(root, "closed/x"), 0o666);
    chmodSync(join(root, "closed"), 0o555);
    const ids = isSuperuser ? { uid: 65534, gid: 65534 } : {};
    mkdirSync(join(root, "tmp"));
    chmodSync(join(root, "tmp"), 0o777);
    const env = { TMPDIR: join(root, "tmp") };
    const ends = scripts.map((script) => {
      const { signal, status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8", env, ...ids });
      return [signal ?? status, stderr, readFileSync(join(root, "closed/x"), "utf8") === oldText];
    });
    expect(ends).toEqual([
      ["SIGKILL", "", false],
      [0, "", true],
    ]);
    expect(readdirSync(join(root, "tmp")).flatMap((name) => readdirSync(join(root, "tmp", name)))).toEqual([]);
    chmodSync(join(root, "closed"), 0o755);
  });
});

it("tells half a write from somebody's work", () => {
  const bytes = fc
    .array(fc.constantFrom("a", "b"), { maxLength: 30 })
    .map((letters) => Buffer.from(letters.map((one) => one.repeat(700)).join("")));
  fc.assert(
    fc.property(bytes, bytes, fc.nat(25_000), (before, after, at) => {
      const cut = Math.min(at, after.length);
      const half = Buffer.concat([after.subarray(0, cut), before.subarray(cut)]);
      expect(isHalfDone(half, before, after)).toBe(!half.equals(before) && !half.equals(after));
      expect(isHalfDone(Buffer.concat([half, Buffer.from("!")]), before, after)).toBe(false);
      if (half.length === 0) return;
      const touched = Buffer.from(half);
      touched[at % half.length] = 0x21;
      expect(isHalfDone(touched, before, after)).toBe(false);
    }),
  );
});
