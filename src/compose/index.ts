/** What fronts of the engine use: the wired engine, its configuration, and the state of this machine. */

export { attachTerminal } from "../host/index.ts";
export type { ValueReply } from "../vault/index.ts";
export { type Config, configSchema } from "./config.ts";
export { homeConfigPath, type LoadedConfig, loadConfig, projectConfigPath, setConfigKey, trustProject } from "./config-layers.ts";
export { createEngine, type EngineOptions, KaryiEngine } from "./create-engine.ts";
export { type Check, examine } from "./doctor.ts";
export { type PolicyCase, type PolicyCaseResult, runPolicyCase } from "./policy-test.ts";
export type { SessionHandle } from "./session-handle.ts";
export { describeScript } from "./shell-report.ts";
export { placesOf, readText, temporaryWorkspace } from "./workspace.ts";
