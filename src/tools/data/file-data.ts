/** Schemas of `data` in results of the file and search tools, in the names of the wire. Each is made when first asked for. */
import { z } from "zod";

const count = () => z.int().nonnegative();

/** One changed path, as every tool and command tells it. */
export const changeData = () =>
  z.object({
    path: z.string(),
    change: z.enum(["created", "modified", "deleted", "mode", "link"]),
    before_size: count().optional(),
    after_size: count().optional(),
    diff: z.string().optional(),
    risky: z.literal(true).optional(),
    parted: z.literal(true).optional(),
  });

const changes = () => z.array(changeData());

const entries = () => z.array(z.object({ path: z.string(), kind: z.string(), size: count().optional(), target: z.string().optional() }));

const directory = () =>
  z.object({
    path: z.string(),
    kind: z.literal("directory"),
    entries: entries(),
    total: count(),
    left_out: count().optional(),
    total_is_lower_bound: z.literal(true).optional(),
    ignored: count().optional(),
  });

export const listData = () => directory();

const text = () =>
  z.object({
    path: z.string(),
    kind: z.literal("text"),
    encoding: z.string(),
    confidence: z.number().optional(),
    bom: z.boolean().optional(),
    size: count(),
    /** Absent for an empty file. */
    first_line: count().optional(),
    line_count_shown: count(),
    total_lines: count().optional(),
    line_endings: z.enum(["lf", "crlf", "cr", "mixed", "none"]).optional(),
    lines_cut: count().optional(),
    eof: z.boolean(),
    next_offset: count().optional(),
  });

const image = () =>
  z.object({
    path: z.string(),
    kind: z.literal("image"),
    format: z.string(),
    size: count(),
    width: count(),
    height: count(),
    frames: count().optional(),
    shown: z.object({ media_type: z.string(), width: count(), height: count() }),
  });

const pdf = () =>
  z.object({
    path: z.string(),
    kind: z.literal("pdf"),
    size: count(),
    readable: z.boolean(),
    reason: z.enum(["encrypted", "damaged"]).optional(),
    page_count: count().optional(),
    first_page: count().optional(),
    last_page: count().optional(),
    eof: z.boolean().optional(),
  });

const notebook = () =>
  z.object({
    path: z.string(),
    kind: z.literal("notebook"),
    size: count(),
    cells: count(),
    first_cell: count(),
    cells_shown: count(),
    eof: z.boolean(),
  });

const binary = () => z.object({ path: z.string(), kind: z.literal("binary"), type: z.string(), size: count() });

export const readData = () => z.discriminatedUnion("kind", [text(), directory(), image(), pdf(), notebook(), binary()]);

export const writeData = () =>
  z.object({ path: z.string(), bytes: count(), created: z.boolean(), encoding: z.string(), bom: z.boolean(), changes: changes() });

/** `lines` are those of the result: where each replacement begins. */
export const editData = () =>
  z.object({
    path: z.string(),
    replacements: count(),
    encoding: z.string(),
    respaced: z.boolean().optional(),
    lines: z.array(count()).optional(),
    changes: changes(),
  });

export const multiEditData = () =>
  z.object({
    replacements: count(),
    files: z.array(
      z.object({
        path: z.string(),
        replacements: count(),
        edits: z.array(z.object({ replacements: count(), lines: z.array(count()), respaced: z.boolean().optional() })),
      }),
    ),
    changes: changes(),
  });

export const applyPatchData = () =>
  z.object({
    files: z.array(
      z.object({
        change: z.enum(["added", "updated", "deleted", "moved", "copied"]),
        path: z.string(),
        to: z.string().optional(),
        hunks: z.array(z.object({ hunk: count(), line: count(), offset: z.int(), fuzz: z.array(z.string()) })),
      }),
    ),
    changes: changes(),
  });

/** Of a change of the file, or of a question whether a path is ignored. */
export const gitignoreData = () =>
  z.union([
    z.object({ path: z.string(), added: z.array(z.string()), present: z.array(z.string()), changes: changes() }),
    z.object({
      ignored: z.boolean(),
      tracked: z.boolean().optional(),
      rule: z.string().optional(),
      source: z.string().optional(),
      line: count().optional(),
      pattern: z.string().optional(),
    }),
  ]);

const skipped = () => z.object({ total: count(), paths: z.array(z.object({ path: z.string(), reason: z.string() })) });

export const globData = () =>
  z.object({
    matches: z.array(z.object({ path: z.string(), size: count(), mtime_ms: z.number() })),
    matches_left_out: count().optional(),
    total: count(),
    truncated: z.boolean(),
    partial: z.boolean(),
    backend: z.string(),
    skipped: skipped(),
  });

/** `matches` and `total_lines` in mode `content` only; `ranges` are character positions in `text`. */
export const grepData = () =>
  z.object({
    matches: z
      .array(
        z.object({
          path: z.string(),
          line: count(),
          text: z.string(),
          ranges: z.array(z.tuple([count(), count()])),
          context: z.literal(true).optional(),
          cut: z.object({ before: count(), after: count() }).optional(),
        }),
      )
      .optional(),
    matches_left_out: count().optional(),
    files: z.array(z.object({ path: z.string(), matches: count() })),
    files_left_out: count().optional(),
    total_matches: count(),
    total_files: count(),
    total_lines: count().optional(),
    truncated: z.boolean(),
    partial: z.boolean(),
    backend: z.string(),
    skipped: skipped(),
    secrets_left_out: count(),
  });
