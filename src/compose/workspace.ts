/** Where a front works: from its flags, or throw-away places for a demo. */
import { defaultHome, makeTemporaryDirectory, type Places, readTextFile, resolvePlaces, writeTextFile } from "../host/index.ts";

export function placesOf(
  workspace: string | undefined,
  home: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Places> {
  return resolvePlaces(workspace ?? process.cwd(), home ?? defaultHome(env));
}

export const temporaryWorkspace = makeTemporaryDirectory;

/** A file the person named on the command line. */
export const readText = readTextFile;

/** A file the person wants to have written. */
export const writeText = writeTextFile;
