/** Every type that crosses a room, and the few pure functions on them. No I/O. */
export type {
  Answer,
  ApprovalBinding,
  ApprovalCard,
  ApprovalRecord,
  ApprovalReply,
  ApprovalStatus,
  Approve,
  StandingAnswer,
  VoidCause,
} from "./approval.ts";
export {
  type ArtifactChangeKind,
  type ArtifactDraft,
  type ArtifactSummary,
  type Artifacts,
  type ArtifactText,
  type ArtifactType,
  type ArtifactVersion,
  artifactPath,
  artifactTypes,
  parseArtifactPath,
  type SavedArtifact,
} from "./artifacts.ts";
export type { Call } from "./call.ts";
export type { Catalog, ToolCard, ToolSpec } from "./catalog.ts";
export {
  type Durable,
  type DurableContext,
  isSuspended,
  OutcomeUnknown,
  type RunClaim,
  type RunFunction,
  type RunHandle,
  type RunPhase,
  type RunRecord,
  type RunResult,
  type RunSignal,
  type RunStart,
  type RunStore,
  RunSuspended,
  type StepEffect,
  type StepExtras,
  type StepRecord,
} from "./durable.ts";
export type {
  AgentEffect,
  CodeEffect,
  ConnectEffect,
  Effect,
  EnvironmentEffect,
  FileChangeKind,
  ForbiddenEffect,
  ReadEffect,
  RemoteEffect,
  RunEffect,
  StateEffect,
  UnknownEffect,
  WriteEffect,
} from "./effect.ts";
export type { DescribedTool, GarbageReport, KaryiEngine, Listening, LiveTerminal } from "./engine.ts";
export { type EventDraft, type EventOf, type EventType, eventSchemaVersion, eventToWire, eventTypes, type KaryiEvent } from "./event.ts";
export type { ErrorBody, EventBodies, RehearsedBody, RunEndBody, RunStatus, UsageBody, WithheldBody } from "./event-body.ts";
export { type FailureOptions, ToolFailure } from "./failure.ts";
export type { DirectoryEntry, FileReader, FileStat, FileWriter, OpenFile, ReplaceOptions } from "./files.ts";
export type { ForeignAnswer, ForeignBeginning, ForeignCall, ForeignOptions, ForeignOutcome, Touch } from "./foreign.ts";
export { readGitIndex } from "./git-index.ts";
export type { Hook, HookCall, HookReply } from "./hook.ts";
export {
  type Http,
  type HttpAnswer,
  type HttpRequest,
  type SearchMap,
  type SearchProviderName,
  type SearchSettings,
  searchProviders,
  type WebSearchPort,
} from "./http.ts";
export type { Attributes, Blobs, FileImage, Images, JournalEntry, KeptBytes, Packed } from "./journal.ts";
export type { Json, JsonObject, JsonSchema } from "./json.ts";
export { KeptEnds } from "./kept-ends.ts";
export { cutForModel, estimateTokens } from "./model-output.ts";
export { type Note, type NoteCode, noOutputText, noteLines, noteOf, notesIn, plannedText, stderrMark, withNotes } from "./notes.ts";
export type { LiveText, OutputPage, Outputs } from "./outputs.ts";
export { parsedUrl } from "./parsed-url.ts";
export type { Fingerprint, PathFacts, PathKind } from "./path.ts";
export { placeholderPattern, variableName } from "./placeholders.ts";
export {
  type CommandClass,
  type CommandPreview,
  type DiffPreview,
  type FileChange,
  keptHeadShare,
  type Plan,
  type Preview,
  type TextPreview,
} from "./plan.ts";
export {
  type Decision,
  type EffectVerdict,
  type Mode,
  modes,
  type PolicyInForce,
  type PolicyQuestion,
  type PolicyWorld,
  type RuleExamples,
  type RuleProposal,
  type Rules,
  type Verdict,
  verdictsByStrictness,
} from "./policy.ts";
export type { MaskPage, PrintedPage, Processes, ShellOutcome, ShellRequest, Touched } from "./processes.ts";
export { type Because, because, isBecause, type ReasonCode, reasonText } from "./reasons.ts";
export {
  type Content,
  type ErrorCode,
  errorText,
  type ImageContent,
  type Result,
  type ResultStatus,
  type TextContent,
  type ToolError,
  type Truncation,
} from "./result.ts";
export type { AgentRunner, RunOutcome, RunRequest, RunState, SubagentState, Subagents } from "./run.ts";
export {
  type ChangeSet,
  type ChangeSets,
  hasLayer,
  type Keeping,
  type NetworkAccess,
  type Purpose,
  type Rehearsal,
  type Rehearsed,
  type SandboxTier,
  type UndoGuarantee,
  undoOf,
  type Withheld,
} from "./sandbox.ts";
export type {
  FileHit,
  FindAnswer,
  FindRequest,
  GrepAnswer,
  GrepLine,
  GrepRequest,
  IgnoreRule,
  IgnoreVerdict,
  LinksAnswer,
  LinksRequest,
  Readable,
  Search,
  Skipped,
  SkippedPath,
} from "./search.ts";
export { isSecretVariable } from "./secret-variables.ts";
export {
  foldName,
  isSecretName,
  isSecretPath,
  isUnencodable,
  isUnprintable,
  leftoverEndings,
  secretFiles,
  secretFilesIn,
  secretForms,
  secretGlobs,
  secretNames,
  secretReason,
  secretStores,
  unbraced,
} from "./secrets/index.ts";
export type { ByteSink, Connection, Duplex, MountedHandler, Principal, UpgradeAnswer, UpgradeRequest } from "./serving.ts";
export {
  type AgentKit,
  changedEnv,
  type SessionKey,
  type SessionPatch,
  type SessionRecord,
  type SessionRights,
  type SessionState,
} from "./session.ts";
export type {
  CallIds,
  CallOptions,
  CallRequest,
  OpenSessionOptions,
  SessionHandle,
  SessionTool,
  Toolkit,
  UndoOptions,
  UndoTarget,
} from "./session-handle.ts";
export type { EventHead, SessionGlance } from "./session-shelf.ts";
export { shownName } from "./shown-name.ts";
export type {
  ApprovalAnswer,
  ApprovalDraft,
  ApprovalFilter,
  AuditRow,
  CallFilter,
  CallPhase,
  CallRecord,
  CallSettlement,
  CallStart,
  GcReport,
  GcRequest,
  LockHolder,
  LockSteal,
  LockWait,
  OperationStatus,
  OutputWriter,
  Owner,
  StartOutcome,
  Store,
  StoreOpener,
  StoreOptions,
} from "./store.ts";
export type { TaskOutputPage, TaskRecord, TaskStatus, Tasks } from "./tasks.ts";
export type {
  NestedShell,
  TerminalAnswer,
  TerminalChanges,
  TerminalFollow,
  TerminalInputOptions,
  TerminalState,
  Terminals,
  TerminalUse,
  WaitKind,
} from "./terminals.ts";
export {
  defaultTraits,
  defineTool,
  type Ending,
  type FileMemory,
  type MutableSession,
  type PlanContext,
  type PortName,
  type ReadPorts,
  type RehearsedCall,
  type RunContext,
  type RunPorts,
  type SessionView,
  type Tool,
  type ToolDefinition,
  type ToolOutput,
  type Traits,
  traitsOf,
} from "./tool.ts";
export type { ToolRegistration } from "./tool-registration.ts";
export { type SchemaKind, type StandardResult, type StandardSchema, schemaKindOf, type ToolSchema } from "./tool-schema.ts";
export { markUntrusted } from "./untrusted.ts";
export type {
  AskValue,
  Masker,
  MaskStream,
  ValueAnswer,
  ValueReply,
  ValueRequest,
  ValueRequests,
  Values,
  ValueUse,
  VariableInfo,
} from "./values.ts";
