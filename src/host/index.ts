/** The only room that touches the machine: files, before-images, processes, terminals. */

export { listNames, readBytes, readPayload, removeFile, replaceBytes, runAsItIs, startApart, sweepOlder, takeFile } from "./agent-files.ts";
export { commandHook } from "./command-hook.ts";
export { type DefinitionForm, readDefinitionFiles } from "./definition-files.ts";
export { absentDigest, fileDigest, otherDigest } from "./file-digests.ts";
export { createBlobs } from "./files/blobs.ts";
export { createFiles } from "./files/files.ts";
export { homeKey } from "./files/home-key.ts";
export { createImages } from "./files/images.ts";
export { sweepSetAside } from "./files/set-aside.ts";
export { sweepDirectories } from "./files/temporary.ts";
export { unopenable } from "./files/unopenable.ts";
export { changedFiles, copyFolder, lookAtFolder, removeFolder } from "./folder-copy.ts";
export { gitDirectoriesOf } from "./git-directories.ts";
export { createWorktrees, worktreeFolder } from "./git-worktrees.ts";
export { serveHooks, stampOf } from "./hook-socket.ts";
export { createHttp, createSlots, type HttpGuard, type Lookup, PageCache } from "./http/index.ts";
export { measureHost } from "./measure-host.ts";
export { canonical, defaultHome, isDirectory, makeTemporaryDirectory, type Places, resolvePlaces } from "./places.ts";
export { isAlive, isStopped, thisOwner } from "./process-identity.ts";
export { BackgroundTasks } from "./processes/background-tasks.ts";
export { ProcessRoom } from "./processes/create-processes.ts";
export { which as findProgram } from "./processes/which.ts";
export { runProgram } from "./program-run.ts";
export { recordFiles } from "./record-files.ts";
export { listenForRedirect } from "./redirect-listener.ts";
export { createSandbox, type Hides, isAtLeast, type Recovery, type Sandbox, temporaryNames, temporaryOf } from "./sandbox/index.ts";
export { createSearch } from "./search/index.ts";
export { startServerProcess } from "./server-process.ts";
export { appendTextFile, readJsonFile, readTextFile, setAside, writeJsonFile, writeTextFile } from "./state-files.ts";
export {
  attachTerminal,
  DriverNotes,
  endTerminal,
  lookAtTerminal,
  ReachedTerminal,
  terminalEnvironment,
  watchTerminal,
} from "./terminal/index.ts";
export { createVaultFiles, createVaultKeyFile } from "./vault-files.ts";
export { createKeychain } from "./vault-keychain.ts";
export { isWithinCommand } from "./within-command.ts";
