/**
 * Shells started by a command: `bash -c` with a text that is known is followed like the script itself;
 * everything else a shell could read (a file, its input, a variable) is not understood.
 */
import { type Field, showFields } from "./field.ts";
import type { Call, Handler } from "./machine.ts";

/** Constructs that bash and a POSIX shell read differently, and variables that only bash fills. */
const bashOnly =
  /\$['"]|\[\[|\(\(|[<>]\(|&>|<<<|\|&|;&|\{[^}\s]*[,.][^}]*\}|=\(|[@?*+!]\(|\+=|\b(?:S?RANDOM|SECONDS|E?UID|EPOCH\w+|BASH\w+|SHLVL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|GROUPS|DIRSTACK|PIPESTATUS|FUNCNAME)\b|\b(?:function|select|coproc|time|source|declare|typeset|local|let|export|readonly|shopt|enable|mapfile|readarray)\b/;

export function shellHandler(shell: string): Handler {
  return (call) => startShell(call, shell);
}

function startShell(call: Call, shell: string): void {
  const { judge, fields } = call;
  const only = fields.length === 2 && fields[1]?.kind === "text" ? fields[1].text : undefined;
  if (only === "--version" || only === "--help") return;
  let index = 1;
  let hasCommand = false;
  for (; index < fields.length; index += 1) {
    const field = fields[index];
    if (field === undefined || field.kind !== "text" || !/^[-+]./.test(field.text)) break;
    const text = field.text;
    if (text === "--") {
      index += 1;
      break;
    }
    if (text.startsWith("--")) {
      if (text !== "--norc" && text !== "--noprofile") judge.fail(`${shell} option ${text} is not known to be harmless`);
      if (text === "--rcfile" || text === "--init-file") index += 1;
      continue;
    }
    if (text.includes("c")) hasCommand = true;
    if (!/^[-+][ceuxo]+$/.test(text)) judge.fail(`${shell} option ${text} is not known to be harmless`);
    if (text.includes("o") || text.includes("O")) {
      index += 1;
      if (!/^(?:pipefail|errexit|nounset|xtrace)$/.test(fields[index]?.text ?? ""))
        judge.fail(`${shell} option that is not known to be harmless`);
    }
  }
  if (hasCommand) {
    runCommandString(call, shell, fields.slice(index));
    return;
  }
  const script = fields[index];
  const flags = fields.slice(1, index).map((field) => field.text);
  if (script === undefined || flags.some((flag) => flag.includes("s"))) {
    judge.fail(`${shell} runs what stands on its input`);
    if (judge.input !== undefined) call.machine.runText(judge.input, { child: true, positional: [], doubt: judge.reason });
    return;
  }
  judge.fail(`${shell} runs a script`);
  judge.read(script);
  if (script.flow !== undefined) call.machine.runText(script.flow, { child: true, positional: [], doubt: judge.reason });
}

function runCommandString(call: Call, shell: string, rest: readonly Field[]): void {
  const { judge, machine } = call;
  const text = rest[0];
  if (text === undefined || text.kind !== "text") {
    judge.code(shell, text?.shown ?? "");
    return;
  }
  const isBash = shell === "bash";
  if (!isBash && bashOnly.test(text.text)) judge.fail(`${shell} may read this text differently`);
  if (!isBash && !/^(?:sh|dash|ash)$/.test(shell)) judge.fail(`${shell} may read this text differently`);
  if (judge.world.env?.BASH_ENV !== undefined) judge.fail("BASH_ENV is set");
  const before = machine.state;
  machine.state = { ...before, directories: judge.state.directories };
  machine.runText(text.text, { child: true, positional: rest.slice(2), doubt: judge.reason });
  machine.state = before;
}

/** `eval` and what else takes shell text as arguments. */
export const evaluate: Handler = ({ judge, fields, machine }) => {
  const rest = fields.slice(1);
  judge.code("bash", showFields(rest));
  if (rest.every((field) => field.kind === "text"))
    machine.runText(rest.map((field) => field.text).join(" "), { child: false, doubt: judge.reason });
};
