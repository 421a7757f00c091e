import { symlink } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Workspace } from "./match/fixtures/workspace.ts";
import { multiEditTool } from "./multi-edit.ts";

let place: Workspace;
beforeEach(async () => {
  place = await Workspace.create();
});
afterEach(() => place.remove());

const file = (file_path: string, ...pairs: readonly (readonly [string, string])[]) => ({
  file_path,
  edits: pairs.map(([old_string, new_string]) => ({ old_string, new_string })),
});

describe("MultiEdit", () => {
  it("applies the edits of each file in order, each on what the one before left", async () => {
    await place.write("a.txt", "one\ntwo\n");
    await place.write("b.txt", "x\n");
    const input = { files: [file("a.txt", ["one", "1"], ["1\ntwo", "1 and 2"]), file("b.txt", ["x", "y"])] };
    const plan = await place.plan(multiEditTool, input);
    expect(plan.summary).toBe("MultiEdit 2 files: 3 replacements");
    expect(plan.effects.map(({ kind }) => kind)).toEqual(["read", "write", "read", "write"]);
    const result = await place.runPlan(multiEditTool, input, plan);
    expect(await place.tree()).toEqual({ "a.txt": "1 and 2\n", "b.txt": "y\n" });
    expect(result.data).toMatchObject({
      replacements: 3,
      files: [
        {
          path: "a.txt",
          replacements: 2,
          edits: [
            { replacements: 1, lines: [1] },
            { replacements: 1, lines: [1] },
          ],
        },
        { path: "b.txt", replacements: 1 },
      ],
      changes: [{ change: "modified" }, { change: "modified" }],
    });
  });

  it("takes one file with its edits directly", async () => {
    await place.write("a.txt", "one\n");
    await place.run(multiEditTool, file("a.txt", ["one", "1"]));
    expect(await place.text("a.txt")).toBe("1\n");
    expect((await place.failure(multiEditTool, { file_path: "a.txt" })).details).toEqual({ reason: "bad_parameters" });
  });

  it("changes nothing when one edit does not match, and names the file and the edit", async () => {
    await place.write("a.txt", "one\n");
    await place.write("b.txt", "x\ny\n");
    const failure = await place.failure(multiEditTool, {
      files: [file("a.txt", ["one", "1"]), file("b.txt", ["x", "z"], ["nothing like it", "w"])],
    });
    expect(failure.toError()).toMatchObject({
      code: "invalid_tool_input",
      message: "old_string was not found in b.txt, edit 2 of 2. No file was changed",
      details: { reason: "no_match", path: "b.txt", file: 2, edit: 2 },
    });
    expect(await place.tree()).toEqual({ "a.txt": "one\n", "b.txt": "x\ny\n" });
  });

  it("treats two names of one file as one file", async () => {
    await place.write("a.txt", "one\ntwo\n");
    await symlink("a.txt", place.path("link.txt"));
    await place.run(multiEditTool, { files: [file("a.txt", ["one", "1"]), file("./link.txt", ["1", "eins"], ["two", "zwei"])] });
    expect(await place.text("a.txt")).toBe("eins\nzwei\n");
  });

  it("gives the files already written their bytes back when a later one changes in between", async () => {
    await place.write("a.txt", "one\r\n");
    await place.write("b.txt", "x\n");
    const input = { files: [file("a.txt", ["one", "1"]), file("b.txt", ["x", "y"])] };
    const plan = await place.plan(multiEditTool, input);
    await place.write("b.txt", "x, changed by another program\n");
    await expect(place.runPlan(multiEditTool, input, plan)).rejects.toMatchObject({
      code: "tool_conflict",
      details: { reason: "stale_file", path: "b.txt", restored: ["a.txt"], not_restored: [] },
    });
    expect(await place.tree()).toEqual({ "a.txt": "one\r\n", "b.txt": "x, changed by another program\n" });
  });

  it("names what it could not give back", async () => {
    await place.write("a.txt", "one\n");
    await place.write("b.txt", "x\n");
    const { files } = place;
    let writes = 0;
    place.files = { ...files, replace: (...call) => (writes++ === 0 ? files.replace(...call) : Promise.reject(new Error("gone"))) };
    const failure = await place.failure(multiEditTool, { files: [file("a.txt", ["one", "1"]), file("b.txt", ["x", "y"])] });
    expect(failure.details).toEqual({ restored: [], not_restored: ["a.txt"] });
    expect(failure.message).toContain("a.txt");
  });
});
