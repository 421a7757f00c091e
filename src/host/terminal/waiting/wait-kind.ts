/**
 * Names what a program waits for, from what the terminal shows and how it treats typing. Pure.
 * That a program waits is established elsewhere; here words only choose the name.
 */
import type { WaitKind } from "../../../contract/index.ts";
import type { LineDiscipline } from "./line-discipline.ts";

export interface WaitFacts {
  readonly discipline: LineDiscipline | undefined;
  /** The alternate screen is shown. */
  readonly alternate: boolean;
  /** The program places the cursor by row and column. */
  readonly addressed: boolean;
  /** The line the cursor is in, up to the cursor where it matters. */
  readonly line: string;
  /** Names of the programs in the foreground, who reads first. */
  readonly names: readonly string[];
  /** Who reads was started without anything to run. */
  readonly typedAt: boolean;
}

const pagers = /^(less|more|most|pg|pager|man|bat|delta|lv|w3m)$/;
const editors =
  /^(vi|vim|nvim|view|ex|ed|nano|pico|emacs|micro|joe|jed|mcedit|hx|helix|kak|ne|tilde|rvim|vimdiff|editor|sensible-editor|vim\.[a-z]+)$/;
const screens = /^(top|htop|btop|atop|iotop|glances|mc|tmux|screen|tig|lazygit|watch|dialog|whiptail|ncdu|nmtui)/;
/** Run what they are given, or are typed at. */
const languages =
  /^(python[0-9.]*|pypy[0-9]*|node|nodejs|deno|bun|ruby|lua[0-9.]*|R|julia|php[0-9.]*|perl|scala|erl|sbcl|guile|racket|bash|sh|dash|zsh|fish|ksh)$/;
/** Are always typed at. */
const consoles =
  /^(ipython[0-9]*|irb|pry|ghci|sqlite3|psql|mysql|mariadb|redis-cli|mongosh?|gdb|lldb|bc|dc|jshell|iex|gnuplot|octave|ftp|sftp|telnet)$/;
/** Hand what is typed on to where it cannot be seen who reads it. */
const far = /^(ssh|slogin|mosh-client|telnet|rlogin|docker|podman|nerdctl|kubectl|oc|lxc|lxc-attach|incus|vagrant|picocom|minicom|cu)$/;

const password = /(pass\s?(word|phrase|code)|passwd|\bPIN\b|secret|token|密码|口令|密碼).{0,80}[:：>?]?\s*$/i;
const yes = "y(es)?|s[ií]?|sim|ja?|o(ui)?|да?|t(ak)?|e(vet)?|k(yllä)?|是|はい|예|네";
const no = "n(o|on|ein|ão|ee|ej|ie)?|н(ет)?|h(ayır)?|e(i)?|否|不|いいえ|아니오";
/** A choice between yes and no; or a question that can only be answered so. */
const confirm = new RegExp(
  `(${[
    String.raw`[[(<\uff08\u3010]\s*(${yes})\s*[/|,]\s*(${no})(?!\p{L}).{0,40}[\])>\uff09\u3011]`,
    String.raw`\by(es)?\s*[/|]\s*n(o)?\b`,
    String.raw`[[(](y|n|yes|no)[\])]\s*:?\s*$`,
    String.raw`\b(continue|proceed|go on)\s*\?`,
    "are you sure",
    String.raw`\b(overwrite|remove|delete|replace|discard)\b.{0,120}\?`,
    String.raw`\bconfirm\b.{0,40}[?:]`,
    "(是否|确认|确定|確認|確定|还是不).{0,30}",
  ].join("|")})[^\\n]{0,20}$`,
  "iu",
);
const prompts =
  /(^|\s)(>>>|\.\.\.|In \[\d+\]:|irb\([^)]*\)[^>]*>|\([Pp]db\)|\(gdb\)|\(lldb\)|sqlite>|mysql>|MariaDB \[[^\]]*\]>|[\w-]+[=-][#>]|ghci>|Prelude>|julia>|scala>|jshell>|iex\(\d+\)>|php >|redis[^>]*>|s?ftp>|(ba)?sh-[\d.]+[#$]|[>$#%❯»])\s*$/;
const shells = /^-?(ba|da|z|k|mk|fi|a)?sh$/;
const plainShells = /^-?(da|a)?sh$/;
const shellPrompt = /[>$#%❯»]\s*$/;
const pagerLine = /(^:\s*$|\(END\)\s*$|--\s?More\s?--|^lines \d+-\d+|Manual page .* line \d+|\(press h for help)/;

export function waitKind({ discipline, alternate, addressed, line, names, typedAt }: WaitFacts): WaitKind {
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  const isTyped = (pattern: RegExp) => typedAt && pattern.test(names[0] ?? "");
  const hidden = discipline !== undefined && !discipline.echo;
  const raw = discipline !== undefined && !discipline.canonical;
  // A canonical terminal without echo is what getpass, sudo, ssh and `read -s` leave while they wait.
  if (hidden && !raw) return "password";
  if (hidden && !alternate && password.test(line)) return "password";
  // Before anything its prompt may say: what is typed there is run. A shell without line editing is canonical at its prompt too.
  if (isTyped(shells) && (raw || isTyped(plainShells))) return "repl";
  if (has(editors)) return "editor";
  if (has(pagers) || (raw && pagerLine.test(line))) return "pager";
  if (alternate || (raw && has(screens))) return "fullscreen";
  if (confirm.test(line)) return "confirm";
  const interactive = has(consoles) || isTyped(languages);
  if (prompts.test(line) && (interactive || has(languages) || !/^[>$#%❯»]?\s*$/.test(line.trim()) || raw)) return "repl";
  // Whatever a person put before it: a shell that edits its line stands at its prompt.
  if (raw && has(shells) && shellPrompt.test(line)) return "repl";
  if (raw && addressed && !interactive) return "fullscreen";
  if (raw && interactive) return "repl";
  return "input";
}

/** Whether it waits is known only there. */
export function isFar(name: string): boolean {
  return far.test(name);
}

/** The cursor stands behind something that looks like a question. */
export function looksLikePrompt(line: string): boolean {
  return /[:：?？>$#%❯»\])]\s*$/.test(line);
}
