// Switches off, one after the other, what the engine promises or refuses, in a copy of the tree, and demands that a test fails.
// `node scripts/mutants.mjs [part of a name]`. Ends with 1 if a mutant survives or its place in the source is gone.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const promises = "test/promises.test.ts";
const life = "test/engine-life.test.ts";
const planted = "test/planted-git.test.ts";
const gate = "src/engine/gate.ts";
const guarded = "src/engine/guarded-files.ts";
const locks = "src/engine/path-locks.ts";

/** Name, file, text that is there exactly once, what stands there instead, tests of which one must fail. */
const mutants = [
  ["an approval is bound to its exact plan", gate, "record.planHash !== planHash", "false", [promises, life]],
  ["a write that the plan did not name is refused", guarded, "!planned.has(facts.real)", "false", [promises]],
  [
    "plans get ports that only read",
    "src/engine/session.ts",
    "this.#readPorts = readOnly(this.#ports, this.files)",
    "this.#readPorts = { ...this.#ports, files: this.files }",
    [promises],
  ],
  [
    "path locks hold across processes",
    "src/store/locks.ts",
    "if (!holds) continue;",
    "if (holds || !holds) continue;",
    ["src/store/locks.test.ts"],
  ],
  ["the writer is revoked after the call", guarded, "revoked = true", "revoked = false", [promises, life]],
  [
    "a dry run asks before it reads",
    "src/engine/call-life.ts",
    "if (effects.length === 0) return undefined;",
    "if (effects.length >= 0) return undefined;",
    [promises],
  ],
  ["gate: a denial ends the call", gate, 'if (decision.verdict === "deny") throw denial(decision);', "", [life]],
  ["gate: nobody to ask is a denial", gate, 'asking === "nobody"', "false", [life]],
  [
    "gate: a refusal ends the call",
    gate,
    "throw refusal(request.decision, record);",
    'return { kind: "open", approvalId: record.id };',
    [life],
  ],
  [
    "gate: a used or expired approval opens nothing",
    gate,
    'case "granted":',
    'case "granted":\n      case "used":\n      case "expired":',
    [promises, "src/engine/gate.test.ts"],
  ],
  [
    "gate: a question that is gone opens nothing",
    gate,
    'throw new ToolFailure("permission_denied", "The approval is gone.", { details: { reason: "approval_missing" } });',
    'return { id, status: "granted" };',
    ["src/engine/gate.test.ts"],
  ],
  [
    "gate: an ended call is opened by no later answer",
    gate,
    'if (signal.aborted) throw new ToolFailure("cancelled", "The call was ended while it waited for an answer.");',
    "",
    ["src/engine/gate.test.ts"],
  ],
  ["gate: the policy of now counts", gate, "record.policyVersion !== this.#policyVersion(request.session)", "false", [promises, life]],
  [
    "guarded files: nothing is written after the end",
    guarded,
    "revoked || (signal.aborted && !touched.has(facts.real))",
    "false",
    [promises, life],
  ],
  [
    "path locks: running calls do not wait for each other for ever",
    locks,
    "if (holder === callId) throw",
    "if (holder === undefined) throw",
    ["src/engine/path-locks.test.ts"],
  ],
  [
    "path locks: writers of one path do not overlap",
    locks,
    "if (paths.some((path) => this.#holders.has(path))) return false;",
    "",
    ["src/engine/path-locks.test.ts"],
  ],
  [
    "path locks: waiting ends",
    locks,
    "limit.throwIfAborted();",
    "if (limit.aborted) return;",
    ["src/engine/path-locks.test.ts", "test/locks.test.ts"],
  ],
  [
    "path locks: a cancelled wait for another process takes nothing",
    locks,
    "if (signal.aborted)\n      throw new ToolFailure",
    "if (signal.aborted && !signal.aborted)\n      throw new ToolFailure",
    ["src/engine/path-locks.test.ts"],
  ],
  [
    "a parent named later bounds the session",
    "src/compose/session-policies.ts",
    "Object.assign(known, { rights, parent, world: undefined });",
    "Object.assign(known, { rights, world: undefined });",
    ["test/session-one-thing.test.ts"],
  ],
  [
    "a provider's id is never the engine's",
    "src/engine/engine.ts",
    "return { ...call, providerId };",
    "return request;",
    ["test/ports-and-ids.test.ts"],
  ],
  [
    "a lease that ran out holds nothing",
    "src/store/owners.ts",
    "return row.lease_until > context.now();",
    "return true;",
    ["src/store/conformance.test.ts"],
  ],
  [
    "a git directory that does not lead back is outside",
    "src/host/search/ignore/linked-git.ts",
    "return leadsBack || isPart ? { gitDirectory, commonDirectory, leadsBack } : undefined;",
    "return { gitDirectory, commonDirectory, leadsBack: true };",
    [planted],
  ],
  ["a worktree names its own .git", "src/host/search/ignore/linked-git.ts", '=== joinBytes(top, ".git")', "!== undefined", [planted]],
  [
    "a submodule names its own work tree",
    "src/host/search/ignore/linked-git.ts",
    "worktree)) === top",
    "worktree)) !== undefined",
    [planted],
  ],
  ["git that reads sees no other repository", "src/host/processes/session-processes.ts", "bare: true, visible", "visible", [planted]],
  ["hooks of any git directory are protected", "src/compose/refuse-changes.ts", "if (code !== undefined)", "if (code === null)", [planted]],
];

const copy = mkdtempSync(join(tmpdir(), "karyi-mutants-"));
let failed = 0;
try {
  for (const name of ["src", "test", "package.json", "tsconfig.json", "vitest.config.ts", "bin"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  for (const name of ["node_modules", "dist"]) symlinkSync(join(root, name), join(copy, name));
  const all = [...new Set(mutants.flatMap(([, , , , tests]) => tests))];
  if (!passes(all)) tell("nothing was switched off", "a test fails all the same");
  for (const [name, file, text, instead, tests] of mutants) {
    if (!name.includes(process.argv[2] ?? "")) continue;
    const path = join(copy, file);
    const source = readFileSync(path, "utf8");
    if (source.split(text).length !== 2) {
      tell(name, `the text is not there exactly once in ${file}`);
      continue;
    }
    writeFileSync(
      path,
      source.replace(text, () => instead),
    );
    const alive = passes(tests);
    writeFileSync(path, source);
    tell(name, alive ? "no test failed" : undefined);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

function passes(tests) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  return spawnSync(process.execPath, [vitest, "run", "--bail", "1", ...tests], { cwd: copy, stdio: "ignore" }).status === 0;
}

function tell(name, problem) {
  if (problem !== undefined) failed += 1;
  process.stdout.write(`${problem === undefined ? "killed  " : "SURVIVED"}  ${name}${problem === undefined ? "" : `: ${problem}`}\n`);
}
