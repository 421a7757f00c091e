/**
 * The process port: runs bash text in its own process group, in a PID namespace where there is one. With a sandbox, foreground
 * commands of a call are captured and committed, and any command can be rehearsed; a captured run that cannot be built fails.
 */
import {
  type FileChange,
  type NetworkAccess,
  type Processes,
  type SandboxTier,
  type ShellOutcome,
  type ShellRequest,
  ToolFailure,
  type UndoGuarantee,
} from "../../contract/index.ts";
import { bashProgram } from "../programs.ts";
import {
  type ConfinedRun,
  exportText,
  type Hides,
  isAtLeast,
  type Purpose,
  type Sandbox,
  setupEnvironment,
  type Watch,
} from "../sandbox/index.ts";
import type { BackgroundTasks, OnTaskOutput } from "./background-tasks.ts";
import { type Containment, containment, tether } from "./containment.ts";
import { baseEnvironment } from "./environment.ts";
import { KeptOutput } from "./kept-output.ts";
import { Starters } from "./starters.ts";
import { carriedEnvironment, initFd, marker, newMark, parseState } from "./state-report.ts";
import { type Ended, supervise } from "./supervise.ts";
import { endMarked } from "./survivors.ts";
import { which } from "./which.ts";

export interface ProcessRoomOptions {
  /** Leaves the namespace out: for machines and benchmarks where a process group is enough. */
  readonly plain?: boolean;
  readonly sandbox?: Sandbox;
  /** `auto` captures foreground commands of a call where the machine can. */
  readonly capture?: "auto" | "off";
  /** Of confined commands. Default: on, since a person approved them. */
  readonly network?: NetworkAccess;
  /** Commands are refused where the network would be more open than that. */
  readonly demandNetwork?: boolean;
  /** Looks at what a captured command changed before it is committed; a reason drops all of it. */
  refuse?(changes: readonly FileChange[]): string | undefined;
  /** Commands are refused where they would run with less than this. */
  readonly require?: SandboxTier;
  /** True: background commands are confined, and not started where that does not hold. Default: where anything is demanded of it. */
  readonly confineBackground?: boolean;
  /** True: background commands are captured like others, and committed when they end. */
  readonly captureBackground?: boolean;
  /** Which files and directories of the roots a confined command may not read. */
  hides?(purpose: Purpose): Hides | undefined;
}

/** What all sessions of an engine share. */
export class ProcessRoom {
  readonly #starters = new Starters();
  readonly #env: Readonly<Record<string, string>>;
  readonly #options: ProcessRoomOptions;

  constructor(env: Readonly<Record<string, string | undefined>>, options: ProcessRoomOptions = {}) {
    this.#env = baseEnvironment(env);
    this.#options = options;
  }

  /** With a budget, a foreground command that takes longer goes on in the background. `roots`: the workspace and further roots. */
  processes(background: BackgroundTasks, budgetMs?: number, roots: readonly string[] = []): Processes {
    const { sandbox } = this.#options;
    return {
      which: (program, env, cwd) => which(program, { ...this.#env, ...env }.PATH ?? "", cwd),
      tier: async () => sandbox?.tier() ?? "E5",
      run: (request) => (budgetMs === undefined ? this.run(request, roots) : this.#runWithin(budgetMs, request, background, roots)),
      rehearse: (request, network, keep = false) => this.#rehearse(request, network, keep, roots),
      background: async (request, title) => {
        const { captureBackground = false } = this.#options;
        await (captureBackground ? this.#demandTier(roots) : this.#demandServing(roots));
        return background.start({
          title,
          run: async (signal, onOutput) => {
            const lasting: ShellRequest = { ...request, signal, onOutput };
            const { ended } = await (captureBackground ? this.#perform(lasting, roots, () => true) : this.#serve(lasting, roots));
            return ended;
          },
        });
      },
    };
  }

  async run(request: ShellRequest, roots: readonly string[] = []): Promise<ShellOutcome> {
    return outcomeOf(await this.#perform(request, roots), request);
  }

  /** Captured and committed where that holds, else as it is. */
  async #perform(request: ShellRequest, roots: readonly string[], isLate?: () => boolean): Promise<Supervised> {
    const { sandbox, capture = "auto", network = "on", require = "E5" } = this.#options;
    await this.#demandTier(roots);
    if (sandbox === undefined || capture === "off" || roots.length === 0) {
      this.#demand("E5", "capture is off, so commands run outside any sandbox", "Set sandbox.capture to auto");
      this.#demandNetwork("capture is off, so commands run outside any sandbox", "Set sandbox.capture to auto");
      return this.#supervise(request);
    }
    // What changes nothing needs a sandbox only where one is demanded.
    if (request.callId === undefined && require === "E5") return this.#supervise(request);
    const tier = await sandbox.tier(roots);
    if (tier === "E5") this.#demandNetwork("this machine has no sandbox", "`karyi doctor` says what to install");
    const confined = tier === "E5" ? undefined : await this.#begin(sandbox, "run", network, request, roots);
    if (confined === undefined || tier === "E4")
      return this.#watched(sandbox, confined, request, async () =>
        request.callId === undefined ? undefined : sandbox.watch(roots, request.callId, isLate),
      );
    const supervised = await this.#confined(sandbox, confined, request);
    const set = await sandbox.collect(confined, request.command, request.cwd);
    const refused = this.#options.refuse?.(set.changes);
    if (refused !== undefined) {
      sandbox.drop(confined);
      throw new ToolFailure("tool_forbidden_path", `Nothing was changed: ${refused}.`, {
        hint: "Do it another way, or have a person approve the command.",
        details: { reason: "protected_path" },
        output: "",
        unchanged: true,
      });
    }
    await sandbox.commit(set, request.callId, isLate);
    return { ...supervised, changes: set.changes, ...(set.leftOut === undefined ? {} : { leftOut: set.leftOut }), undo: { kind: "layer" } };
  }

  /** Without an overlay: what was there before is kept. */
  async #watched(
    sandbox: Sandbox,
    confined: ConfinedRun | undefined,
    request: ShellRequest,
    begin: () => Promise<Watch | undefined>,
  ): Promise<Supervised> {
    let watch: Watch | undefined;
    try {
      watch = await begin();
      const supervised = await (confined === undefined ? this.#supervise(request) : this.#confined(sandbox, confined, request));
      return { ...supervised, ...(await watch?.finish()) };
    } finally {
      watch?.close();
      if (confined !== undefined) sandbox.drop(confined);
    }
  }

  /** For what never runs in a sandbox. */
  demandNoSandbox(what: string): void {
    this.#demand("E5", `${what.toLowerCase()} runs outside any sandbox`, "Use Bash");
    this.#demandNetwork(`${what.toLowerCase()} runs outside any sandbox`, "Use Bash");
  }

  async #demandTier(roots: readonly string[]): Promise<void> {
    const { sandbox, require } = this.#options;
    if (require === undefined) return;
    const tier = (await sandbox?.tier(roots)) ?? "E5";
    this.#demand(tier, `this machine holds ${tier}`, "`karyi doctor` says what to install");
  }

  /** What lasts is not captured: it would be seen only when it ends. */
  async #demandServing(roots: readonly string[]): Promise<void> {
    await this.#demandTier(roots);
    this.#demand("E3", "a background command is confined, but not captured (E3)", "Run it in the foreground");
  }

  /** Policy may demand a tier; where a run will have less it fails closed, with what to do. */
  #demand(tier: SandboxTier, why: string, way: string): void {
    const { require = "E5" } = this.#options;
    if (isAtLeast(tier, require)) return;
    throw new ToolFailure("tool_disabled", `The config demands sandbox tier ${require}; ${why}.`, {
      hint: `${way}, or lower sandbox.require in the config.`,
      details: { reason: "tier_missing", required: require, tier },
    });
  }

  #demandNetwork(why: string, way: string): void {
    const { network = "on", demandNetwork = false } = this.#options;
    if (!demandNetwork) return;
    throw new ToolFailure("tool_disabled", `The config gives commands the network '${network}'; ${why}.`, {
      hint: `${way}, or set sandbox.network to on in the config.`,
      details: { reason: "network_open", network },
    });
  }

  async #rehearse(
    request: ShellRequest,
    network: NetworkAccess,
    keep: boolean,
    roots: readonly string[],
  ): ReturnType<Processes["rehearse"]> {
    const { sandbox } = this.#options;
    await this.#demandTier(roots);
    if (sandbox === undefined || roots.length === 0) throw noOverlay();
    const confined = await this.#begin(sandbox, "rehearse", network, request, roots);
    const supervised = await this.#confined(sandbox, confined, { ...request, env: { ...request.env, TMPDIR: "/tmp" } });
    const set = await sandbox.collect(confined, request.command, request.cwd);
    const { id, tier, changes, leftOut, temporary } = set;
    const more = { ...(leftOut === undefined ? {} : { leftOut }), ...(temporary === undefined ? {} : { temporary }) };
    if (keep) sandbox.keep(set);
    else sandbox.discard(id);
    return { ...outcomeOf(supervised, request), changeSet: { id, tier, changes, ...more } };
  }

  async #serve(request: ShellRequest, roots: readonly string[]): Promise<Supervised> {
    const { sandbox, network = "on", require = "E5", demandNetwork = false } = this.#options;
    const { confineBackground = require !== "E5" || demandNetwork } = this.#options;
    if (!confineBackground) return this.#supervise(request, undefined, true);
    if (sandbox === undefined || roots.length === 0) throw noOverlay();
    const confined = await this.#begin(sandbox, "serve", network, request, roots);
    try {
      return await this.#confined(sandbox, confined, request, true);
    } finally {
      sandbox.drop(confined);
    }
  }

  #begin(
    sandbox: Sandbox,
    purpose: Purpose,
    network: NetworkAccess,
    { cwd, reads = [] }: ShellRequest,
    roots: readonly string[],
  ): Promise<ConfinedRun> {
    const hides = this.#options.hides?.(purpose);
    const read = new Set(reads);
    return sandbox.begin({
      purpose,
      network,
      roots,
      cwd,
      ...(hides === undefined ? {} : { hides: (path: string, isDirectory: boolean) => !read.has(path) && hides(path, isDirectory) }),
    });
  }

  async #confined(sandbox: Sandbox, confined: ConfinedRun, request: ShellRequest, lasting = false): Promise<Supervised> {
    let supervised: Supervised;
    try {
      supervised = await this.#supervise(request, confined, lasting);
    } catch (error) {
      sandbox.drop(confined);
      throw error;
    }
    sandbox.confirm(confined, supervised.ended.report);
    return supervised;
  }

  /** Starts in the foreground; at the end of the budget the running command becomes a task, output so far included. */
  async #runWithin(budgetMs: number, request: ShellRequest, background: BackgroundTasks, roots: readonly string[]): Promise<ShellOutcome> {
    const stop = new AbortController();
    const abort = () => stop.abort();
    request.signal.addEventListener("abort", abort, { once: true });
    const kept = new KeptOutput();
    let handOn: OnTaskOutput | undefined;
    const watched: ShellRequest = {
      ...request,
      signal: stop.signal,
      onOutput: (stream, chunk) => {
        if (handOn) return handOn(stream, chunk);
        kept.print(stream, chunk);
        return request.onOutput(stream, chunk);
      },
    };
    const running = this.#perform(watched, roots, () => handOn !== undefined);
    let timer: NodeJS.Timeout | undefined;
    const budget = new Promise<"over">((resolve) => {
      timer = setTimeout(() => resolve("over"), budgetMs);
    });
    const first = await Promise.race([running, budget]).finally(() => {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", abort);
    });
    if (first !== "over") return outcomeOf(first, request);
    const movedTo = await background.start(
      {
        title: request.command,
        run: (signal, onOutput) => {
          handOn = onOutput;
          signal.addEventListener("abort", abort, { once: true });
          return running.then(({ ended }) => ended);
        },
      },
      kept,
    );
    const { kind } = await containment();
    return {
      exitCode: null,
      signal: null,
      timedOut: false,
      cancelled: false,
      durationMs: budgetMs,
      tier: "E5",
      containment: kind,
      movedTo,
    };
  }

  async #supervise(request: ShellRequest, confined?: ConfinedRun, lasting = false): Promise<Supervised> {
    const [{ kind, prefix }, tied] = await Promise.all([this.#containment(confined), tether()]);
    const mark = newMark();
    const env = { ...this.#env, ...request.env, ...request.secrets, BASH_ENV: `/dev/fd/${initFd}`, [marker]: mark };
    // Whatever PATH the session has; named as everybody knows it, since it says its name in its complaints.
    const argv = [...prefix, bashProgram(), "-c", request.command, "bash"];
    try {
      const ended = await supervise({
        // What builds the sandbox must not be shaped by the session's environment: the command reads it when everything stands.
        start:
          confined === undefined
            ? { argv, mark, tether: tied, cwd: request.cwd, env }
            : { argv, mark, tether: tied, cwd: "/", env: setupEnvironment, hidden: exportText(env) },
        starter: await this.#starters.take(lasting),
        contained: kind === "namespace",
        timeoutMs: request.timeoutMs,
        signal: request.signal,
        onOutput: (stream, chunk) => request.onOutput(stream, chunk),
      });
      const concealed = confined?.concealed ?? [];
      return { ended, env, kind, tier: confined?.tier ?? "E5", ...(concealed.length === 0 ? {} : { concealed }) };
    } catch (error) {
      endMarked(mark);
      throw startFailure(error as NodeJS.ErrnoException, request);
    }
  }

  async #containment(confined?: ConfinedRun): Promise<Containment> {
    if (confined !== undefined) return { kind: confined.tier === "E4" ? "group" : "namespace", prefix: confined.prefix };
    return this.#options.plain === true ? { kind: "group", prefix: [] } : containment();
  }

  close(): void {
    this.#starters.close();
  }
}

interface Supervised {
  readonly ended: Ended;
  readonly env: Readonly<Record<string, string>>;
  readonly kind: "namespace" | "group";
  readonly tier: SandboxTier;
  readonly concealed?: readonly string[];
  readonly changes?: readonly FileChange[];
  readonly leftOut?: readonly string[];
  readonly undo?: UndoGuarantee;
}

function noOverlay(): ToolFailure {
  return new ToolFailure("tool_disabled", "A dry run of a command needs an overlay, which this machine does not offer.", {
    details: { reason: "no_overlay" },
  });
}

function outcomeOf({ ended, env, kind, tier, concealed, changes, leftOut, undo }: Supervised, request: ShellRequest): ShellOutcome {
  const { report, ...rest } = ended;
  const state = parseState(report);
  return {
    ...rest,
    tier,
    containment: kind,
    ...(concealed === undefined ? {} : { concealed }),
    ...(changes === undefined ? {} : { changes }),
    ...(leftOut === undefined ? {} : { leftOut }),
    ...(undo === undefined ? {} : { undo }),
    ...(state === undefined ? {} : { cwd: state.cwd, ...carriedEnvironment(request.env, env, state.env) }),
  };
}

function startFailure(error: NodeJS.ErrnoException, { cwd }: ShellRequest): ToolFailure {
  if (error.code === "E2BIG")
    return new ToolFailure("invalid_tool_input", "The command is too long for the system.", {
      hint: "Write it to a file and run that.",
      details: { reason: "too_long" },
    });
  if (error.code === "ENOENT")
    return new ToolFailure("tool_error", `bash could not be started in ${cwd}.`, {
      hint: "Is bash installed (`karyi doctor`), and does the directory still exist?",
      details: { reason: "not_started" },
      cause: error,
    });
  return new ToolFailure("tool_error", `The command could not be started: ${error.message}`, {
    details: { reason: "not_started" },
    cause: error,
  });
}
