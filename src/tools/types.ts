/** Input and `data` of every built-in tool by its name, for `ToolInput` and `ToolData`. Types only. */
import type { z } from "zod";
import type { CreateArtifactGiven } from "./artifact/create-artifact.ts";
import type { ReadArtifactGiven } from "./artifact/read-artifact.ts";
import type { RewriteArtifactGiven } from "./artifact/rewrite-artifact.ts";
import type { UpdateArtifactGiven } from "./artifact/update-artifact.ts";
import type * as command from "./data/command-data.ts";
import type * as file from "./data/file-data.ts";
import type * as other from "./data/other-data.ts";
import type { ApplyPatchGiven } from "./file/apply-patch.ts";
import type { EditGiven } from "./file/edit.ts";
import type { GitignoreGiven } from "./file/gitignore.ts";
import type { ListGiven } from "./file/list.ts";
import type { MultiEditGiven } from "./file/multi-edit.ts";
import type { ReadGiven } from "./file/read.ts";
import type { WriteGiven } from "./file/write.ts";
import type { GetValueGiven } from "./meta/get-value.ts";
import type { ReadOutputGiven } from "./meta/read-output.ts";
import type { ToolSearchGiven } from "./meta/tool-search.ts";
import type { GlobGiven } from "./search/glob.ts";
import type { GrepGiven } from "./search/grep.ts";
import type { BashGiven } from "./shell/bash.ts";
import type { ChangeSetGiven } from "./shell/change-sets.ts";
import type { TerminalGiven } from "./shell/terminal.ts";
import type { TerminalInputGiven } from "./shell/terminal-input.ts";
import type { TerminalKeyGiven } from "./shell/terminal-key.ts";
import type { TaskCreateGiven, TaskOutputGiven, TaskStopGiven, TaskUpdateGiven } from "./task/task-tools.ts";
import type { WebFetchGiven } from "./web/web-fetch.ts";
import type { WebSearchGiven } from "./web/web-search.ts";

interface Types<Input, Schema extends () => z.ZodType> {
  readonly input: Input;
  readonly data: z.output<ReturnType<Schema>>;
}

type Nothing = Record<string, never>;

interface BuiltinTypes {
  readonly ApplyPatch: Types<ApplyPatchGiven, typeof file.applyPatchData>;
  readonly Bash: Types<BashGiven, typeof command.bashData>;
  readonly CommitChanges: Types<ChangeSetGiven, typeof command.commitData>;
  readonly CreateArtifact: Types<CreateArtifactGiven, typeof other.artifactData>;
  readonly DiscardChanges: Types<ChangeSetGiven, typeof command.discardData>;
  readonly Edit: Types<EditGiven, typeof file.editData>;
  readonly GetValue: Types<GetValueGiven, typeof other.getValueData>;
  readonly Gitignore: Types<GitignoreGiven, typeof file.gitignoreData>;
  readonly Glob: Types<GlobGiven, typeof file.globData>;
  readonly Grep: Types<GrepGiven, typeof file.grepData>;
  readonly List: Types<ListGiven, typeof file.listData>;
  readonly MultiEdit: Types<MultiEditGiven, typeof file.multiEditData>;
  readonly Read: Types<ReadGiven, typeof file.readData>;
  readonly ReadArtifact: Types<ReadArtifactGiven, typeof other.readArtifactData>;
  readonly ReadOutput: Types<ReadOutputGiven, typeof other.readOutputData>;
  readonly RewriteArtifact: Types<RewriteArtifactGiven, typeof other.artifactData>;
  readonly TaskCreate: Types<TaskCreateGiven, typeof command.taskData>;
  readonly TaskList: Types<Nothing, typeof command.taskListData>;
  readonly TaskOutput: Types<TaskOutputGiven, typeof command.taskOutputData>;
  readonly TaskStop: Types<TaskStopGiven, typeof command.taskData>;
  readonly TaskUpdate: Types<TaskUpdateGiven, typeof command.taskData>;
  readonly Terminal: Types<TerminalGiven, typeof command.terminalData>;
  readonly TerminalInput: Types<TerminalInputGiven, typeof command.terminalData>;
  readonly TerminalKey: Types<TerminalKeyGiven, typeof command.terminalData>;
  readonly TerminalScreen: Types<Nothing, typeof command.screenData>;
  readonly ToolSearch: Types<ToolSearchGiven, typeof other.toolSearchData>;
  readonly UpdateArtifact: Types<UpdateArtifactGiven, typeof other.artifactData>;
  readonly WebFetch: Types<WebFetchGiven, typeof other.webFetchData>;
  readonly WebSearch: Types<WebSearchGiven, typeof other.webSearchData>;
  readonly Write: Types<WriteGiven, typeof file.writeData>;
}

/** The name of a built-in tool. */
export type BuiltinTool = keyof BuiltinTypes;

/**
 * What a built-in takes: `ToolInput<"Bash">`.
 *
 * @example
 * const input: ToolInput<"Edit"> = { file_path: "a.ts", old_string: "1", new_string: "2" };
 */
export type ToolInput<Name extends BuiltinTool> = BuiltinTypes[Name]["input"];

/**
 * `data` in a result of a built-in that ended well.
 *
 * @example
 * const result = await session.call("Bash", { command: "true" });
 * const { exit_code } = result.data as ToolData<"Bash">;
 */
export type ToolData<Name extends BuiltinTool> = BuiltinTypes[Name]["data"];
