/** A git worktree of its own for an agent (A3), as the agent room asks the machine for it. */

export interface Worktree {
  readonly branch: string;
  /** The repository that it belongs to. */
  readonly repository: string;
  /** Root of the worktree. */
  readonly root: string;
  /** The directory in it that stands for the parent's workspace. */
  readonly workspace: string;
}

interface WorktreeEnd {
  /** Paths that differ from where the branch began; none: worktree and branch are gone. */
  readonly changed: readonly string[];
}

export interface Worktrees {
  /** Throws a `ToolFailure` if the workspace is in no repository with a commit, or the branch cannot be made. */
  create(workspace: string, branch: string): Promise<Worktree>;
  /** Commits what is left, removes the worktree, and the branch too if nothing changed. */
  finish(worktree: Worktree, message: string): Promise<WorktreeEnd>;
}
