/** The process port: commands that cannot hang and leave nothing behind (B1, B2). */
import type { FileChange } from "./plan.ts";
import type { Keeping, NetworkAccess, Rehearsed, SandboxTier, UndoGuarantee } from "./sandbox.ts";
import type { TaskRecord } from "./tasks.ts";

export interface ShellRequest {
  /** Bash text. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Added to the environment of this one process only, and never logged: secure variables, and what keeps git quiet. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** `read`: it was judged to change nothing and to reach nobody, and cannot. */
  readonly purpose?: "read";
  /** Directories in which it calls git, and only to read: nothing that the config there names is run. */
  readonly git?: readonly string[];
  /** The call that runs it: what a captured command changes is written to its journal. Without it nothing is captured. */
  readonly callId?: string;
  /** Paths that were judged, and may be read though others of their kind are hidden in a sandbox. */
  readonly reads?: readonly string[];
  /**
   * All that it touches, if everything it does was understood: nothing else of the machine need be there, so a name that is swapped
   * between judging and running leads nowhere.
   */
  readonly touches?: readonly Touched[];
  /** Less than commands are given otherwise; never more. */
  readonly network?: "none";
  /** Masks what a task prints, page by page; the output that `onOutput` gets is the caller's to mask. */
  readonly maskPage?: MaskPage;
  /** Called with raw bytes as they come, which are the caller's from then on. No more of that stream comes until a promise resolves. */
  onOutput(stream: "stdout" | "stderr", chunk: Uint8Array): void | Promise<void>;
}

/** A path as written and as it was judged. */
export interface Touched {
  readonly lexical: string;
  readonly real: string;
}

/** A page of what a task printed, and what stands around it: a value may lie across the edges of a page. */
export interface PrintedPage {
  readonly before: string;
  readonly text: string;
  readonly after: string;
  /** More may be printed behind `after`. */
  readonly goesOn: boolean;
}

/** `held`: how many characters at the end of the page are not shown yet, because they may begin a value. */
export type MaskPage = (page: PrintedPage) => { readonly text: string; readonly held: number };

export interface ShellOutcome {
  /** 128 and its number where a signal ended the command; `null` while it goes on. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  /** Working directory and exported variables after the command, where it ended normally. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exported variables that are too large to be given to another command. */
  readonly leftBehind?: readonly string[];
  /** What was guaranteed about survivors and writes. */
  readonly tier: SandboxTier;
  /** What a captured command changed, journaled and committed. Absent where it was not captured. */
  readonly changes?: readonly FileChange[];
  /** Sockets and devices that a captured command made: they were not kept. */
  readonly leftOut?: readonly string[];
  /** Files and directories of the workspace that it could not read, for nobody was asked about them. */
  readonly concealed?: readonly string[];
  /** How often it wanted a network that it was not given. */
  readonly networkAttempts?: number;
  /** True for a path of the machine that was not there for the command. Absent where everything was. */
  lacks?(path: string): boolean;
  /** Absent: only what the plan named can be taken back. */
  readonly undo?: UndoGuarantee;
  /** The command took longer than the foreground budget and goes on as this task. */
  readonly movedTo?: TaskRecord;
  /** Survivors were ended by a PID namespace, or by process group and scan. */
  readonly containment: "namespace" | "group";
}

export interface Processes {
  /** Absolute path of a program as a command would find it, or `undefined`. */
  which(program: string, env: Readonly<Record<string, string>>, cwd: string): string | undefined;
  /** The best tier this machine holds; probed by running it once. */
  tier(): Promise<SandboxTier>;
  run(request: ShellRequest): Promise<ShellOutcome>;
  /** Runs against a copy-on-write view of the workspace; nothing outside it changes. Kept, the change set can be committed later. */
  rehearse(request: ShellRequest, network: NetworkAccess, keep?: Keeping): Promise<ShellOutcome & Rehearsed>;
  /** Starts a command that outlives its call; its time limit holds all the same. */
  background(request: Omit<ShellRequest, "signal" | "onOutput">, title: string): Promise<TaskRecord>;
}
