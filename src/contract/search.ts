/** The search port: ripgrep where there is one, the same answers without it where there is none. */

/** What may be read without asking anybody, by the policy in force: for searches and the sandbox alike. */
export interface Readable {
  /** The table of secrets alone decides, no rule does. */
  readonly byName: boolean;
  /** Of an absolute path: a file, or a directory with what is in it. */
  readonly mayRead: (path: string, isDirectory: boolean) => boolean;
}

export interface FileHit {
  /** Relative to the searched directory, `/` between parts; a byte that is not UTF-8 is U+FFFD and its two hex digits, which the file port takes back. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface FindRequest {
  /** Absolute directory. */
  readonly directory: string;
  /** Glob with `**` and braces, relative to `directory`. */
  readonly pattern: string;
  readonly includeIgnored: boolean;
  /** Of what `pattern` matches only the files this says yes to; asked with the path relative to `directory`. */
  readonly only?: (path: string) => boolean;
  /** `shown`: also what lies in directories that may not be read, for whoever judges what a command would reach. */
  readonly unreadable?: "shown";
  /** How many of the newest files to keep; counting goes on past it. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/** Something below the searched directory that could not be looked at. */
export interface SkippedPath {
  readonly path: string;
  readonly reason: "no_permission" | "too_large" | "unreadable";
}

export interface Skipped {
  /** The first ones in the order of their names. */
  readonly paths: readonly SkippedPath[];
  readonly total: number;
}

export interface FindAnswer {
  /** Newest first. */
  readonly hits: readonly FileHit[];
  /** Every match, also those past the limit. */
  readonly total: number;
  /** The deadline came first. */
  readonly partial: boolean;
  readonly backend: "ripgrep" | "javascript";
  readonly skipped: Skipped;
}

export interface GrepRequest {
  /** Absolute file or directory. */
  readonly target: string;
  readonly pattern: string;
  readonly glob?: string;
  readonly type?: string;
  readonly mode: "content" | "files_with_matches" | "count";
  readonly context: number;
  readonly caseInsensitive: boolean;
  readonly multiline: boolean;
  readonly includeIgnored: boolean;
  /** Lines or files to keep; counting goes on past it. */
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

export interface GrepLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** Start and end of each match in `text`, in UTF-16 units; empty for a context line. */
  readonly matches: readonly (readonly [number, number])[];
  /** Absent for a matching line. */
  readonly context?: true;
  /** UTF-16 units of a long line that are left out on both sides of `text`. */
  readonly cut?: { readonly before: number; readonly after: number };
}

export interface GrepAnswer {
  /** In the order of the paths, then of the lines; only in mode `content`. */
  readonly lines: readonly GrepLine[];
  /** In the order of the paths; in mode `content` the files of `lines`. */
  readonly files: readonly { readonly path: string; readonly matches: number }[];
  readonly totalMatches: number;
  /** Matching lines; known in mode `content` only, 0 otherwise. */
  readonly totalLines: number;
  readonly totalFiles: number;
  readonly partial: boolean;
  readonly backend: "ripgrep" | "javascript";
  readonly skipped: Skipped;
  /** Files, and directories as one each, that may not be read unasked: never searched as part of a tree. */
  readonly secretsLeftOut: number;
}

/** Where an ignore rule stands. */
export interface IgnoreRule {
  /** Absolute path of the file it is written in. */
  readonly source: string;
  readonly line: number;
  /** As written. */
  readonly pattern: string;
}

export interface IgnoreVerdict {
  readonly ignored: boolean;
  /** The rule that decided; a `!` rule where it took the path back in. */
  readonly rule?: IgnoreRule;
  /** In git's index, which no ignore rule touches. */
  readonly tracked?: boolean;
}

export interface LinksRequest {
  /** Absolute directory. */
  readonly directory: string;
  /** 1: what lies in the directory itself. */
  readonly depth: number;
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

export interface LinksAnswer {
  /** Absolute paths of the links. */
  readonly paths: readonly string[];
  /** There may be more. */
  readonly partial: boolean;
}

export interface Search {
  find(request: FindRequest): Promise<FindAnswer>;
  grep(request: GrepRequest): Promise<GrepAnswer>;
  /** Which of the entries of a directory ignore files leave out: the same engine as for `find`. */
  ignoredIn(directory: string, entries: readonly { readonly name: string; readonly isDirectory: boolean }[]): ReadonlySet<string>;
  /** True if a directory below the one that was asked for may be looked into. */
  mayEnter(directory: string): boolean;
  /** Links in a tree, ignored ones too. */
  links(request: LinksRequest): Promise<LinksAnswer>;
  /** What `git check-ignore` says about an absolute path; a trailing `/` means a directory. */
  ignored(path: string): Promise<IgnoreVerdict>;
}
