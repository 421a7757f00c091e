/** The search port: ripgrep where there is one, the same answers without it where there is none. */

export interface FileHit {
  /** Relative to the searched directory, `/` between parts; bytes that are not UTF-8 appear as U+FFFD. */
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
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

export interface FindAnswer {
  /** Every match found. */
  readonly hits: readonly FileHit[];
  /** The deadline came first. */
  readonly partial: boolean;
  readonly backend: "ripgrep" | "javascript";
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
}

export interface GrepAnswer {
  readonly lines: readonly GrepLine[];
  readonly files: readonly { readonly path: string; readonly matches: number }[];
  readonly totalMatches: number;
  readonly totalLines: number;
  readonly totalFiles: number;
  readonly partial: boolean;
  readonly backend: "ripgrep" | "javascript";
}

export interface Search {
  find(request: FindRequest): Promise<FindAnswer>;
  grep(request: GrepRequest): Promise<GrepAnswer>;
}
