/**
 * Owns what a write must not touch because something runs it later: Karyi's own files and other agents' settings,
 * git's hooks and config, start-up files. Those are refused. What a person's editor, CI or package manager
 * would run (`sensitive`) asks even where edits are accepted.
 * Refuses to trust a spelling: names are compared folded, at any depth, whatever the file system makes of case.
 */
import { type Because, because, foldName } from "../../contract/index.ts";

const agentDirectories = new Set(
  [
    ".karyi .toolengine .claude .codex .gemini .opencode .cursor .continue .roo .cline .windsurf .qwen .goose",
    ".kiro .copilot .amazonq .aider .augment .crush .factory .junie .trae",
  ].flatMap((line) => line.split(" ")),
);

const agentFiles = new Set([".claude.json", ".aider.conf.yml"]);

/** Dotfile repositories link these into the home, so the name counts wherever it stands. */
const startUpFiles = new Set(
  [
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout",
    ".kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc .xserverrc",
    ".pam_environment .gitconfig .rhosts .shosts config.fish profile.ps1 microsoft.powershell_profile.ps1",
  ].flatMap((line) => line.split(" ")),
);

/** Directories of which every file is protected; a path is that chain of names. */
const startUpDirectories = [
  ".ssh",
  ".config/git",
  ".config/fish",
  ".config/autostart",
  ".config/systemd",
  ".config/environment.d",
  ".config/powershell",
  ".local/share/systemd",
  "library/launchagents",
  "library/launchdaemons",
  "var/spool/cron",
  "start menu/programs/startup",
].map((path) => path.split("/"));

/** Chains by the name they begin with: most names begin none. */
function byHead(chains: readonly (readonly string[])[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const heads = new Map<string, (readonly string[])[]>();
  for (const chain of chains) heads.set(chain[0] ?? "", [...(heads.get(chain[0] ?? "") ?? []), chain]);
  return heads;
}

const gitCode = new Set(["hooks", "rebase-merge", "rebase-apply", "sequencer", "commondir", "gitdir"]);
const gitConfig = new Set(["config", "config.worktree", "config.lock", "attributes", "alternates"]);

const sensitiveDirectories = [
  ..."\
.vscode .idea .zed .fleet .vs .devcontainer .husky .githooks .circleci .buildkite .direnv .yarn .local/bin \
.github/workflows .github/actions .config/nvim .config/tmux".split(" "),
].map((path) => path.split("/"));

const sensitiveFiles = new Set(
  [
    ".mcp.json mcp.json .envrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .gitattributes .gitmodules .pre-commit-config.yaml",
    ".pre-commit-config.yml lefthook.yml .lefthook.yml .gitlab-ci.yml .travis.yml azure-pipelines.yml jenkinsfile .drone.yml",
    "opencode.json opencode.jsonc .cursorrules .clinerules .windsurfrules .mise.toml mise.toml bunfig.toml",
    ".vimrc .exrc .nvimrc .gdbinit .lldbinit .tmux.conf .screenrc .irbrc .pryrc .pythonrc .pythonrc.py .rprofile .emacs",
    "sitecustomize.py usercustomize.py authorized_keys .netrc .curlrc .wgetrc .lesskey crontab",
  ].flatMap((line) => line.split(" ")),
);

const startUpHeads = byHead(startUpDirectories);
const sensitiveHeads = byHead(sensitiveDirectories);

/** Every name that a rule of this file begins with, so that others can tell what none of them speaks of. */
export const protectedNames: readonly string[] = [
  ...agentDirectories,
  ...agentFiles,
  ...startUpFiles,
  ...sensitiveFiles,
  ...[...startUpDirectories, ...sensitiveDirectories].map(([head = ""]) => head),
  "hooks",
];

const gitHookNames =
  /^(?:(?:pre|post)-[a-z-]+|prepare-commit-msg|commit-msg|applypatch-msg|update|reference-transaction|push-to-checkout|fsmonitor-watchman|proc-receive)$/;

/** Why a write at these names is refused. `tree`: everything below is written or removed too. */
export function protectedReason(names: readonly string[], tree: boolean): Because | undefined {
  const folded = names.map(foldName);
  const agent = folded.find((name) => agentDirectories.has(name));
  if (agent !== undefined) return because("own_agent_state", { name: agent });
  const last = folded.at(-1) ?? "";
  if (agentFiles.has(last)) return because("own_agent_config", { name: last });
  if (startUpFiles.has(last)) return because("start_up", { name: last });
  const directory = findChain(folded, startUpHeads);
  if (directory) return because("runs_later", { name: directory.join("/") });
  return gitReason(folded, tree);
}

/** Why a write at these names asks even where edits are accepted. */
export function sensitiveReason(names: readonly string[]): Because | undefined {
  const folded = names.map(foldName);
  const last = folded.at(-1) ?? "";
  if (folded.includes(".git")) return because("git_own");
  if (sensitiveFiles.has(last) || last.endsWith(".code-workspace")) return because("runs_code_later", { name: last });
  if (gitHookNames.test(last) && folded.at(-2) === "hooks") return because("git_hook");
  if (last.startsWith("config") && folded.at(-2) === ".cargo") return because("runs_code_later", { name: ".cargo/config" });
  const directory = findChain(folded, sensitiveHeads);
  return directory ? because("runs_code_later", { name: directory.join("/") }) : undefined;
}

function gitReason(folded: readonly string[], tree: boolean): Because | undefined {
  const at = folded.indexOf(".git");
  if (at >= 0) {
    const below = folded.slice(at + 1);
    if (below.length === 0) return because("git_home");
    if (tree && below.length === 1) return because("git_breaks");
    if (below.some((name) => gitCode.has(name)) || gitConfig.has(below.at(-1) ?? "")) return because("git_runs");
    return undefined;
  }
  const bare = folded.findIndex((name) => name.endsWith(".git"));
  const inBare = bare >= 0 ? folded[bare + 1] : undefined;
  return inBare === "hooks" || inBare === "config" ? because("git_runs") : undefined;
}

function findChain(names: readonly string[], heads: ReturnType<typeof byHead>): readonly string[] | undefined {
  for (let start = 0; start < names.length; start += 1) {
    const chains = heads.get(names[start] ?? "");
    const found = chains?.find((chain) => chain.every((name, offset) => names[start + offset] === name));
    if (found !== undefined) return found;
  }
  return undefined;
}
