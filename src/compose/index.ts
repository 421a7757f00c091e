/** What fronts of the engine use: the wired engine, its configuration, and the state of this machine. */

export { attachTerminal, isWithinCommand, lookAtTerminal } from "../host/index.ts";
export { ruleForms, ruleNotes } from "../policy/index.ts";
export { builtinNames, forgetRules, homeConfigPath, loadConfig, projectConfigPath, setConfigKey, trustProject } from "./config-layers.ts";
export { configSchema } from "./config-schema.ts";
export { createEngine } from "./create-engine.ts";
export { type Check, examine } from "./doctor.ts";
export { addServer, listServers, removeServer } from "./edit-servers.ts";
export type { EngineOptions } from "./engine-options.ts";
export { openProposals } from "./evolution.ts";
export { configKeys, type ExplainedKey, explainKey } from "./explain-config.ts";
export { makeDiff } from "./make-diff.ts";
export { openPluginShelf } from "./plugin-shelf.ts";
export { type PolicyCase, runPolicyCase } from "./policy-test.ts";
export { describeScript } from "./shell-report.ts";
export type { RecoveryReport, WiredEngine } from "./wired-engine.ts";
export { placesOf, readText, temporaryWorkspace, writeText } from "./workspace.ts";
