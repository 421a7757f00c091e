/** What fronts of the engine use: the wired engine, its configuration, and the state of this machine. */

export { attachTerminal, lookAtTerminal } from "../host/index.ts";
export type { ValueReply } from "../vault/index.ts";
export { configSchema } from "./config.ts";
export { homeConfigPath, loadConfig, projectConfigPath, setConfigKey, trustProject } from "./config-layers.ts";
export { createEngine, type EngineOptions, KaryiEngine } from "./create-engine.ts";
export { type Check, examine } from "./doctor.ts";
export { type PolicyCase, runPolicyCase } from "./policy-test.ts";
export type { SessionHandle } from "./session-handle.ts";
export { describeScript } from "./shell-report.ts";
export { placesOf, readText, temporaryWorkspace } from "./workspace.ts";
