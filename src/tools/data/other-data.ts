/** Schemas of `data` in results of the artifact, web and meta tools, in the names of the wire. Each is made when first asked for. */
import { z } from "zod";

const count = () => z.int().nonnegative();

/** Of every tool that changes an artifact; `match` if the place was found by likeness. */
export const artifactData = () =>
  z.object({
    id: z.string(),
    version: count(),
    kind: z.enum(["create", "update", "update_fuzzy", "rewrite", "revert"]),
    match: z.object({ similarity: z.number(), text: z.string(), line: count() }).optional(),
  });

export const readArtifactData = () =>
  z.object({
    id: z.string(),
    title: z.string(),
    content_type: z.string(),
    version: count(),
    latest_version: count(),
    content: z.string(),
  });

const failed = () =>
  z.object({
    url: z.string(),
    error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() }),
  });

const fetched = () =>
  z.object({
    url: z.string(),
    final_url: z.string(),
    redirects: z.array(z.string()),
    status: z.int(),
    content_type: z.string(),
    title: z.string(),
    content: z.string(),
    content_length: count(),
    truncated: z.boolean(),
    cached: z.literal(true).optional(),
  });

/** One entry for each page that was asked for, in their order. */
export const webFetchData = () => z.object({ results: z.array(z.union([fetched(), failed()])) });

export const webSearchData = () =>
  z.object({
    provider: z.string(),
    results: z.array(z.object({ title: z.string(), url: z.string(), snippet: z.string(), site: z.string(), date: z.string().optional() })),
  });

export const toolSearchData = () => z.object({ tools: z.array(z.string()) });
export const readOutputData = () =>
  z.object({ ref: z.string(), offset: count(), next: count().nullable(), total: count(), eof: z.boolean() });
export const getValueData = () => z.object({ key: z.string(), scope: z.string() });
