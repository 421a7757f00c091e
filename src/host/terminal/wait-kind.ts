/**
 * Names what a program waits for, from what the terminal shows and how it treats typing. Pure.
 * That a program waits is established elsewhere; here words only choose the name.
 */
import type { WaitKind } from "../../contract/index.ts";
import type { LineDiscipline } from "./line-discipline.ts";

export interface WaitFacts {
  readonly discipline: LineDiscipline | undefined;
  /** The alternate screen is shown. */
  readonly alternate: boolean;
  /** The program places the cursor by row and column. */
  readonly addressed: boolean;
  /** The line the cursor is in, up to the cursor where it matters. */
  readonly line: string;
  /** Names of the programs in the foreground. */
  readonly names: readonly string[];
}

const pagers = /^(less|more|most|pg|man|bat|delta|lv|w3m)$/;
const editors = /^(vi|vim|nvim|view|ex|ed|nano|pico|emacs|micro|joe|jed|mcedit|hx|helix|kak|ne|tilde|rvim|vimdiff|vim\.[a-z]+)$/;
const screens = /^(top|htop|btop|atop|iotop|glances|mc|tmux|screen|tig|lazygit|watch|dialog|whiptail|ncdu|nmtui)/;
const interpreters =
  /^(python[0-9.]*|ipython[0-9]*|pypy[0-9]*|node|nodejs|deno|bun|irb|ruby|pry|ghci|lua[0-9.]*|R|julia|php[0-9.]*|perl|sqlite3|psql|mysql|mariadb|redis-cli|mongosh?|gdb|lldb|bc|dc|scala|jshell|iex|erl|sbcl|guile|racket|gnuplot|octave|ftp|sftp|telnet|bash|sh|dash|zsh|fish|ksh)$/;

const password = /(pass\s?(word|phrase|code)|passwd|\bPIN\b|secret|token|密码|口令|密碼).{0,80}[:：>?]?\s*$/i;
const confirm =
  /([[(<]\s*(y(es)?|s[ií]?|j|是)\s*[/|,]\s*(n(o|ein)?|否)\b.{0,40}[\])>]|\by(es)?\s*[/|]\s*n(o)?\b|[[(](y|n|yes|no)[\])]\s*:?\s*$|\bcontinue\s*\?|\bproceed\s*\?|are you sure|overwrite.{0,40}\?|\bconfirm\b.{0,40}[?:]|(是否|确认|确定).{0,30}[?？:：])[^\n]{0,20}$/i;
const prompts =
  /(^|\s)(>>>|\.\.\.|In \[\d+\]:|irb\([^)]*\)[^>]*>|\([Pp]db\)|\(gdb\)|\(lldb\)|sqlite>|mysql>|MariaDB \[[^\]]*\]>|[\w-]+[=-][#>]|ghci>|Prelude>|julia>|scala>|jshell>|iex\(\d+\)>|php >|redis[^>]*>|s?ftp>|(ba)?sh-[\d.]+[#$]|[>$#%❯»])\s*$/;
const shells = /^-?(ba|da|z|k|mk|fi|a)?sh$/;
const shellPrompt = /[>$#%❯»]\s*$/;
const pagerLine = /(^:\s*$|\(END\)\s*$|--\s?More\s?--|^lines \d+-\d+|Manual page .* line \d+|\(press h for help)/;

export function waitKind({ discipline, alternate, addressed, line, names }: WaitFacts): WaitKind {
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  const hidden = discipline !== undefined && !discipline.echo;
  const raw = discipline !== undefined && !discipline.canonical;
  // A canonical terminal without echo is what getpass, sudo, ssh and `read -s` leave while they wait.
  if (hidden && !raw) return "password";
  if (hidden && !alternate && password.test(line)) return "password";
  if (has(editors)) return "editor";
  if (has(pagers) || (raw && pagerLine.test(line))) return "pager";
  if (alternate || (raw && has(screens))) return "fullscreen";
  if (confirm.test(line)) return "confirm";
  if (prompts.test(line) && (has(interpreters) || !/^[>$#%❯»]?\s*$/.test(line.trim()) || raw)) return "repl";
  // Whatever a person put before it: a shell that edits its line stands at its prompt.
  if (raw && has(shells) && shellPrompt.test(line)) return "repl";
  if (raw && addressed && !has(interpreters)) return "fullscreen";
  if (raw && has(interpreters) && !names.every((name) => shells.test(name))) return "repl";
  return "input";
}

/** The cursor stands behind something that looks like a question. */
export function looksLikePrompt(line: string): boolean {
  return /[:：?？>$#%❯»\])]\s*$/.test(line);
}
