/**
 * The process port of one session: runs bash text in its own process group, in a PID namespace where there is one. With a sandbox,
 * what only reads runs where nothing can be written, other foreground commands are captured and committed, and any command can be
 * rehearsed; a captured run that cannot be built fails.
 */
import {
  type FileChange,
  hasLayer,
  type Keeping,
  type NetworkAccess,
  type Processes,
  type Purpose,
  type SandboxTier,
  type ShellOutcome,
  type ShellRequest,
  type TaskRecord,
  ToolFailure,
  type UndoGuarantee,
  undoOf,
} from "../../contract/index.ts";
import { bashProgram } from "../programs.ts";
import {
  type ConfinedRun,
  exportText,
  type Hides,
  isAtLeast,
  type Sandbox,
  setupEnvironment,
  shellQuote,
  type Watch,
  watchLayers,
} from "../sandbox/index.ts";
import type { BackgroundTasks, OnTaskOutput } from "./background-tasks.ts";
import { type Containment, containment, tether } from "./containment.ts";
import { listNames, readingGit } from "./git-environment.ts";
import { KeptOutput } from "./kept-output.ts";
import type { Starters } from "./starters.ts";
import { carriedEnvironment, initFd, marker, newMark, parseState } from "./state-report.ts";
import { type Ended, supervise } from "./supervise.ts";
import { endMarked } from "./survivors.ts";
import { which } from "./which.ts";
import { inWorld } from "./world-environment.ts";

/** How commands are confined; of a room, and of one of its sessions, whose word counts. */
export interface CommandConfinement {
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
  /** How much a command may write while it is rehearsed, and how much the session may keep in /tmp. Default: 2 GiB. */
  readonly maxLayerBytes?: number;
  /** Whose keeper starts the commands: worlds of one session may share a network. */
  readonly session?: string;
  /** True: nobody is asked about commands, so nothing of the machine is there for them but what they need. */
  readonly unasked?: boolean;
  /** Paths outside the roots that are there all the same where nobody is asked. */
  readonly visible?: readonly string[];
  /** Which files and directories of the roots a confined command may not read. */
  hides?(purpose: Purpose): Hides | undefined;
}

/** What a session is given by its room. */
export interface SessionPlace {
  readonly starters: Starters;
  /** What every command starts with. */
  readonly env: Readonly<Record<string, string>>;
  readonly plain: boolean;
  readonly sandbox: Sandbox | undefined;
  /** The workspace and further roots. */
  readonly roots: readonly string[];
  readonly background: BackgroundTasks | undefined;
  /** A foreground command that takes longer goes on in the background. */
  readonly budgetMs: number | undefined;
}

const defaultLayerBytes = 2 * 1024 ** 3;

export class SessionProcesses implements Processes {
  readonly #place: SessionPlace;
  /** Looked at for each command: rules are added while a session lives. */
  readonly #options: CommandConfinement;

  constructor(place: SessionPlace, confinement: CommandConfinement) {
    this.#place = place;
    this.#options = confinement;
  }

  which(program: string, env: Readonly<Record<string, string>>, cwd: string): string | undefined {
    return which(program, { ...this.#place.env, ...env }.PATH ?? "", cwd);
  }

  async tier(): Promise<SandboxTier> {
    const { sandbox } = this.#place;
    return sandbox === undefined || this.#options.capture === "off" ? "E5" : sandbox.tier();
  }

  async run(request: ShellRequest): Promise<ShellOutcome> {
    const { budgetMs, background } = this.#place;
    if (budgetMs !== undefined && background !== undefined) return this.#runWithin(budgetMs, request, background);
    return outcomeOf(await this.#perform(request), request);
  }

  async background(request: Omit<ShellRequest, "signal" | "onOutput">, title: string): Promise<TaskRecord> {
    const { background } = this.#place;
    if (background === undefined) throw new Error("this room keeps no background commands");
    const reads = request.purpose === "read";
    const { captureBackground = false } = this.#options;
    await (captureBackground || reads ? this.#demandTier() : this.#demandServing());
    return background.start({
      title,
      maskPage: request.maskPage,
      run: async (signal, onOutput) => {
        const lasting: ShellRequest = { ...request, signal, onOutput };
        const { ended } = await (captureBackground || reads ? this.#perform(lasting, () => true) : this.#serve(lasting));
        return ended;
      },
    });
  }

  /** Captured and committed where that holds, else as it is. */
  async #perform(request: Whole, isLate?: () => boolean): Promise<Supervised> {
    const { git = [] } = request;
    if (git.length > 0) return this.#perform(await this.#withQuietGit(request, git), isLate);
    const { sandbox, roots } = this.#place;
    const { capture = "auto", require = "E5" } = this.#options;
    const network = request.network ?? this.#options.network ?? "on";
    await this.#demandTier();
    if (sandbox === undefined || capture === "off" || roots.length === 0) {
      this.#demand("E5", "capture is off, so commands run outside any sandbox", "Set sandbox.capture to auto");
      this.#demandNetwork("capture is off, so commands run outside any sandbox", "Set sandbox.capture to auto");
      return this.#supervise(request);
    }
    if (request.purpose === "read") return this.#read(sandbox, request, isLate !== undefined);
    // What is no call's needs a sandbox only where one is demanded.
    if (request.callId === undefined && require === "E5") return this.#supervise(request);
    const tier = await sandbox.tier(roots);
    if (tier === "E5") this.#demandNetwork("this machine has no sandbox", "`karyi doctor` says what to install");
    const confined = tier === "E5" ? undefined : await this.#begin(sandbox, "capture", network, request);
    if (confined === undefined || tier === "E4")
      return this.#watched(sandbox, confined, this.#withFolder(sandbox, request), async () =>
        request.callId === undefined ? undefined : sandbox.watch(roots, request.callId, isLate),
      );
    const supervised = await this.#confined(sandbox, confined, request);
    const set = await sandbox.collect(confined, request.command, request.cwd);
    this.#demandAllowed(sandbox, confined, set.changes);
    await sandbox.commit(set, request.callId, isLate);
    return { ...supervised, changes: set.changes, ...(set.leftOut === undefined ? {} : { leftOut: set.leftOut }), undo: undoOf(set) };
  }

  /** Drops the run and throws where something it changed may not be changed by any command. */
  #demandAllowed(sandbox: Sandbox, confined: ConfinedRun, changes: readonly FileChange[]): void {
    const refused = this.#options.refuse?.(changes);
    if (refused === undefined) return;
    sandbox.drop(confined);
    throw new ToolFailure("tool_forbidden_path", `Nothing was changed: ${refused}.`, {
      hint: "Do it another way, or have a person approve the command.",
      details: { reason: "protected_path" },
      unchanged: true,
    });
  }

  /** Nothing can be written there, and nothing is left of it. */
  async #read(sandbox: Sandbox, request: Whole, lasting: boolean): Promise<Supervised> {
    const tier = await sandbox.tier(this.#place.roots);
    if (tier === "E5") return this.#supervise(this.#withFolder(sandbox, request), undefined, lasting);
    const confined = await this.#begin(sandbox, "read", "none", request);
    const told = hasLayer(tier) ? withTemporary(request) : this.#withFolder(sandbox, request);
    try {
      const { concealed, ...supervised } = await this.#confined(sandbox, confined, told, lasting);
      // What looks around meets hidden files all the time: they are told where that may be why it failed.
      return { ...supervised, ...(concealed === undefined || supervised.ended.exitCode === 0 ? {} : { concealed }) };
    } finally {
      sandbox.drop(confined);
    }
  }

  /** Without namespaces /tmp is the machine's: programs that ask where to put things are told the session's own folder. */
  #withFolder<Request extends ShellRequest>(sandbox: Sandbox, request: Request): Request {
    const { session } = this.#options;
    const folder = session === undefined || request.env.TMPDIR !== undefined ? undefined : sandbox.temporaryFolder(session);
    return folder === undefined ? request : { ...request, env: { ...request.env, TMPDIR: folder } };
  }

  /** Nothing that a config names is run by git; the keys that stand in it are listed in a world of their own. */
  async #withQuietGit(request: ShellRequest, git: readonly string[]): Promise<Whole> {
    const env = { ...this.#place.env, ...request.env };
    const chunks: Uint8Array[] = [];
    const listing: Whole = {
      ...request,
      git: [],
      isWhole: true,
      isGit: true,
      env: readingGit(env, []),
      command: git.map((place) => `(cd -- ${shellQuote(place)} && exec ${listNames})`).join("; "),
      onOutput: (stream, chunk) => void (stream === "stdout" && chunks.push(chunk)),
    };
    await this.#perform(listing);
    const names = Buffer.concat(chunks).toString("utf8").split("\0");
    return {
      ...request,
      git: [],
      isWhole: true,
      isGit: true,
      env: readingGit(
        env,
        [...new Set(names)].filter((name) => name !== ""),
      ),
    };
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

  async #demandTier(): Promise<void> {
    const { sandbox, roots } = this.#place;
    const { require } = this.#options;
    if (require === undefined) return;
    const tier = (await sandbox?.tier(roots)) ?? "E5";
    this.#demand(tier, `this machine holds ${tier}`, "`karyi doctor` says what to install");
  }

  /** What lasts is not captured: it would be seen only when it ends. */
  async #demandServing(): Promise<void> {
    await this.#demandTier();
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

  async rehearse(request: ShellRequest, network: NetworkAccess, keep: Keeping = false): ReturnType<Processes["rehearse"]> {
    const { sandbox, roots } = this.#place;
    const { maxLayerBytes = defaultLayerBytes } = this.#options;
    await this.#demandTier();
    if (sandbox === undefined || roots.length === 0) throw noOverlay();
    const confined = await this.#begin(sandbox, "rehearse", network, request);
    const full = new AbortController();
    const uppers = confined.layers.map(({ upper }) => upper);
    const watch = watchLayers(uppers, maxLayerBytes, () => full.abort());
    const signal = AbortSignal.any([request.signal, full.signal]);
    const env = { ...request.env, TMPDIR: "/tmp" };
    const supervised = await this.#confined(sandbox, confined, { ...request, signal, env }).finally(() => watch.stop());
    if (full.signal.aborted || request.signal.aborted) sandbox.drop(confined);
    if (full.signal.aborted) throw layerFull(maxLayerBytes);
    if (request.signal.aborted) throw new ToolFailure("cancelled", "The rehearsal was cancelled; nothing of it is left.");
    const set = await sandbox.collect(confined, request.command, request.cwd);
    if (keep === "if_changed") this.#demandAllowed(sandbox, confined, set.changes);
    const { id, tier, changes, touched, leftOut, uncovered, temporary } = set;
    const more = {
      ...(touched === undefined ? {} : { touched }),
      ...(leftOut === undefined ? {} : { leftOut }),
      ...(uncovered === undefined ? {} : { uncovered }),
      ...(temporary === undefined ? {} : { temporary }),
    };
    if (keep === true || (keep && (changes.length > 0 || touched !== undefined))) sandbox.keep(set);
    else sandbox.drop(confined);
    const outcome = outcomeOf(supervised, request);
    return {
      ...outcome,
      changeSet: { id, tier, changes, ...more },
      networkAttempts: supervised.ended.networkAttempts ?? 0,
    };
  }

  async #serve(request: ShellRequest): Promise<Supervised> {
    const { sandbox, roots } = this.#place;
    const { network = "on", require = "E5", demandNetwork = false } = this.#options;
    const tier = sandbox === undefined || roots.length === 0 ? "E5" : await sandbox.tier(roots);
    // A session's temporary directories exist only where its commands are confined.
    const confines = require !== "E5" || demandNetwork || (this.#options.session !== undefined && hasLayer(tier));
    const { confineBackground = confines && this.#options.capture !== "off" } = this.#options;
    if (!confineBackground) {
      const told = sandbox === undefined || hasLayer(tier) ? request : this.#withFolder(sandbox, request);
      return this.#supervise(told, undefined, true);
    }
    if (sandbox === undefined || roots.length === 0) throw noOverlay();
    const confined = await this.#begin(sandbox, "serve", network, request);
    try {
      return await this.#confined(sandbox, confined, request, true);
    } finally {
      sandbox.drop(confined);
    }
  }

  #begin(sandbox: Sandbox, purpose: Purpose, network: NetworkAccess, request: Whole): Promise<ConfinedRun> {
    const { cwd, env, reads = [], touches, isGit = false } = request;
    const { session, unasked = false, visible = [] } = this.#options;
    const hides = this.#options.hides?.(purpose);
    return sandbox.begin({
      purpose,
      network,
      roots: this.#place.roots,
      cwd,
      // Where nobody is asked nobody decided about a secret either.
      shown: unasked ? [] : reads,
      unasked,
      // A repository can name any place of the machine to read from; what was judged is there.
      ...(touches === undefined ? {} : { touches }),
      ...(isGit ? { bare: true, visible: [...visible, ...(unasked ? [] : reads)] } : { visible }),
      path: env.PATH ?? this.#place.env.PATH ?? "",
      ...(session === undefined ? {} : { session }),
      ...(hides === undefined ? {} : { hides }),
    });
  }

  async #confined(sandbox: Sandbox, confined: ConfinedRun, request: Whole, lasting = false): Promise<Supervised> {
    const { sessionPlaces = [] } = confined;
    const { maxLayerBytes = defaultLayerBytes } = this.#options;
    const full = new AbortController();
    const watch = sessionPlaces.length === 0 ? undefined : watchLayers(sessionPlaces, maxLayerBytes, () => full.abort());
    const signal = watch === undefined ? request.signal : AbortSignal.any([request.signal, full.signal]);
    let supervised: Supervised;
    try {
      supervised = await this.#supervise({ ...request, signal }, confined, lasting);
      if (full.signal.aborted) throw temporaryFull(maxLayerBytes);
    } catch (error) {
      sandbox.drop(confined);
      throw error;
    } finally {
      watch?.stop();
      confined.ended?.();
    }
    sandbox.confirm(confined, supervised.ended.report);
    return supervised;
  }

  /** Starts in the foreground; at the end of the budget the running command becomes a task, output so far included. */
  async #runWithin(budgetMs: number, request: ShellRequest, background: BackgroundTasks): Promise<ShellOutcome> {
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
    const running = this.#perform(watched, () => handOn !== undefined);
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
        maskPage: request.maskPage,
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

  async #supervise(request: Whole, confined?: ConfinedRun, lasting = false): Promise<Supervised> {
    const [{ kind, prefix }, tied] = await Promise.all([this.#containment(confined), tether()]);
    const { starters } = this.#place;
    const mark = newMark();
    const given = request.isWhole === true ? request.env : { ...this.#place.env, ...request.env };
    const told = confined === undefined ? given : inWorld(given, confined);
    const env = { ...told, ...request.secrets, BASH_ENV: `/dev/fd/${initFd}`, [marker]: mark };
    // Whatever PATH the session has; named as everybody knows it, since it says its name in its complaints.
    const argv = [...prefix, bashProgram(), "-c", request.command, "bash"];
    try {
      const ended = await supervise({
        // What builds the sandbox must not be shaped by the session's environment: the command reads it when everything stands, and gets
        // nothing of what the building was given.
        start:
          confined === undefined || confined.world !== undefined
            ? { argv, mark, tether: tied, cwd: request.cwd, env, ...(confined?.world === undefined ? {} : { world: confined.world }) }
            : { argv, mark, tether: tied, cwd: "/", env: setupEnvironment, hidden: `unset LC_ALL\n${exportText(env)}` },
        starter: await (confined?.world === undefined
          ? starters.take(lasting)
          : starters.kept(this.#options.session ?? "", confined.world)),
        contained: kind === "namespace",
        timeoutMs: request.timeoutMs,
        signal: request.signal,
        onOutput: (stream, chunk) => request.onOutput(stream, chunk),
      });
      const { concealed = [], lacks } = confined ?? {};
      return {
        ...{ ended, env, kind, tier: confined?.tier ?? "E5" },
        ...(concealed.length === 0 ? {} : { concealed }),
        ...(lacks === undefined ? {} : { lacks }),
      };
    } catch (error) {
      endMarked(mark);
      throw startFailure(error as NodeJS.ErrnoException, request);
    }
  }

  async #containment(confined?: ConfinedRun): Promise<Containment> {
    if (confined !== undefined) return { kind: confined.tier === "E4" ? "group" : "namespace", prefix: confined.prefix };
    return this.#place.plain ? { kind: "group", prefix: [] } : containment();
  }
}

/** The one place that a world of reading lets its command write to, in memory. */
function withTemporary(request: Whole): Whole {
  return { ...request, env: { ...request.env, TMPDIR: "/dev/shm" } };
}

interface Whole extends ShellRequest {
  /** `env` is all that the command gets: what others begin with is in it already, or was taken out. */
  readonly isWhole?: boolean;
  /** It calls git, which a repository can make read in any place. */
  readonly isGit?: boolean;
}

interface Supervised {
  readonly ended: Ended;
  readonly env: Readonly<Record<string, string>>;
  readonly kind: "namespace" | "group";
  readonly tier: SandboxTier;
  readonly concealed?: readonly string[];
  readonly lacks?: (path: string) => boolean;
  readonly changes?: readonly FileChange[];
  readonly leftOut?: readonly string[];
  readonly undo?: UndoGuarantee;
}

function layerFull(maxBytes: number): ToolFailure {
  return new ToolFailure(
    "tool_error",
    `The command wrote more than ${maxBytes} bytes while it was rehearsed, and was ended. Nothing was changed.`,
    {
      hint: "Write less in one command, or raise sandbox.maxLayerBytes in the config.",
      details: { reason: "layer_full", max_bytes: maxBytes },
      unchanged: true,
    },
  );
}

function temporaryFull(maxBytes: number): ToolFailure {
  return new ToolFailure(
    "tool_error",
    `The session keeps more than ${maxBytes} bytes in /tmp, so the command was ended. Nothing was changed.`,
    {
      hint: "Remove files from /tmp, or raise sandbox.maxLayerBytes in the config.",
      details: { reason: "temporary_full", max_bytes: maxBytes },
      unchanged: true,
    },
  );
}

function noOverlay(): ToolFailure {
  return new ToolFailure("tool_disabled", "A dry run of a command needs an overlay, which this machine does not offer.", {
    details: { reason: "no_overlay" },
  });
}

function outcomeOf({ ended, env, kind, tier, concealed, lacks, changes, leftOut, undo }: Supervised, request: ShellRequest): ShellOutcome {
  const { report, networkAttempts = 0, ...rest } = ended;
  const state = parseState(report);
  return {
    ...rest,
    tier,
    containment: kind,
    ...(networkAttempts === 0 ? {} : { networkAttempts }),
    ...(concealed === undefined ? {} : { concealed }),
    ...(lacks === undefined ? {} : { lacks }),
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
