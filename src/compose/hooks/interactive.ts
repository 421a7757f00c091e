/**
 * Commands that go on taking orders: a shell, an interpreter or a debugger without a program to run, a pager, an editor. An agent
 * that types into them later is seen by no hook, so what they do is unknown when they start.
 */
import { extractCommands } from "../../shell/index.ts";

const shells = /^(?:ba|da|a|z|k|mk|rba|fi|tc|c|nu)?sh$|^nu$|^pwsh$/;
const interpreters = /^(?:python|pypy|ruby|irb|node|deno|bun|perl|lua|php|R|ghci|julia|iex|erl|scala|jshell|guile|sbcl|clj|ocaml)[\d.]*$/;
/** Whatever their arguments: each of them can start a shell when it is told to. */
const always =
  /^(?:less|more|most|vim?|nvim|ex|ed|emacs|nano|pico|man|info|gdb|lldb|pdb|ssh|telnet|ftp|sftp|screen|tmux|script|su|top|htop|psql|mysql|sqlite3|redis-cli|mongosh|bc|expect)$/;

/** Why it is unknown what the command will do; `undefined` if it does what it says and ends. */
export function interactiveStart(command: string): string | undefined {
  for (const { name, args, redirections, pipe } of extractCommands(command)) {
    const program = name?.replace(/^.*\//, "");
    if (program === undefined) continue;
    const isFed = pipe.index > 0 || redirections.some(({ operator, descriptor }) => operator.startsWith("<") && (descriptor ?? 0) === 0);
    const takesOrders = shells.test(program) || interpreters.test(program);
    const values = args.map(({ value }) => value ?? "");
    const isAsked = takesOrders && values.some((value) => /^-[A-Za-z]*i$|^--interactive$/.test(value));
    const hasProgram = values.some(
      (value) => !value.startsWith("-") || /^-[A-Za-z]*[cemp]$|^--(?:eval|print|version|help)$|^-[vVh]$/.test(value),
    );
    if (isAsked || (!isFed && ((takesOrders && !hasProgram) || always.test(program)))) {
      return `${program} goes on taking orders that no hook sees`;
    }
  }
  return undefined;
}
