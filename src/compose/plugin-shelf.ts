/** Gives the plugin room what it needs of the machine: folders, programs, variables of the person. */
import {
  changedFiles,
  copyFolder,
  findProgram,
  lookAtFolder,
  readJsonFile,
  removeFolder,
  runProgram,
  writeJsonFile,
} from "../host/index.ts";
import { PluginShelf } from "../plugin/index.ts";
import { schemaProblem } from "../registry/index.ts";
import { makeDiff } from "./make-diff.ts";

export function openPluginShelf(home: string, env: Readonly<Record<string, string | undefined>>): PluginShelf {
  return new PluginShelf(home, {
    schemaProblem,
    readJson: async (path) => {
      const file = await readJsonFile(path);
      if (file.kind === "damaged") throw new Error(file.message);
      return file.kind === "json" ? file.value : undefined;
    },
    writeJson: writeJsonFile,
    look: lookAtFolder,
    copy: copyFolder,
    remove: removeFolder,
    hasProgram: (name) => findProgram(name, env.PATH ?? "", "/") !== undefined,
    run: runProgram,
    variable: (name) => env[name],
    difference: async (before, after) =>
      (await changedFiles(before, after))
        .map(({ path, before: old, after: now }) =>
          old === undefined && now === undefined ? `Binary ${path}\n` : makeDiff(path, old ?? "", now ?? ""),
        )
        .join(""),
  });
}
