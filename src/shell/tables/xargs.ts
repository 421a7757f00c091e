/**
 * `xargs` and `parallel`: the command inside is judged with arguments that come from elsewhere. Those are known
 * only where the program before it in the pipe prints names that are known.
 */
import { type Field, mayBeOption, textField } from "../field.ts";
import type { Judge } from "../judge.ts";
import type { Handler } from "../machine.ts";
import { GivenOptions, optionTable, readOptions } from "../options.ts";

const table = optionTable({
  short: "0rtxn:P:L:I:d:E:s:l?e?i?a<",
  long: "null no-run-if-empty verbose exit max-args: max-procs: max-lines? replace? delimiter: eof? max-chars: arg-file< show-limits",
  posix: true,
});

export const xargs: Handler = ({ judge, fields, machine }) => {
  const parsed = readOptions(table, fields, 1, judge);
  const start = parsed?.operandIndex ?? fields.findIndex((field, index) => index > 0 && !mayBeOption(field));
  const named = start < 0 ? [] : fields.slice(start);
  // Nobody is named: it prints what it gets.
  const command = named.length === 0 ? [textField("echo")] : named;
  const options = parsed?.options ?? new GivenOptions();
  const nul = options.has("0") || options.has("null");
  const recut = ["a", "arg-file", "d", "delimiter", "E", "e", "eof"].some((name) => options.has(name));
  const given = arriving(judge, nul, recut);
  const placeholder =
    options.get("I")?.text ??
    (options.has("i") || options.has("replace") ? (options.get("i")?.text ?? options.get("replace")?.text ?? "{}") : undefined);
  // With a placeholder a whole line is one argument, with a count the command runs on parts of them.
  const parted = placeholder !== undefined || [...counting, "s", "max-chars"].some((name) => options.has(name));
  // The later one of the two forgets the earlier; a count of one does not count.
  const isOne = (name: string): boolean => options.all(name).every(({ kind, text }) => kind === "text" && text === "1");
  if (placeholder !== undefined && counting.some((name) => options.has(name) && !(/^(?:n|max-args)$/.test(name) && isOne(name))))
    judge.fail("xargs with a placeholder and a count");
  const arrived = parted && given.length > 1 && given.some((field) => field.kind === "text") ? [unknownWords] : given;
  const inner = placeholder === undefined ? [...command, ...arrived] : replace(command, placeholder, arrived, judge);
  machine.runInner(inner, { doubt: judge.reason });
  if (judge.upstream === undefined && judge.input !== undefined)
    machine.runInner([...command, ...judge.input.split(/\s+/).map(textField)], { doubt: "xargs with arguments from elsewhere" });
};

const counting = ["n", "L", "l", "max-args", "max-lines"];

const unknownWords: Field = { kind: "words", text: "", many: true, shown: "…" };

/** What the command will be given. */
function arriving(judge: Judge, nul: boolean, recut: boolean): readonly Field[] {
  const unknown = unknownWords;
  const { upstream } = judge;
  if (upstream === undefined || recut) return [unknown];
  if (upstream.fields.every((field) => field.kind === "text")) {
    // xargs has quotes of its own, and with `-0` it does not cut at blanks.
    return nul !== upstream.nul || upstream.fields.some((field) => /['"\\]/.test(field.text)) ? [unknown] : upstream.fields;
  }
  if ((nul && upstream.nul) || upstream.fields.every((field) => field.revision !== undefined)) return upstream.fields;
  return upstream.fields.map((field) =>
    field.kind === "glob" ? { ...unknown, pattern: field.text, walked: field.walked === true } : unknown,
  );
}

function replace(command: readonly Field[], placeholder: string, given: readonly Field[], judge: Judge): readonly Field[] {
  const result: Field[] = [];
  for (const field of command) {
    if (field.kind === "text" && field.text === placeholder) result.push(...given);
    else {
      if (field.text.includes(placeholder)) judge.fail("an argument from elsewhere becomes part of a larger one");
      result.push(field);
    }
  }
  return result;
}

/** GNU parallel builds shell text from its arguments. */
export const parallel: Handler = ({ judge, fields, machine }) => {
  judge.fail("parallel builds commands from its input");
  const start = fields.findIndex((field, index) => index > 0 && !mayBeOption(field));
  const end = fields.findIndex((field) => /^::::?\+?$/.test(field.text));
  if (start < 0) return;
  const command = fields.slice(start, end < 0 ? undefined : end);
  const given = end < 0 ? [] : fields.slice(end + 1);
  machine.runInner([...command, ...given], { doubt: judge.reason });
};
