/** The only room that touches the machine: files, before-images, processes, terminals. */

export { commandHook } from "./command-hook.ts";
export { createFiles, type FilesOptions } from "./files/files.ts";
export { canonical, defaultHome, type Places, resolvePlaces } from "./places.ts";
export { isAlive, thisOwner } from "./process-identity.ts";
export { readJsonFile, setAside, writeJsonFile } from "./state-files.ts";
