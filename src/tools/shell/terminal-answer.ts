/** The terminal's answer as a result: what was printed, and what to do next where a program waits or goes on. */
import {
  type CommandClass,
  type JsonObject,
  type MutableSession,
  noOutputText,
  type TerminalAnswer,
  type Terminals,
  type ToolOutput,
  type WaitKind,
} from "../../contract/index.ts";

const advice: Readonly<Record<WaitKind, string>> = {
  confirm: 'Answer with TerminalInput, for example {"text": "y\\n"}.',
  password: "A person has to type it (`karyi attach`), or it can be typed by the name of a secure variable alone.",
  pager: 'Move with TerminalInput {"text": " "}, leave with {"text": "q"}.',
  editor: "Type with TerminalInput (\\e is escape), look with TerminalScreen.",
  repl: 'Type with TerminalInput (end a line with \\n), leave with TerminalKey {"key": "d"}.',
  fullscreen: "Look with TerminalScreen, type with TerminalInput or TerminalKey.",
  input: 'Type with TerminalInput (end a line with \\n); TerminalKey {"key": "d"} is the end of input, {"key": "c"} ends the program.',
};

/** Programs that draw a screen: what they sent is no text, what they show is. */
const drawn: ReadonlySet<WaitKind> = new Set(["pager", "editor", "fullscreen"]);

/** Directory and exported variables carry over to the next call, as they do with Bash. */
export function carryOver({ carried }: TerminalAnswer, session: MutableSession): void {
  if (carried?.cwd !== undefined) session.setCwd(carried.cwd);
  if (carried?.env !== undefined) session.setEnv(carried.env);
}

export async function answerOutput(
  answer: TerminalAnswer,
  terminals: Pick<Terminals, "screen">,
  kind?: CommandClass,
): Promise<ToolOutput & { readonly data: JsonObject }> {
  const { waiting, program } = answer;
  const text = waiting && drawn.has(waiting) ? (await terminals.screen()).lines.join("\n").trimEnd() : answer.output.replace(/\n+$/, "");
  const notes = [
    ...(waiting ? [`[${program || "The program"} waits for input: ${waiting}. ${advice[waiting]}]`] : []),
    ...(answer.timedOut
      ? ['[Still running. Wait with TerminalInput {"text": ""}, look with TerminalScreen, end it with TerminalKey {"key": "c"}.]']
      : []),
    ...(answer.restarted ? ["[The shell ended; a new one was started with the same directory and variables.]"] : []),
    ...(answer.takenOver ? ["[A person typed into the terminal meanwhile.]"] : []),
  ];
  const output = [text, ...notes].filter((part) => part !== "").join("\n");
  return {
    output: output === "" ? noOutputText : output,
    data: {
      ...(kind === undefined ? {} : { class: kind }),
      ...(answer.exitCode === undefined ? {} : { exit_code: answer.exitCode }),
      ...(answer.cwd === undefined ? {} : { cwd: answer.cwd }),
      output: text,
      ...(waiting ? { waiting, input_required: { kind: waiting, ...(program ? { program } : {}) } } : {}),
      ...(answer.timedOut ? { running: true } : {}),
      ...(answer.restarted ? { restarted: true } : {}),
      ...(answer.takenOver ? { taken_over: true } : {}),
      ...(answer.omittedBytes === undefined ? {} : { omitted_bytes: answer.omittedBytes, total_bytes: answer.totalBytes ?? 0 }),
    },
  };
}
