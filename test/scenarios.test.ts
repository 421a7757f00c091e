/**
 * Every scenario runs through the real engine twice: for real, after which the tree is as expected byte for byte and undoing
 * every call gives the input back; and with a dry run before each writing call, which says what would happen and touches nothing.
 */
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type ApprovalCard, createEngine, type Result } from "../src/index.ts";
import { mismatches } from "./scenarios/matching.ts";
import { type Fill, fillAll, readScenarios, type Scenario } from "./scenarios/scenario.ts";
import { copyTree, layOver, readTree } from "./scenarios/tree.ts";

type Session = Awaited<ReturnType<Awaited<ReturnType<typeof createEngine>>["openSession"]>>;

const scenarios = readScenarios(join(import.meta.dirname, "scenarios"));
const writing = new Set(["Write", "write_file", "Edit", "FileEdit", "MultiEdit", "multi_edit", "ApplyPatch", "apply_patch", "Gitignore"]);

function isWriting(step: Scenario["calls"][number] | { readonly call: string }): boolean {
  return "call" in step && writing.has(step.call);
}

interface Stage {
  readonly scenario: Scenario;
  /** Holds the workspace and its neighbours; what is compared. */
  readonly base: string;
  readonly workspace: string;
  readonly fill: Fill;
}

async function place(): Promise<{ base: string; workspace: string; fill: Fill }> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "karyi-scenario-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const workspace = join(base, "repo");
  return { base, workspace, fill: (text) => text.replaceAll("$WS", workspace) };
}

async function setStage(scenario: Scenario): Promise<Stage> {
  const stage = { scenario, ...(await place()) };
  await copyTree(scenario.input, stage.workspace);
  await layOver(stage.workspace, scenario.setup, stage.fill);
  return stage;
}

/** Built beside the stage, so that links into the workspace are compared as texts that name the same place. */
async function treeAfter({ scenario, fill }: Stage, overlays: readonly Scenario["setup"][], source: string): Promise<object> {
  const { base, workspace } = await place();
  await copyTree(source, workspace);
  for (const overlay of [scenario.setup, ...overlays]) await layOver(workspace, overlay, fill);
  return readTree(base);
}

/** One home for all: sessions are told apart by their workspace, and starting from nothing is what takes long. */
let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "karyi-scenario-home-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function openStage({ scenario, workspace }: Stage): Promise<{ session: Session; asked: string[] }> {
  const asked: string[] = [];
  const answer = scenario.approve;
  const approve = async ({ rule }: ApprovalCard) => {
    asked.push(rule);
    return answer === "deny" ? ("deny" as const) : ("once" as const);
  };
  const engine = await createEngine({
    workspace,
    home,
    mode: scenario.mode,
    config: { durability: "off" },
    ...(answer === "nobody" ? {} : { approve }),
  });
  onTestFinished(() => engine.close());
  return { session: await engine.openSession(), asked };
}

interface Step {
  readonly call: string;
  readonly input: unknown;
  readonly wanted: unknown;
}

async function play(stage: Stage, session: Session, before?: (step: Step) => Promise<void>): Promise<Result[]> {
  const results: Result[] = [];
  let ref = "";
  for (const [index, one] of stage.scenario.calls.entries()) {
    if ("meanwhile" in one) {
      await layOver(stage.workspace, one.meanwhile, stage.fill);
      continue;
    }
    const fill: Fill = (text) => stage.fill(text).replaceAll("$REF", ref);
    const step = { call: one.call, input: fillAll(one.input, fill), wanted: fillAll(one.expect, fill) };
    await before?.(step);
    const result = await session.call(step.call, step.input);
    expect(mismatches(result, step.wanted, `call ${index + 1} (${step.call})`)).toEqual([]);
    ref = result.truncated?.ref ?? ref;
    results.push(result);
  }
  return results;
}

describe("scenarios", () => {
  it("are sixty or more, and every file and search tool has some", () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(60);
    const called = new Set(scenarios.flatMap(({ calls }) => calls.flatMap((one) => ("call" in one ? [one.call] : []))));
    for (const tool of ["Read", "Write", "Edit", "MultiEdit", "ApplyPatch", "List", "Gitignore", "Glob", "Grep", "ReadOutput"])
      expect(called).toContain(tool);
  });

  for (const scenario of scenarios) {
    const title = scenario.skip === undefined ? scenario.name : `${scenario.name} (skipped: ${scenario.skip})`;
    describe.skipIf(scenario.skip !== undefined)(title, () => {
      it("leaves the expected tree, and undo gives the input back", async () => {
        const stage = await setStage(scenario);
        const { session, asked } = await openStage(stage);
        const results = await play(stage, session);
        if (scenario.asked !== undefined) expect(asked).toEqual(scenario.asked);
        const others = scenario.calls.flatMap((one) => ("meanwhile" in one ? [one.meanwhile] : []));
        const source = existsSync(scenario.expected) ? scenario.expected : scenario.input;
        expect(await readTree(stage.base)).toEqual(await treeAfter(stage, [...others, scenario.after], source));

        for (const { callId, undoable } of results.toReversed()) {
          if (undoable) expect(await session.undo(callId)).toMatchObject({ status: "ok" });
        }
        expect(await readTree(stage.base)).toEqual(await treeAfter(stage, others, scenario.input));
      });

      if (!scenario.calls.some(isWriting)) return;
      it("shows as a dry run what it would do, and touches nothing", async () => {
        const stage = await setStage(scenario);
        const { session } = await openStage(stage);
        await play(stage, session, async ({ call, input, wanted }) => {
          if (!isWriting({ call })) return;
          const before = await readTree(stage.base, { times: true });
          const dry = await session.call(call, input, { dryRun: true });
          expect(await readTree(stage.base, { times: true })).toEqual(before);
          const { status, error } = wanted as { status: string; error?: { code?: string; details?: object } };
          if (status === "ok") expect(dry).toMatchObject({ status: "planned", undoable: false });
          else if (scenario.approve === "once")
            expect(mismatches(dry, { status, ...(error?.code === undefined ? {} : { error: { code: error.code } }) })).toEqual([]);
          else expect(["planned", "denied", "error"]).toContain(dry.status);
        });
      });
    });
  }
});
