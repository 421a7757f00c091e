/** `data` of every built-in has a schema, and real results fit it, field for field. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, expectTypeOf, it, onTestFinished } from "vitest";
import type { ZodType } from "zod";
import { builtinTools } from "../src/compose/builtin-tools.ts";
import type { Result, SessionHandle, ToolData, ToolInput } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";

/** Fields that the engine adds beside a tool's own. */
const engineFields = ["decision", "rehearsed", "data_ref"];

async function local(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Calls of every built-in, in the order they need each other. */
async function callAll(session: SessionHandle, page: string) {
  const results: Result[] = [];
  const call = async (tool: string, input: object, options = {}) => {
    const result = await session.call(tool, input, options);
    results.push(result);
    return result;
  };
  await call("Write", { file_path: "a.txt", content: "one\ntwo\n" });
  await call("Write", { file_path: "a.txt", content: "one\ntwo\nthree\n" });
  await call("Write", { file_path: "empty.txt", content: "" });
  await call("Read", { file_path: "a.txt" });
  await call("Read", { file_path: "a.txt", offset: 1, limit: 1 });
  await call("Read", { file_path: "empty.txt" });
  await call("Edit", { file_path: "a.txt", old_string: "one", new_string: "ONE" });
  await call("Edit", { file_path: "a.txt", old_string: "two", new_string: "TWO" }, { dryRun: true });
  await call("MultiEdit", { files: [{ file_path: "a.txt", edits: [{ old_string: "two", new_string: "TWO" }] }] });
  await call("ApplyPatch", {
    patch: "*** Begin Patch\n*** Add File: b/c.txt\n+made\n*** Update File: a.txt\n@@\n-ONE\n+1\n*** End Patch\n",
  });
  await call("List", { path: ".", depth: 3 });
  await call("Gitignore", { action: "add", patterns: ["*.log"] });
  await call("Gitignore", { action: "check", path: "x.log" });
  await call("Glob", { pattern: "**/*.txt" });
  await call("Grep", { pattern: "made" });
  await call("Grep", { pattern: "made", output_mode: "files_with_matches" });
  await call("Bash", { command: "cat a.txt; ls b" });
  await call("Bash", { command: "echo x > d.txt" });
  await call("Bash", { command: "ls nothing-here" });
  const dry = await call("Bash", { command: "echo y > e.txt" }, { dryRun: true, keep: true });
  const { change_set: set } = dry.data as ToolData<"Bash">;
  if (set === undefined) await call("DiscardChanges", { id: "none" });
  else await call("CommitChanges", { id: set });
  const again = await call("Bash", { command: "echo z > f.txt" }, { dryRun: true, keep: true });
  await call("DiscardChanges", { id: (again.data as ToolData<"Bash">).change_set ?? "none" });
  const long = await call("Bash", { command: "seq 1 80000" });
  await call("ReadOutput", { ref: long.truncated?.ref ?? "" });
  const background = await call("Bash", { command: "sleep 1000", run_in_background: true });
  const id = (background.data as ToolData<"Bash">).task_id ?? "";
  await call("TaskOutput", { id, wait_ms: 0 });
  await call("TaskList", {});
  await call("TaskStop", { id });
  const todo = await call("TaskCreate", { title: "look" });
  await call("TaskUpdate", { id: (todo.data as ToolData<"TaskCreate">).id, status: "in_progress" });
  await call("Terminal", { command: "echo hi" });
  await call("Terminal", { command: "cat" });
  await call("TerminalScreen", {});
  await call("TerminalInput", { text: "typed\\n" });
  await call("TerminalKey", { key: "c" });
  await call("CreateArtifact", { id: "plan", title: "Plan", content: "# Plan\n\nFirst.\n", content_type: "markdown" });
  await call("UpdateArtifact", { id: "plan", old_str: "First.", new_str: "Second." });
  await call("RewriteArtifact", { id: "plan", content: "# New\n" });
  await call("ReadArtifact", { id: "plan" });
  await call("WebFetch", { url: `http://${page}/` });
  await call("WebFetch", { url: `http://${page}/missing` });
  await call("WebSearch", { query: "tea" });
  await call("ToolSearch", { query: "fetch a page" });
  await call("GetValue", { key: "NAME", reason: "to greet" });
  return results;
}

it("every built-in says the schema of its data, and real results fit it", async () => {
  const page = await local((request, answer) => {
    const isSearch = request.url?.startsWith("/search");
    answer.writeHead(request.url === "/missing" ? 404 : 200, { "content-type": isSearch ? "application/json" : "text/html" });
    answer.end(
      isSearch
        ? JSON.stringify({ results: [{ title: "Tea", url: "https://tea.example/", content: "leaves" }] })
        : "<title>T</title><p>Hi</p>",
    );
  });
  const { engine } = await testEngine({
    config: { web: { allowPrivate: [page], search: { provider: "searxng", baseUrl: `http://${page}` } } },
    askValue: async () => ({ kind: "given", value: "Ada", scope: "session" }),
  });
  const session = await engine.openSession();
  const results = await callAll(session, page);
  expect(builtinTools.filter(({ dataSchema }) => dataSchema === undefined).map(({ name }) => name)).toEqual([]);

  const fitting = new Set<string>();
  for (const { tool, status, data } of results) {
    if (data === undefined) continue;
    const schema = builtinTools.find(({ name }) => name === tool)?.dataSchema?.() as ZodType | undefined;
    const dry = status === "planned" ? ["rule", "reason", "commands"] : [];
    const own = Object.fromEntries(Object.entries(data as object).filter(([key]) => ![...engineFields, ...dry].includes(key)));
    expect(schema?.parse(own), `${tool} ${status} ${JSON.stringify(own).slice(0, 300)}`).toEqual(own);
    fitting.add(tool);
  }
  const unseen = builtinTools.map(({ name }) => name).filter((name) => !fitting.has(name));
  expect(unseen.map((name) => [name, results.find(({ tool }) => tool === name)?.output])).toEqual([]);
  expect(
    builtinTools.map(({ name }) => [name, engine.describeTool(name)?.dataSchema]).filter(([, schema]) => schema === undefined),
  ).toEqual([]);
});

it("types of inputs and data are exported by the name of the tool", () => {
  expectTypeOf<ToolInput<"Bash">>().toExtend<{ command: string; timeout?: number | undefined }>();
  expectTypeOf<ToolData<"Bash">["exit_code"]>().toEqualTypeOf<number | null | undefined>();
  expectTypeOf<ToolData<"Read">["kind"]>().toEqualTypeOf<"text" | "directory" | "image" | "pdf" | "notebook" | "binary">();
});
