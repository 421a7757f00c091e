import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Blobs, Images } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { createBlobs } from "./blobs.ts";
import { createImages } from "./images.ts";
import { sha256 } from "./replace.ts";

let root: string;
let store: string;
let blobs: Blobs;
let images: Images;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-images-")));
  store = join(realpathSync(mkdtempSync(join(tmpdir(), "karyi-blobs-"))), "blobs");
  blobs = createBlobs(store, { graceMs: 0 });
  images = createImages(blobs);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
  rmSync(dirname(store), { recursive: true, force: true });
});

const at = (name: string): string => join(root, name);

function dressOf(name: string) {
  const { uid, gid, mtimeNs } = lstatSync(at(name), { bigint: true });
  return { uid: Number(uid), gid: Number(gid), mtimeNs: String(mtimeNs) };
}

async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ToolFailure ? error.details?.reason : error;
}

async function keep(into: Blobs, bytes: Uint8Array): Promise<string> {
  writeFileSync(at("kept"), bytes);
  const { hash, onDisk } = await into.keepFile(at("kept"));
  await onDisk;
  rmSync(at("kept"));
  return hash;
}

describe("createBlobs", () => {
  it("keeps bytes under their hash, privately and once", async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 200]);
    const hash = await keep(blobs, bytes);
    expect(hash).toBe(sha256(bytes));
    const path = join(store, hash);
    const { ino, mode } = statSync(path);
    expect(mode & 0o777).toBe(0o600);
    expect(statSync(store).mode & 0o777).toBe(0o700);
    await keep(blobs, bytes);
    expect(statSync(path).ino).toBe(ino);
    expect(Buffer.from(await blobs.read(hash))).toEqual(bytes);
    expect(readdirSync(store)).toEqual([hash]);
  });

  it.each([0, 10, 5 << 20])("keeps a file of %i bytes and copies it out", async (size) => {
    const bytes = Buffer.alloc(size, "xyz\n");
    writeFileSync(at("f"), bytes);
    chmodSync(at("f"), 0o644);
    const kept = await blobs.keepFile(at("f"));
    expect(kept).toMatchObject({ hash: sha256(bytes), size });
    await kept.onDisk;
    expect(statSync(join(store, kept.hash)).mode & 0o777).toBe(0o600);
    await blobs.copyTo(kept.hash, at("copy"));
    expect(readFileSync(at("copy")).equals(bytes)).toBe(true);
  });

  it("hands out nothing that was damaged or swept", async () => {
    const hash = await keep(blobs, Buffer.from("precious"));
    appendFileSync(join(store, hash), "!");
    expect(await reasonOf(blobs.read(hash))).toBe("blob_damaged");
    expect(await reasonOf(blobs.copyTo(hash, at("out")))).toBe("blob_damaged");
    const other = await keep(blobs, Buffer.from("other"));
    expect(await blobs.sweep(new Set([hash]))).toBe(5);
    expect(await reasonOf(blobs.read(other))).toBe("blob_missing");
    await expect(blobs.read("../../etc/passwd")).rejects.toThrow(TypeError);
  });

  it("copies a file whose fingerprint is known, and replaces a blob that was cut short", async () => {
    const bytes = Buffer.alloc(100_000, "abc");
    const hash = sha256(bytes);
    const path = join(store, hash);
    writeFileSync(at("f"), bytes, { mode: 0o644 });
    const known = { size: bytes.length, mtimeMs: statSync(at("f")).mtimeMs, hash };
    for (const fingerprint of [known, undefined, known]) {
      const { onDisk, ...kept } = await blobs.keepFile(at("f"), fingerprint);
      await onDisk;
      expect(kept).toEqual({ hash, size: bytes.length });
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(Buffer.from(await blobs.read(hash))).toEqual(bytes);
      writeFileSync(path, bytes.subarray(0, 50_000));
    }
    // A fingerprint of before is not taken for the file's.
    writeFileSync(at("f"), "changed");
    expect(await blobs.keepFile(at("f"), known)).toMatchObject({ hash: sha256(Buffer.from("changed")), size: 7 });
  });

  it("leaves young blobs to the calls that are about to name them", async () => {
    const careful = createBlobs(store);
    const hash = await keep(careful, Buffer.from("young"));
    expect(await careful.sweep(new Set())).toBe(0);
    const path = join(store, hash);
    utimesSync(path, 1, 1);
    await keep(careful, Buffer.from("young"));
    expect(await careful.sweep(new Set())).toBe(0);
    utimesSync(path, 1, 1);
    expect(await careful.sweep(new Set())).toBe(5);
  });

  it("refuses what is not a file, without waiting", async () => {
    execFileSync("sh", ["-c", 'mkfifo "$0"', at("fifo")]);
    expect(await reasonOf(blobs.keepFile(at("fifo")))).toBe("not_a_file");
    expect(await reasonOf(blobs.keepFile(at("none")))).toBe("file_not_found");
  });
});

describe("createImages", () => {
  it("brings back a deleted, changed or re-moded file", async () => {
    writeFileSync(at("x"), "before");
    chmodSync(at("x"), 0o751);
    const image = await images.capture(at("x"));
    expect(image).toMatchObject({ kind: "file", hash: sha256(Buffer.from("before")), size: 6, mode: 0o751 });
    expect(await images.inspect(at("x"))).toEqual({ ...image, bytes: undefined });
    expect(existsSync(store)).toBe(false);
    for (const spoil of [() => rmSync(at("x")), () => writeFileSync(at("x"), "after"), () => chmodSync(at("x"), 0o600)]) {
      spoil();
      await images.restore(at("x"), image);
      expect([readFileSync(at("x"), "utf8"), statSync(at("x")).mode & 0o7777]).toEqual(["before", 0o751]);
    }
    expect(readdirSync(root)).toEqual(["x"]);
  });

  it("brings absence back", async () => {
    const image = await images.capture(at("a/b"));
    expect(image).toEqual({ kind: "absent" });
    mkdirSync(at("a"));
    writeFileSync(at("a/b"), "created");
    await images.restore(at("a/b"), image);
    await images.restore(at("a"), { kind: "absent" });
    expect(readdirSync(root)).toEqual([]);
    await images.restore(at("a/b"), image);
    symlinkSync("nowhere", at("l"));
    await images.restore(at("l"), image);
    expect(readdirSync(root)).toEqual([]);
  });

  it("leaves a created directory that somebody else uses by now", async () => {
    mkdirSync(at("d"));
    writeFileSync(at("d/theirs"), "x");
    await images.restore(at("d"), { kind: "absent" });
    expect(readdirSync(at("d"))).toEqual(["theirs"]);
    writeFileSync(at("f"), "file");
    const image = await images.capture(at("f"));
    rmSync(at("f"));
    mkdirSync(at("f"));
    writeFileSync(at("f/theirs"), "x");
    expect(await reasonOf(images.restore(at("f"), image))).toBe("not_empty");
  });

  it("brings links and directories back, with missing parents", async () => {
    symlinkSync("some/../target", at("l"));
    mkdirSync(at("d"));
    chmodSync(at("d"), 0o700);
    const [link, directory] = [await images.capture(at("l")), await images.capture(at("d"))];
    expect([link, directory]).toEqual([
      { kind: "link", target: "some/../target", ...dressOf("l") },
      { kind: "directory", mode: 0o700, ...dressOf("d") },
    ]);
    rmSync(at("l"));
    writeFileSync(at("l"), "a file now");
    rmSync(at("d"), { recursive: true });
    await images.restore(at("l"), link);
    await images.restore(at("d"), directory);
    expect([readlinkSync(at("l")), statSync(at("d")).mode & 0o777]).toEqual(["some/../target", 0o700]);
    writeFileSync(at("deep"), "1");
    const file = await images.capture(at("deep"));
    await images.restore(at("new/parents/deep"), file);
    expect(readFileSync(at("new/parents/deep"), "utf8")).toBe("1");
    await images.restore(at("deep"), link);
    expect(lstatSync(at("deep")).isSymbolicLink()).toBe(true);
    await images.restore(at("deep"), directory);
    expect(lstatSync(at("deep")).isDirectory()).toBe(true);
  });

  it("gives the modification time back to the microsecond, also before 1970 and of links, and the time alone where only that is known", async () => {
    const times = () => ["f", "l", "d"].map((name) => lstatSync(at(name), { bigint: true }).mtimeNs / 1000n);
    writeFileSync(at("f"), "before");
    symlinkSync("f", at("l"));
    mkdirSync(at("d"));
    for (const then of ["2020-01-02 03:04:05.123456789", "1950-01-01 00:00:01.5"]) {
      execFileSync("touch", ["-h", "-d", then, at("f"), at("l"), at("d")]);
      const before = times();
      const [file, link, directory] = await Promise.all(["f", "l", "d"].map((name) => images.capture(at(name))));
      const time = await images.time(at("d"));
      expect(time).toEqual({ kind: "time", mtimeNs: dressOf("d").mtimeNs, directory: true });
      writeFileSync(at("f"), "after");
      rmSync(at("l"));
      writeFileSync(at("d/x"), "");
      rmSync(at("d/x"));
      expect(times).toThrow();
      for (const [name, image] of Object.entries({ f: file, l: link, d: directory })) if (image) await images.restore(at(name), image);
      expect(times()).toEqual(before);
      utimesSync(at("d"), 1, 1);
      await images.restore(at("d"), time);
      expect(times()).toEqual(before);
      await images.restore(at("gone"), time);
      expect(existsSync(at("gone"))).toBe(false);
    }
  });

  it("leaves times alone where a journal of an earlier version does not know them", async () => {
    writeFileSync(at("f"), "before");
    utimesSync(at("f"), 1, 1);
    const image = await images.capture(at("f"));
    if (image.kind !== "file") throw new Error("no file");
    const { mtimeNs: _, ...older } = image;
    writeFileSync(at("f"), "after");
    await images.restore(at("f"), older);
    expect(readFileSync(at("f"), "utf8")).toBe("before");
    expect(statSync(at("f")).mtimeMs).toBeGreaterThan(1000);
  });

  it("keeps all names of a hard-linked file when it restores", async () => {
    writeFileSync(at("x"), "before, and long");
    linkSync(at("x"), at("y"));
    const image = await images.capture(at("x"));
    writeFileSync(at("x"), "after");
    await images.restore(at("x"), image);
    expect([readFileSync(at("y"), "utf8"), statSync(at("x")).ino]).toEqual(["before, and long", statSync(at("y")).ino]);
  });

  it("takes a known fingerprint for the content only while it fits", async () => {
    writeFileSync(at("x"), "abc");
    const { mtimeMs } = statSync(at("x"));
    const known = { size: 3, mtimeMs, hash: "f".repeat(64) };
    expect(await images.inspect(at("x"), known)).toMatchObject({ hash: known.hash });
    expect(await images.inspect(at("x"), { ...known, mtimeMs: 1 })).toMatchObject({ hash: sha256(Buffer.from("abc")) });
  });

  it("keeps what holds a secret encrypted, and gives it back to the byte", async () => {
    const keyFile = join(store, "..", "images.key");
    const sealing = { isNeeded: () => true, holdsSecret: (text: string) => text.includes("canary"), keyFile };
    const careful = createImages(blobs, { sealing });
    for (const size of [10, 100_000]) {
      const bytes = Buffer.concat([Buffer.from("a canary, "), Buffer.alloc(size, "ü\xff", "latin1")]);
      writeFileSync(at("x"), bytes);
      const image = await careful.capture(at("x"));
      expect(image).toMatchObject({ kind: "file", hash: sha256(bytes), size: bytes.length, sealed: true });
      expect(JSON.stringify(image)).not.toContain(bytes.subarray(0, 9).toString("base64"));
      writeFileSync(at("x"), "after");
      await careful.restore(at("x"), image);
      expect(readFileSync(at("x")).equals(bytes)).toBe(true);
    }
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    writeFileSync(at("x"), "nothing of the kind");
    expect(await careful.capture(at("x"))).not.toHaveProperty("sealed");
    writeFileSync(at("x"), "canary");
    const image = await careful.capture(at("x"));
    writeFileSync(at("x"), "after");
    writeFileSync(keyFile, Buffer.alloc(32));
    expect(await reasonOf(careful.restore(at("x"), image))).toBe("image_key_missing");
    expect(readFileSync(at("x"), "utf8")).toBe("after");
  });

  it("does not restore from damaged bytes", async () => {
    const long = "before".repeat(10_000);
    writeFileSync(at("x"), long);
    const image = await images.capture(at("x"));
    const hash = sha256(Buffer.from(long));
    writeFileSync(join(store, hash), `${long.slice(0, -1)}f`);
    writeFileSync(at("x"), "after");
    expect(await reasonOf(images.restore(at("x"), image))).toBe("blob_damaged");
    expect(readFileSync(at("x"), "utf8")).toBe("after");
    expect(existsSync(at("x"))).toBe(true);
    expect(readdirSync(root)).toEqual(["x"]);
  });
});
