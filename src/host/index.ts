/** The only room that touches the machine: files, before-images, processes, terminals. */

export { commandHook } from "./command-hook.ts";
export { createBlobs } from "./files/blobs.ts";
export { createFiles } from "./files/files.ts";
export { createImages } from "./files/images.ts";
export { measureHost } from "./measure-host.ts";
export { canonical, defaultHome, isDirectory, makeTemporaryDirectory, type Places, resolvePlaces } from "./places.ts";
export { isAlive, thisOwner } from "./process-identity.ts";
export { BackgroundTasks } from "./processes/background-tasks.ts";
export { ProcessRoom } from "./processes/create-processes.ts";
export { createSandbox, type Hides, isAtLeast, type Purpose, type Sandbox } from "./sandbox/index.ts";
export { createSearch } from "./search/index.ts";
export { readJsonFile, readTextFile, setAside, writeJsonFile } from "./state-files.ts";
export { attachTerminal, endTerminal, lookAtTerminal, ReachedTerminal, terminalEnvironment } from "./terminal/index.ts";
export { createVaultFiles, createVaultKeyFile } from "./vault-files.ts";
export { createKeychain } from "./vault-keychain.ts";
