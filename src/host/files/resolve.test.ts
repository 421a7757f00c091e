import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { resolvePath } from "./resolve.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "karyi-resolve-")));
  mkdirSync(join(root, "repo/src"), { recursive: true });
  mkdirSync(join(root, "outside/deep"), { recursive: true });
  writeFileSync(join(root, "repo/src/a.ts"), "a");
  writeFileSync(join(root, "outside/secret"), "s");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const look = (asked: string) => resolvePath(join(root, "repo"), asked);

describe("resolvePath", () => {
  it("says how a path was asked, spelled and meant", async () => {
    expect(await look("src/../src/./a.ts")).toEqual({
      asked: "src/../src/./a.ts",
      spelled: `${root}/repo/src/../src/./a.ts`,
      lexical: `${root}/repo/src/a.ts`,
      real: `${root}/repo/src/a.ts`,
      kind: "file",
      hardLinks: 1,
    });
  });

  it("takes .. after a link where the link leads, not where the text says", async () => {
    symlinkSync(join(root, "outside/deep"), join(root, "repo/l"));
    const facts = await look("l/../secret");
    expect([facts.lexical, facts.real, facts.kind]).toEqual([`${root}/repo/secret`, `${root}/outside/secret`, "file"]);
    const absent = await look("l/../new/file.txt");
    expect([absent.real, absent.kind]).toEqual([`${root}/outside/new/file.txt`, "absent"]);
  });

  it("resolves the parents of what does not exist yet", async () => {
    symlinkSync("../outside", join(root, "repo/link"));
    const facts = await look("link/new.txt");
    expect([facts.real, facts.kind]).toEqual([`${root}/outside/new.txt`, "absent"]);
    symlinkSync("../outside/later.txt", join(root, "repo/dangling"));
    const dangling = await look("dangling");
    expect([dangling.real, dangling.kind]).toEqual([`${root}/outside/later.txt`, "absent"]);
  });

  it("follows links again after .. has left something absent", async () => {
    symlinkSync("../outside", join(root, "repo/link"));
    const facts = await look("missing/../link/secret");
    expect([facts.real, facts.kind]).toEqual([`${root}/outside/secret`, "file"]);
    expect((await look("missing/..")).kind).toBe("directory");
    expect((await look("missing/deep/..")).kind).toBe("absent");
  });

  it("says unreadable of loops, NUL bytes, half characters and names that are too long", async () => {
    symlinkSync("loop-b", join(root, "repo/loop-a"));
    symlinkSync("loop-a", join(root, "repo/loop-b"));
    for (const asked of ["loop-a", "loop-a/x/y", "a\0b", "a\ud800b", "n".repeat(5000)])
      expect([asked, (await look(asked)).kind]).toEqual([asked, "unreadable"]);
  });

  it("says absent below a file", async () => {
    const facts = await look("src/a.ts/x");
    expect([facts.real, facts.kind]).toEqual([`${root}/repo/src/a.ts/x`, "absent"]);
  });

  it("does not follow what a process holds, which is another one when a command looks", async () => {
    symlinkSync("/proc/self/cwd", join(root, "repo/here"));
    symlinkSync("/proc/thread-self/root", join(root, "repo/everything"));
    symlinkSync("/dev/fd/0", join(root, "repo/input"));
    const seen = await Promise.all(
      ["here", "here/x", "here/../secret", `everything${root}/outside/secret`, "input", "/proc/1/cwd/x", "/dev/stdin"].map(look),
    );
    const own = new RegExp(`/${process.pid}(?:/task/\\d+)?/`);
    expect(seen.map(({ real, kind }) => `${kind} ${real.replace(own, "/self/")}`)).toEqual([
      "unreadable /proc/self/cwd",
      "unreadable /proc/self/cwd/x",
      "unreadable /proc/self/secret",
      `unreadable /proc/self/root${root}/outside/secret`,
      "unreadable /proc/self/fd/0",
      "unreadable /proc/1/cwd/x",
      "unreadable /proc/self/fd/0",
    ]);
    expect(await look("/proc/self/status")).toMatchObject({ real: `/proc/${process.pid}/status`, kind: "file" });
  });

  it("sees through doubled slashes and dots", async () => {
    for (const asked of [`//${root}//outside/./secret`, `${root}/repo/./src/../../outside/secret`]) {
      const facts = await look(asked);
      expect([facts.real, facts.kind]).toEqual([`${root}/outside/secret`, "file"]);
    }
    expect((await look(".")).real).toBe(`${root}/repo`);
    expect((await look("/")).real).toBe("/");
  });

  it("takes ~ for the home it was given and file:// for a path, but only where a path begins with it", async () => {
    const meant = async (asked: string) => (await resolvePath(join(root, "repo"), asked, join(root, "outside"))).real;
    expect(await meant("~")).toBe(`${root}/outside`);
    expect(await meant("~/secret")).toBe(`${root}/outside/secret`);
    expect(await meant("~/../repo/src")).toBe(`${root}/repo/src`);
    expect(await meant("./~/secret")).toBe(`${root}/repo/~/secret`);
    expect(await meant("~other/x")).toBe(`${root}/repo/~other/x`);
    expect(await meant("src/~/x")).toBe(`${root}/repo/src/~/x`);
    expect(await meant(`file://${root}/outside/se%63ret`)).toBe(`${root}/outside/secret`);
    expect((await resolvePath(root, `file://${root}/repo/../outside/x%20y?q#h`)).spelled).toBe(`${root}/repo/../outside/x y`);
    expect((await resolvePath(root, `file://localhost${root}/repo/%2e%2E/outside`)).spelled).toBe(`${root}/repo/../outside`);
    expect(await meant(`file://${root}/repo/link%2F..`)).toBe(`${root}/repo/file:${root}/repo/link%2F..`);
    expect(await meant("file://host/x")).toBe(`${root}/repo/file:/host/x`);
  });

  it("says unreadable of a file that is spelled as a directory", async () => {
    for (const asked of ["src/a.ts/", "src/a.ts//", "src/a.ts/."]) expect([asked, (await look(asked)).kind]).toEqual([asked, "unreadable"]);
    expect((await look("src/")).kind).toBe("directory");
    expect((await look("missing/")).kind).toBe("absent");
  });

  it("follows links whose names and targets are not UTF-8", async () => {
    const odd = Buffer.concat([Buffer.from(`${root}/outside/`), Buffer.from([0xe9])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from("/f")]), "f");
    symlinkSync(odd, join(root, "repo/link"));
    const [direct, linked, absent] = await Promise.all([look("../outside/\uFFFDe9/f"), look("link/f"), look("link/\uFFFDffnew")]);
    expect([direct.real, direct.kind]).toEqual([`${root}/outside/\uFFFDe9/f`, "file"]);
    expect([linked.real, linked.kind]).toEqual([`${root}/outside/\uFFFDe9/f`, "file"]);
    expect([absent.real, absent.kind]).toEqual([`${root}/outside/\uFFFDe9/\uFFFDffnew`, "absent"]);
  });

  it("counts names and tells kinds apart", async () => {
    linkSync(join(root, "outside/secret"), join(root, "repo/hard"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "repo/fifo")]);
    expect((await look("hard")).hardLinks).toBe(2);
    expect((await look("fifo")).kind).toBe("fifo");
    expect((await look("src")).kind).toBe("directory");
    expect((await look("/dev/null")).kind).toBe("device");
  });

  it("agrees with the kernel wherever the kernel has an answer", async () => {
    symlinkSync("../outside", join(root, "repo/link"));
    symlinkSync(join(root, "repo"), join(root, "outside/back"));
    symlinkSync("link/deep", join(root, "repo/two"));
    const segment = fc.constantFrom("..", ".", "", "link", "back", "two", "src", "deep", "repo", "outside", "a.ts", "secret", "missing");
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 8 }), async (segments) => {
        const asked = segments.join("/");
        const facts = await resolvePath(join(root, "repo"), asked.startsWith("/") ? `.${asked}` : asked);
        let kernel: string | undefined;
        try {
          kernel = realpathSync.native(facts.spelled);
        } catch {
          kernel = undefined;
        }
        if (kernel !== undefined) expect([facts.real, facts.kind === "absent"]).toEqual([kernel, false]);
        // What is named as real never leads through a link.
        if (facts.kind !== "absent") expect(realpathSync.native(facts.real)).toBe(facts.real);
      }),
      { numRuns: process.env.KARYI_FULL === "1" ? 10_000 : 500 },
    );
  });
});
