/** Karyi under other agents: their hooks answered, their commands captured, their settings edited. */
export { hookAgents } from "../../adapters/index.ts";
export { readPayload } from "../../host/index.ts";
export { captureCommand } from "./capture.ts";
export { hookStatus, installHook, uninstallHook } from "./install.ts";
export { answerHook } from "./judge.ts";
export { isOurShell, keepResident, startResident } from "./resident.ts";
