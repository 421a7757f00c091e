/**
 * Private keys in PEM blocks. The body is masked from its first line to its last, also where the lines are numbered, quoted,
 * indented or escaped, and where the end of the block is missing. A header that only prose mentions has no body and stays.
 */
import { endOfRun, pemBody, type Swallow } from "../mask/char-class.ts";
import { type Findings, lookBack, rank, type Window } from "../mask/findings.ts";

const header = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const headerMark = "PRIVATE KEY";
/** Between two lines: a break, plain or escaped, then indentation, marks of quotes and diffs, a line number. */
const lineBreak = /(?:\r?\n|\\r\\n|\\\\n|\\n)[ \t>|+"',]{0,12}(?:\d{1,7}[\t:|\u2192] ?)?/y;
/** The same where the text ends inside of it. */
const cutBreak = /^(?:\r|\\|\\r|\\r\\|\\\\|(?:\r?\n|\\r\\n|\\\\n|\\n)[ \t>|+"',]{0,12}(?:\d{1,7}[\t:|\u2192]? ?)?)$/;
const longestBreak = 32;
/** Lines in front of the body of encrypted and PGP keys. */
const fields = ["Proc-Type: ", "DEK-Info: ", "Version: ", "Comment: ", "Hash: ", "Charset: "];
const longestField = 200;
/** A line of this many characters is a line of the body; a shorter one only where nothing else stands on it. */
const surelyBody = 17;

type Step = { readonly to: number } | "stop" | "wait";

export function findPrivateKeys(window: Window, findings: Findings): void {
  const { text, from } = window;
  const earliest = Math.max(0, from - lookBack);
  if (text.indexOf(headerMark, earliest) < 0) return;
  header.lastIndex = earliest;
  for (let found = header.exec(text); found !== null; found = header.exec(text)) judge(window, found.index + found[0].length, findings);
}

function judge(window: Window, after: number, findings: Findings): void {
  const { text, from, final } = window;
  const first = text[after] === " " ? { to: after + 1 } : breakAt(text, after, final);
  const step = first === "stop" || first === "wait" ? first : lineAt(text, first.to, final, false);
  if (step === "wait" && after >= from) findings.hold(after);
  if (typeof first === "string" || typeof step === "string" || first.to < from) return;
  findings.addSwallowed(window, { start: first.to, label: "[masked:private-key]", rank: rank.context }, step.to, swallowBody);
}

const swallowBody: Swallow = (text, start, final) => {
  let at = start;
  for (;;) {
    at = endOfRun(text, at, pemBody);
    if (at === text.length) return { end: at };
    const next = breakAt(text, at, final);
    const line = typeof next === "string" ? next : lineAt(text, next.to, final, true);
    if (line === "wait") return { end: at, held: at };
    if (line === "stop") return { end: at };
    at = line.to;
  }
};

function breakAt(text: string, at: number, final: boolean): Step {
  if (!final && text.length - at <= longestBreak && (at === text.length || cutBreak.test(text.slice(at)))) return "wait";
  lineBreak.lastIndex = at;
  const found = lineBreak.exec(text);
  return found === null ? "stop" : { to: at + found[0].length };
}

/** Whether the line that begins here belongs to the body; answers a place inside of it. */
function lineAt(text: string, at: number, final: boolean, later: boolean): Step {
  const field = fieldAt(text, at, final);
  if (field !== "stop") return field;
  const run = endOfRun(text, at, pemBody, at + surelyBody);
  if (run - at >= surelyBody) return { to: run };
  if (run === text.length && !final) return "wait";
  // An empty line parts the fields from the body.
  if (run === at) return later && (text[at] === "\n" || text[at] === "\r" || text[at] === "\\") ? emptyLine(text, at, final) : "stop";
  if (!later) return "stop";
  return run === text.length || /["'\-\r\n\\]/.test(text[run] ?? "") ? { to: run } : "stop";
}

function emptyLine(text: string, at: number, final: boolean): Step {
  const next = breakAt(text, at, final);
  if (typeof next === "string") return next;
  const run = endOfRun(text, next.to, pemBody, next.to + surelyBody);
  if (run - next.to >= surelyBody) return { to: at };
  return run === text.length && !final ? "wait" : "stop";
}

function fieldAt(text: string, at: number, final: boolean): Step {
  for (const field of fields) {
    if (text.startsWith(field, at)) {
      let end = at + field.length;
      while (end < text.length && end - at < longestField && !isBreakChar(text.charCodeAt(end))) end += 1;
      return end === text.length && !final ? "wait" : { to: end };
    }
    if (!final && text.length - at < field.length && field.startsWith(text.slice(at))) return "wait";
  }
  return "stop";
}

function isBreakChar(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x5c;
}
