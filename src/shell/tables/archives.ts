/** Archives: listing their content reads them; packing and unpacking writes files that only the archive knows. */

import { environmentSteers } from "../environment.ts";
import { type Field, mayBeOption, textField } from "../field.ts";
import type { Handler, Program } from "../machine.ts";
import { optionTable, readOptions } from "../options.ts";
import { asksAlways, isStandardInput, program } from "../program.ts";

const tarTable = optionTable({
  short: "txOvzjJZf<",
  long: "list extract get to-stdout verbose file< gzip bzip2 xz zstd lzma full-time numeric-owner utc wildcards exclude: strip-components: auto-compress force-local",
});

/** Options, the archive where none is named, and how another machine is reached. */
const tarVariables = /^(?:TAR_OPTIONS|TAPE|RSH|TAR_\w+)$/;
const packerVariables = /^(?:GZIP|BZIP2?|XZ_OPT|XZ_DEFAULTS|ZSTD_\w+|UNZIP|UNZIPOPT|ZIPINFO|ZIPINFOOPT)$/;

const tar: Handler = ({ judge, fields }) => {
  const steering = environmentSteers(judge.world.env, tarVariables);
  if (steering !== undefined) judge.fail(`${steering} configures tar`);
  // The old form has no dash: `tar tf x`.
  const first = fields[1];
  const args = first?.kind === "text" && /^[a-zA-Z]+$/.test(first.text) ? oldForm(fields, first.text) : fields.slice(1);
  const directory = args.findIndex((field) => field.kind === "text" && (field.text === "-C" || field.text === "--directory"));
  const target =
    directory < 0
      ? args.map((field) => /^--directory=(.*)$/s.exec(field.text)?.[1]).find((text) => text !== undefined)
      : args[directory + 1]?.text;
  const extracts = args.some((field) => field.kind === "text" && /^-[a-zA-Z]*x|^--(?:extract|get)$/.test(field.text));
  const prints = args.some((field) => field.kind === "text" && /^-[a-zA-Z]*O|^--to-stdout$/.test(field.text));
  if (extracts && !prints) judge.write(textField(target ?? "."), "create", true);
  const parsed = readOptions(tarTable, [textField("tar"), ...args], 1, judge);
  if (parsed === undefined) return;
  const shows = parsed.options.has("t") || parsed.options.has("list");
  const unpacks = parsed.options.has("x") || parsed.options.has("extract") || parsed.options.has("get");
  if (!shows && !(unpacks && (parsed.options.has("O") || parsed.options.has("to-stdout")))) {
    if (!parsed.options.has("version") && !parsed.options.has("help")) judge.fail("tar packs or unpacks files");
    return;
  }
  const archive = parsed.options.get("f") ?? parsed.options.get("file");
  if (archive === undefined || archive.text === "-") return;
  // `host:file` makes tar start a remote shell.
  if (archive.kind !== "text" || args.some((field) => field.text.includes(":"))) judge.fail("an archive on another machine");
};

/** Letters that take a value take the following words in their order. */
function oldForm(fields: readonly Field[], letters: string): readonly Field[] {
  const rest = fields.slice(2);
  const result: Field[] = [];
  for (const letter of letters) {
    result.push(textField(`-${letter}`));
    const value = "fCbTXVKNIFLHg".includes(letter) ? rest.shift() : undefined;
    if (value !== undefined) result.push(value);
  }
  return [...result, ...rest];
}

/** `unzip -p archive.zip [member…]`: options, the archive, and patterns of what is in it. */
const unzip: Handler = ({ judge, fields }) => {
  if (environmentSteers(judge.world.env, packerVariables) !== undefined) judge.fail("the environment configures it");
  const words = fields.slice(1);
  const at = words.findIndex((field) => !mayBeOption(field));
  const options = words.slice(0, Math.max(at, 0));
  const shows =
    options.every(({ kind, text }) => kind === "text" && /^-[lvtzZqp12]+$/.test(text)) && options.some(({ text }) => /[lvtzZp]/.test(text));
  const archive = words[at];
  if (!shows || archive === undefined || words.slice(at + 1).some(mayBeOption)) judge.fail("unpacks files");
  else judge.read(archive);
};

const decompress = program({
  operands: (operands, judge) => {
    if (environmentSteers(judge.world.env, packerVariables) !== undefined) judge.fail("the environment configures it");
    for (const field of operands) if (!isStandardInput(field)) judge.read(field);
  },
  short: "cdfkqvth",
  long: "stdout decompress quiet",
  harmless: true,
});

/** Unpacks into a file's place unless it is told to print, list or test. */
const packer = program({
  operands: (operands, judge, { options }) => {
    if (environmentSteers(judge.world.env, packerVariables) !== undefined) judge.fail("the environment configures it");
    const has = (...names: readonly string[]) => names.some((name) => options.has(name));
    // Of listing, testing and unpacking the last one named is what some of them do.
    const looks = has("l", "list", "t", "test") && !has("d", "decompress", "uncompress");
    // Not all of them stop when they have told their version.
    const tells = operands.length === 0 && has("version", "help", "V");
    if (!looks && !tells && !has("c", "stdout", "to-stdout")) judge.fail("replaces files");
    for (const field of operands) if (!isStandardInput(field)) judge.read(field);
  },
  short: "cdfkqvtlV",
  long: "stdout to-stdout decompress uncompress list test quiet verbose keep",
  digits: true,
});

export const archives: Readonly<Record<string, Program>> = {
  tar: { handle: tar },
  gtar: { handle: tar },
  bsdtar: asksAlways("packs or unpacks files"),
  unzip: { handle: unzip },
  zipinfo: program({ operands: "read", short: "12smlvhtTz" }),
  zcat: decompress,
  gzcat: decompress,
  bzcat: decompress,
  xzcat: decompress,
  zstdcat: decompress,
  zip: asksAlways("packs files and can start a test program"),
  gzip: packer,
  gunzip: packer,
  bzip2: packer,
  bunzip2: packer,
  xz: packer,
  unxz: packer,
  zstd: packer,
  unzstd: packer,
  "7z": asksAlways("packs or unpacks files"),
  ar: asksAlways("packs or unpacks files"),
  cpio: asksAlways("packs or unpacks files"),
};
