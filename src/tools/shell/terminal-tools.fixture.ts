/** The terminal's tools on a real terminal in a temporary directory, closed when the test ends. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Effect, Plan, ToolOutput } from "../../contract/index.ts";
import { createFiles } from "../../host/index.ts";
import { createSearch } from "../../host/search/index.ts";
import { createTerminal, terminalEnvironment } from "../../host/terminal/index.ts";
import { terminalTools } from "./terminal-tools.ts";

export async function workplace() {
  const root = await realpath(await mkdtemp(join(tmpdir(), "karyi-tools-")));
  const terminals = createTerminal({ cwd: root, env: terminalEnvironment(process.env) });
  onTestFinished(async () => {
    terminals.close();
    await rm(root, { recursive: true, force: true });
  });
  const stored = ["hunter", "2222"].join("");
  const context = {
    callId: "c",
    signal: new AbortController().signal,
    seen: { get: () => undefined, remember() {}, forget() {} },
    session: {
      id: "s",
      cwd: root,
      workspace: root,
      roots: [root],
      userHome: root,
      env: {},
      setCwd(cwd: string) {
        this.cwd = cwd;
      },
      setEnv() {},
    },
    files: createFiles({ cwd: () => root }),
    processes: { which: (program: string) => `/usr/bin/${program}`, tier: async () => "E5" as const },
    terminals,
    search: createSearch(),
    values: {
      list: async () => [],
      placeholders: (value: unknown) => [...String(value).matchAll(/(?<!\$)\$KARYI\{(\w+)\}/g)].map((match) => match[1] ?? ""),
      substitute: async () => null,
      reveal: async () => stored,
      heldIn: async () => [],
    },
  };
  const tool = (name: string) => {
    const found = terminalTools.find((each) => each.name === name);
    if (!found?.plan) throw new Error(`no ${name}`);
    return { ...found, plan: found.plan };
  };
  const defaults = { timeout: 30_000 };
  const plan = async (name: string, input: object): Promise<Plan> => tool(name).plan({ ...defaults, ...input }, context);
  const call = async (name: string, input: object): Promise<ToolOutput> =>
    tool(name).run(
      { ...defaults, ...input },
      { ...context, plan: await plan(name, input), progress() {}, live: () => expect.unreachable() },
    );
  return { root, call, plan, context, terminals, stored };
}

export const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);
