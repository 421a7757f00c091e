/** All known programs by name. A name that is not here is not understood. */
import type { Program } from "../machine.ts";
import { archives } from "./archives.ts";
import { git } from "./git.ts";
import { networkPrograms } from "./network.ts";
import { readers } from "./readers.ts";
import { searchers } from "./search.ts";
import { systemPrograms } from "./system.ts";
import { textPrograms } from "./text.ts";
import { versionPrograms } from "./versions.ts";
import { writers } from "./writers.ts";

const programs = new Map<string, Program>(
  [versionPrograms, readers, searchers, textPrograms, writers, systemPrograms, archives, networkPrograms, { git }].flatMap((table) =>
    Object.entries(table),
  ),
);

export const programNames: readonly string[] = [...programs.keys()];

export function findProgram(name: string): Program | undefined {
  const known = programs.get(name);
  if (known !== undefined) return known;
  // `mkfs.ext4` and its kin.
  return name.startsWith("mkfs.") ? programs.get("mkfs") : undefined;
}
