/**
 * Programs with a language of their own: sed, awk, jq. The program text must be known and free of whatever
 * writes, starts programs, or reads more than the operands.
 */
import { isHarmlessAwk } from "../awk-script.ts";
import { type Field, textField, uncut } from "../field.ts";
import type { Handler, Program } from "../machine.ts";
import { optionTable, readOptions } from "../options.ts";
import { isStandardInput } from "../program.ts";
import { readSedScript } from "../sed-script.ts";

const sedTable = optionTable({
  short: "nrEsuzi?e:l:",
  long: "quiet silent regexp-extended separate unbuffered null-data in-place? expression: line-length: posix debug sandbox follow-symlinks",
});

/** `"${from},${to}p"`, where the numbers are not known: whatever they are, it only picks lines. */
const numberedLines = /^(?:[\d*]+|\$)(?:,\+?(?:[\d*]+|\$))?!?[pdq=](?:;(?:[\d*]+|\$)?[pdq=])*$/;

/** The script, which then stands first, as one with the same effects; a number below zero would be an option that sed does not know. */
function withKnownLines(fields: readonly Field[]): readonly Field[] {
  const at = fields[1]?.text === "-n" ? 2 : 1;
  const script = fields[at];
  return script?.numeric === true && numberedLines.test(script.text)
    ? fields.map((field) => (field === script ? textField("p") : field))
    : fields;
}

const sed: Handler = (call) => {
  const { judge } = call;
  const fields = withKnownLines(call.fields);
  const scripts = sedExpressions(fields);
  const parsed = readOptions(sedTable, fields, 1, judge);
  const inPlace = fields.some((field) => field.kind === "text" && /^-[nrEsuz]*i|^--in-place/.test(field.text));
  if (parsed === undefined) return;
  const given = parsed.options.has("e") || parsed.options.has("expression");
  const first = parsed.operands[0];
  const texts = given ? scripts : first === undefined ? [] : [first];
  if (parsed.options.has("version") || parsed.options.has("help")) return;
  if (texts.length === 0) judge.fail("sed without a script");
  // The value of `-l` may look like an option or `--`, and then the pieces are counted wrongly.
  if (given && (parsed.options.has("l") || parsed.options.has("line-length"))) judge.fail("sed with a line length and several scripts");
  for (const field of texts) {
    const script = field.kind === "text" ? readSedScript(field.text) : undefined;
    if (script === undefined) {
      judge.fail("a sed script that could write files or start programs");
      continue;
    }
    for (const path of script.reads) judge.read(textField(path));
    for (const path of script.writes) judge.write(textField(path), "modify");
  }
  const suffix = parsed.options.get("i") ?? parsed.options.get("in-place");
  if (suffix !== undefined && !/^\.?\w+$/.test(suffix.text)) judge.fail("sed keeps its backups elsewhere");
  for (const field of given ? parsed.operands : parsed.operands.slice(1)) {
    if (isStandardInput(field)) continue;
    judge.read(field);
    if (!inPlace) continue;
    judge.write(field, "modify");
    if (suffix !== undefined && field.kind === "text") judge.write(textField(field.text + suffix.text), "modify");
  }
};

/** The option table keeps the last value only; a sed script may come in pieces, and each counts. */
function sedExpressions(fields: readonly Field[]): readonly Field[] {
  const pieces: string[] = [];
  for (let index = 1; index < fields.length; index += 1) {
    const field = fields[index];
    const text = field?.kind === "text" ? field.text : "";
    if (text === "--") break;
    const attached = /^--expression=(.*)$/s.exec(text)?.[1] ?? /^-[nrEsuz]*e(.+)$/s.exec(text)?.[1];
    if (attached !== undefined) pieces.push(attached);
    else if (/^-[nrEsuz]*e$/.test(text) || text === "--expression") {
      index += 1;
      const value = fields[index];
      if (value?.kind !== "text") return [{ kind: "word", text: "", many: false, shown: "" }];
      pieces.push(value.text);
    }
  }
  return [textField(pieces.join("\n"))];
}

const awkTable = optionTable({ short: "F:v:", long: "field-separator: assign: posix traditional re-interval sandbox lint?", posix: true });

const awk: Handler = ({ judge, fields }) => {
  const parsed = readOptions(awkTable, fields, 1, judge);
  if (parsed === undefined) return;
  if (parsed.options.has("version") || parsed.options.has("help")) return;
  const rest = fields.slice(parsed.operandIndex);
  const source = rest[0];
  if (source?.kind !== "text" || !isHarmlessAwk(source.text)) judge.fail("an awk program that could write files or start programs");
  for (const field of rest.slice(1)) {
    if (isStandardInput(field) || (field.kind === "text" && /^[A-Za-z_]\w*=/.test(field.text))) continue;
    const names = uncut(field);
    judge.read(names !== undefined && judge.readUncut(names) ? names : field);
  }
};

const jqTable = optionTable({
  short: "acCeMnrRsSjfL",
  long: "ascii-output compact-output color-output exit-status monochrome-output null-input raw-output raw-output0 raw-input slurp sort-keys join-output tab indent: seq stream stream-errors unbuffered",
});
const jqPairs = new Set(["--arg", "--argjson", "--slurpfile", "--rawfile"]);
/** A comment may stand between `$` and a name, and ends differently from one version to the next. */
const jqRefused =
  /(?<![.\w])(?:env|input_filename|import|include|get_search_list|modulemeta|getpath_env|debug_env)\b|\.\.\s*env\b|\$\s*(?:ENV|__prog)|#/;

const jq: Handler = ({ judge, fields }) => {
  const rest: Field[] = [];
  /** Positional arguments of the program; what stands before `--args` is still a file. */
  const values = new Set<Field>();
  let filesEnd = false;
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index];
    if (field === undefined) break;
    // Versions of jq differ in what they make of these: for some the words behind them are files.
    if (field.kind === "text" && field.text === "--") judge.fail("jq with --");
    if (field.kind === "text" && field.text === "--indent" && !/^\d$/.test(fields[index + 1]?.text ?? "")) judge.fail("jq with --indent");
    if (field.kind === "text" && jqPairs.has(field.text)) {
      const [name, value] = [fields[index + 1], fields[index + 2]];
      if (name === undefined || value === undefined || name.many || value.many)
        judge.fail("jq with an argument that is only known when it runs");
      if (value !== undefined && /file$/.test(field.text)) judge.read(value);
      index += 2;
    } else if (field.kind === "text" && (field.text === "--args" || field.text === "--jsonargs")) filesEnd = true;
    else {
      rest.push(field);
      if (filesEnd) values.add(field);
    }
  }
  const parsed = readOptions(jqTable, rest, 1, judge);
  if (parsed === undefined) return;
  if (parsed.options.has("version") || parsed.options.has("help")) return;
  const source = parsed.operands[0];
  if (parsed.options.has("f") || parsed.options.has("L")) judge.fail("a jq program from a file");
  if (source?.kind !== "text" || jqRefused.test(source.text)) judge.fail("a jq program that could show the environment or load modules");
  for (const field of parsed.operands.slice(1)) if (!isStandardInput(field) && !values.has(field)) judge.read(field);
};

export const textPrograms: Readonly<Record<string, Program>> = {
  sed: { handle: sed },
  gsed: { handle: sed },
  awk: { handle: awk },
  gawk: { handle: awk },
  mawk: { handle: awk },
  nawk: { handle: awk },
  jq: { handle: jq },
};
