/** Packages that a person installed for Karyi. Refuses those of a workspace: their code would run before anybody trusted it. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolFailure } from "../contract/index.ts";
import { readJsonFile } from "../host/index.ts";

/** From the home, else from beside Karyi itself. */
export async function importInstalled(name: string, home: string): Promise<Readonly<Record<string, unknown>>> {
  const found =
    resolvedFrom(join(home, "package.json"), name) ??
    (await moduleEntry(join(home, "node_modules", name))) ??
    resolvedFrom(process.argv[1] ?? home, name);
  if (found === undefined) {
    throw new ToolFailure("invalid_tool_input", `The package ${name} is not installed.`, {
      hint: `Install it for Karyi: npm install --prefix ${home} ${name}`,
      details: { reason: "package_missing", package: name },
    });
  }
  const installedFile = pathToFileURL(found).href;
  return import(installedFile);
}

function resolvedFrom(place: string, name: string): string | undefined {
  try {
    return createRequire(place).resolve(name);
  } catch {
    return undefined;
  }
}

/** The entry of a package that is a module only, which `require` does not find. */
async function moduleEntry(folder: string): Promise<string | undefined> {
  const file = await readJsonFile(join(folder, "package.json"));
  if (file.kind !== "json") return undefined;
  const { exports, main } = file.value as { readonly exports?: unknown; readonly main?: unknown };
  const entry = entryOf(exports) ?? main ?? "index.js";
  return typeof entry === "string" ? join(folder, entry) : undefined;
}

function entryOf(exports: unknown): unknown {
  if (typeof exports !== "object" || exports === null) return exports;
  const { ".": root, import: module, default: other } = exports as Readonly<Record<string, unknown>>;
  return entryOf(root ?? module ?? other);
}
