// Keeps what the type stripper made, for tests that start the same sources again and again: node --import ts-register --import <this>
// The directory is named by KARYI_TS_CACHE; files are known by their content.
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { register } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const hash = createHash("sha256")
    .update(url)
    .update(readFileSync(fileURLToPath(url)))
    .digest("hex");
  const kept = join(process.env.KARYI_TS_CACHE, `${hash}.mjs`);
  try {
    return { format: "module", source: readFileSync(kept, "utf8"), shortCircuit: true };
  } catch {
    const loaded = await next(url, context);
    writeFileSync(`${kept}.${process.pid}`, loaded.source);
    renameSync(`${kept}.${process.pid}`, kept);
    return loaded;
  }
}

// The same file is the hook: there it has no argument list to look at.
if (process.env.KARYI_TS_CACHE !== undefined && !import.meta.url.includes("?hook")) register(`${import.meta.url}?hook`);
