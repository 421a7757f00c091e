/**
 * The process that stays and answers hooks from engines that are open already. It ends when nobody came for long, when its home
 * is gone, and when the program was replaced by another version. Whoever finds none starts Karyi for one hook as before.
 */
import { join } from "node:path";
import { type HookAgent, hookAgents } from "../../adapters/index.ts";
import { modes } from "../../contract/index.ts";
import { canonical, isDirectory, removeFile, serveHooks, stampOf, startApart } from "../../host/index.ts";
import { homeConfigPath, projectConfigPath } from "../config-layers.ts";
import { createEngine } from "../create-engine.ts";
import type { EngineOptions } from "../engine-options.ts";
import { projectServersPath } from "../project-servers.ts";
import type { WiredEngine } from "../wired-engine.ts";
import { answerHook, type HookRequest, type OpenEngine } from "./judge.ts";

interface ResidentOptions {
  readonly home: string;
  /** Files that the program consists of: when one changes, this process is of yesterday. */
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long it waits for the next hook. */
  readonly idleMs: number;
  /** For people: why a call could not be judged. */
  failed(message: string): string;
}

/** The file that leads to the process; in the home. */
const curlFile = (home: string) => join(home, "run", "hook.curl");
const patienceSeconds = 5;
const lookMs = 2_000;
/** More workspaces than anybody has agents at work in. */
const maxEngines = 8;

/** What one that is asked no more answers: find it out yourself, and start no other process for it. */
const notHere = "3";

/** Resolves when it is over. */
export async function keepResident({ home, program, env, idleMs, failed }: ResidentOptions): Promise<void> {
  const version = await stampOf(program);
  // A home that went while this process started is not made again.
  if (!(await isDirectory(home))) return;
  const engines = new OpenEngines();
  let busy = 0;
  let lastAsked = Date.now();
  let isOver = false;
  const answer = async (body: Buffer): Promise<string | undefined> => {
    lastAsked = Date.now();
    if ((await stampOf(program)) !== version) {
      isOver = true;
      return undefined;
    }
    const asked = readRequest(body, env);
    if (asked === undefined) return undefined;
    if (!asked.isHere) return notHere;
    busy += 1;
    try {
      return `0${await answerHook({ ...asked.request, home }, engines.open)}`;
    } catch (error) {
      return asked.isBefore ? `2${failed(error instanceof Error ? error.message : String(error))}` : "0";
    } finally {
      busy -= 1;
      lastAsked = Date.now();
    }
  };
  const socket = await serveHooks({ path: curlFile(home), patienceSeconds, answer });
  await new Promise<void>((resolve) => {
    const look = setInterval(
      async () => {
        if (busy > 0) return;
        if (!isOver && Date.now() - lastAsked < idleMs && (await socket.holds())) return;
        clearInterval(look);
        resolve();
      },
      Math.min(lookMs, idleMs),
    );
  });
  await socket.close();
  await engines.close();
}

/** Leaves a process behind that answers the next hooks. */
export function startResident(node: string, script: string, home: string): void {
  startApart(node, [script, "hook", "resident", "--home", home]);
}

/** No hook finds it any more; it ends soon after. */
export function dismissResident(home: string): Promise<void> {
  return removeFile(curlFile(home));
}

interface Asked {
  readonly request: HookRequest;
  readonly isBefore: boolean;
  /** False: the agent has another home or temporary directory than this process, which only a process of its own can heed. */
  readonly isHere: boolean;
}

/** As `bin/hook.sh` writes it: fields between NULs, which no variable can hold. */
function readRequest(body: Buffer, own: ResidentOptions["env"]): Asked | undefined {
  const [agentName, when, modeName, project = "", shell = "", home = "", temporary = "", path = "", karyiMode, durability, payload, end] =
    body.toString("utf8").split("\0");
  const agent = hookAgents.find((name): name is HookAgent => name === agentName);
  const mode = modes.find((name) => name === modeName);
  if (agent === undefined || payload === undefined || end !== "" || (modeName !== "" && mode === undefined)) return undefined;
  const { KARYI_MODE: _, KARYI_DURABILITY: __, ...rest } = own;
  const env = {
    ...rest,
    PATH: path,
    ...(karyiMode === "" ? {} : { KARYI_MODE: karyiMode }),
    ...(durability === "" ? {} : { KARYI_DURABILITY: durability }),
  };
  return {
    request: {
      agent,
      payload,
      env,
      ...(project === "" || agent === "codex" ? {} : { workspace: project }),
      ...(mode === undefined ? {} : { mode }),
      isCaptured: agent !== "codex" && isOurShell(shell),
    },
    isBefore: when !== "after",
    isHere: home === (own.HOME ?? "") && temporary === (own.TMPDIR ?? ""),
  };
}

export function isOurShell(shell: string | undefined): boolean {
  return shell?.endsWith("/karyi-bash") ?? false;
}

interface Opened {
  readonly engine: Promise<WiredEngine>;
  /** Of the files that its settings came from. */
  readonly stamp: string;
  users: number;
  isDropped: boolean;
}

/** Engines by what they were opened with; one whose settings changed since is opened anew. */
class OpenEngines {
  readonly #opened = new Map<string, Opened>();

  readonly open: OpenEngine = async (options) => {
    const home = options.home ?? "";
    const workspace = await canonical(options.workspace);
    const { PATH, KARYI_MODE, KARYI_DURABILITY } = options.env ?? {};
    const key = JSON.stringify([workspace, options.mode, PATH, KARYI_MODE, KARYI_DURABILITY]);
    const settings = [homeConfigPath(home), join(home, "projects.json"), join(home, "plugins.json"), join(home, "vault.enc")];
    const stamp = await stampOf([...settings, projectConfigPath(workspace), projectServersPath(workspace)]);
    const known = this.#opened.get(key);
    if (known !== undefined && known.stamp !== stamp) await this.#drop(key, known);
    const opened = this.#opened.get(key) ?? this.#begin(options, stamp);
    this.#opened.delete(key);
    this.#opened.set(key, opened);
    opened.users += 1;
    const [oldest] = this.#opened;
    if (this.#opened.size > maxEngines && oldest !== undefined) await this.#drop(...oldest);
    const release = async () => {
      opened.users -= 1;
      if (opened.isDropped && opened.users === 0) await (await opened.engine).close();
    };
    try {
      return { engine: await opened.engine, release };
    } catch (error) {
      this.#opened.delete(key);
      throw error;
    }
  };

  async close(): Promise<void> {
    await Promise.all([...this.#opened].map(([key, opened]) => this.#drop(key, opened)));
  }

  #begin(options: EngineOptions, stamp: string): Opened {
    return { engine: createEngine(options), stamp, users: 0, isDropped: false };
  }

  async #drop(key: string, opened: Opened): Promise<void> {
    if (this.#opened.get(key) === opened) this.#opened.delete(key);
    opened.isDropped = true;
    if (opened.users === 0) await opened.engine.then((engine) => engine.close()).catch(() => {});
  }
}
