/** What is more than bytes and a mode: attributes, access control lists, holes and sockets are kept, or it is said that they are not. */
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { attributesOf, giveAttributes } from "../src/host/files/attributes.ts";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import { testEngine, treeOf } from "./support/engine.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const mark = { "user.karyi": base64("kept") };
/** An access control list as the kernel has it: the owner, user 1 with read, the group, the mask, others. */
const entries: readonly (readonly [tag: number, rights: number, id: number])[] = [
  [0x01, 6, 0xffffffff],
  [0x02, 4, 1],
  [0x04, 4, 0xffffffff],
  [0x10, 4, 0xffffffff],
  [0x20, 0, 0xffffffff],
];
const list = Buffer.alloc(4 + 8 * entries.length);
list.writeUInt32LE(2);
entries.forEach(([tag, rights, id], index) => {
  list.writeUInt16LE(tag, 4 + 8 * index);
  list.writeUInt16LE(rights, 6 + 8 * index);
  list.writeUInt32LE(id, 8 + 8 * index);
});
const acl = { "system.posix_acl_access": list.toString("base64") };

const probe = mkdtempSync(join(tmpdir(), "karyi-test-"));
const hasAttributes = (await giveAttributes([{ path: probe, attributes: { ...mark, ...acl } }])).length === 0;
rmSync(probe, { recursive: true });
const holds = (await capturingHere()).length > 0;
const why = hasAttributes && holds ? "" : " (skipped: no overlay, or no attributes here)";

const found = async (path: string): Promise<unknown> => (await attributesOf([path])).get(path);

describe.skipIf(!hasAttributes || !holds)(`extended attributes and access control lists${why}`, () => {
  it("a commit keeps them, undo gives them back, and so does undoing the undo", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    const [changed, removed] = [join(workspace, "changed"), join(workspace, "removed")];
    for (const path of [changed, removed]) writeFileSync(path, "old\n");
    await giveAttributes([changed, removed].map((path) => ({ path, attributes: { ...mark, ...acl } })));
    const before = await treeOf(workspace);
    expect(await session.call("Bash", { command: "echo more >> changed; rm removed" }, { callId: "c" })).toMatchObject({ status: "ok" });
    expect(await found(changed)).toEqual({ ...mark, ...acl });
    expect(await session.undo("c")).toMatchObject({ status: "ok" });
    expect(await treeOf(workspace)).toEqual(before);
    expect([await found(changed), await found(removed)]).toEqual([
      { ...mark, ...acl },
      { ...mark, ...acl },
    ]);
    const [undone] = await session.history(1);
    expect(await session.undo(undone?.id)).toMatchObject({ status: "ok" });
    expect([await found(changed), Object.keys(await treeOf(workspace))]).toEqual([{ ...mark, ...acl }, ["changed"]]);
  });

  it("a change of nothing but attributes is a change, and can be undone", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    const path = join(workspace, "file");
    writeFileSync(path, "old\n");
    const script = `import os; os.setxattr("file", b"user.karyi", b"kept")`;
    const result = await session.call("Bash", { command: `python3 -c '${script}'` }, { callId: "c" });
    expect(result).toMatchObject({ status: "ok", undoable: true });
    expect(await found(path)).toEqual(mark);
    expect(await session.undo("c")).toMatchObject({ status: "ok" });
    expect(await found(path)).toBeUndefined();
  });

  it("Edit and Write keep them", async () => {
    const { engine, workspace } = await testEngine({ mode: "accept-edits" });
    const session = await engine.openSession();
    const path = join(workspace, "file");
    writeFileSync(path, "old\n");
    await giveAttributes([{ path, attributes: { ...mark, ...acl } }]);
    await session.call("Read", { file_path: "file" });
    expect(await session.call("Edit", { file_path: "file", old_string: "old", new_string: "new" })).toMatchObject({ status: "ok" });
    expect(await session.call("Write", { file_path: "file", content: "other\n" })).toMatchObject({ status: "ok" });
    expect(await found(path)).toEqual({ ...mark, ...acl });
  });
});

describe.skipIf(!holds)(`holes and sockets${holds ? "" : " (skipped: no overlay here)"}`, () => {
  it("a file with holes has them after a commit and after undo", async () => {
    const { engine, workspace } = await testEngine();
    const session = await engine.openSession();
    const path = join(workspace, "sparse");
    writeFileSync(path, "head");
    truncateSync(path, 64 << 20);
    const few = (): boolean => statSync(path).blocks * 512 < 1 << 20;
    expect(few()).toBe(true);
    expect(
      await session.call(
        "Bash",
        { command: "mv sparse x; cp --sparse=always x sparse; rm x; printf HEAD | dd of=sparse conv=notrunc" },
        { callId: "c" },
      ),
    ).toMatchObject({ status: "ok" });
    expect(few()).toBe(true);
    expect(await session.undo("c")).toMatchObject({ status: "ok" });
    expect([few(), statSync(path).size]).toEqual([true, 64 << 20]);
  });

  it("a socket can be removed, and the result says that it does not come back", async () => {
    const { engine, workspace } = await testEngine({ mode: "accept-edits" });
    const session = await engine.openSession();
    const server = createServer();
    const path = join(workspace, "x.sock");
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    writeFileSync(join(workspace, "beside"), "b");
    const result = await session.call("Bash", { command: "rm -f x.sock beside" }, { callId: "c" });
    expect(result).toMatchObject({ status: "ok", undoable: true });
    expect(result.output).toContain("x.sock");
    expect(await treeOf(workspace)).toEqual({});
    expect(await session.undo("c")).toMatchObject({ status: "ok" });
    expect(Object.keys(await treeOf(workspace))).toEqual(["beside"]);
  });
});
