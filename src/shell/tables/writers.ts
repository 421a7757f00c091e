/** Programs that change files, where what they change follows from their arguments. The path rules judge the rest. */
import { type Field, textField } from "../field.ts";
import type { Judge } from "../judge.ts";
import type { Handler, Program } from "../machine.ts";
import { GivenOptions, type OptionSpec, type OptionTable, optionTable, type ParsedOptions, readOptions } from "../options.ts";
import { isStandardInput, program } from "../program.ts";
import type { ChangeKind } from "../types.ts";

function writer(spec: OptionSpec, act: (operands: readonly Field[], judge: Judge, parsed: ParsedOptions) => void): Program {
  let table: OptionTable | undefined;
  const handle: Handler = ({ judge, fields }) => {
    table ??= optionTable(spec);
    const parsed = readOptions(table, fields, 1, judge);
    if (parsed === undefined) {
      // Not understood, but what it names is still worth the floor's look, as if it were recursive.
      const worst = new GivenOptions();
      worst.set("r", undefined);
      worst.set("R", undefined);
      for (const field of fields.slice(1)) {
        if ((field.kind === "text" || field.kind === "glob") && !field.text.startsWith("-"))
          act([field], judge, { options: worst, operands: [field], operandIndex: 1, afterDashes: 0 });
      }
      return;
    }
    // Not every version of these stops there if there is something to do.
    if (parsed.operands.length > 0 || (!parsed.options.has("version") && !parsed.options.has("help"))) act(parsed.operands, judge, parsed);
  };
  return { handle };
}

function each(change: ChangeKind, recursive: readonly string[] = []) {
  return (operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void => {
    const tree = recursive.some((name) => parsed.options.has(name));
    for (const field of operands) if (!isStandardInput(field)) judge.write(field, change, tree);
  };
}

/** `chmod MODE FILE…`: the first operand is no file, unless `--reference` stands for it. */
function modes(operands: readonly Field[], judge: Judge, parsed: ParsedOptions): void {
  const given = parsed.options.has("reference") || ["r", "w", "x", "X", "s", "t"].some((mode) => parsed.options.has(mode));
  const files = given || operands.length === 1 ? operands : operands.slice(1);
  each("mode", ["R", "recursive"])(files, judge, parsed);
}

const plainRm = writer(
  { short: "dfiIrRv", long: "dir force interactive? recursive verbose one-file-system preserve-root? no-preserve-root" },
  (operands, judge, parsed) => {
    if (parsed.options.has("no-preserve-root")) judge.forbid("removes the root directory");
    each("delete", ["r", "R", "recursive"])(operands, judge, parsed);
  },
);

const rm: Program = {
  handle(call) {
    plainRm.handle?.(call);
    for (const field of call.fields.slice(1)) call.judge.demandNotEmpty(field);
  },
};

const copySpec: OptionSpec = {
  short: "abdfiHlLnpPrRsTuvxZS:t:",
  long: "archive attributes-only backup? copy-contents debug force interactive link dereference no-clobber no-dereference preserve? no-preserve: parents recursive reflink? remove-destination sparse: strip-trailing-slashes symbolic-link suffix: target-directory: no-target-directory update? verbose one-file-system",
};

/** Sources and the place they go to; a directory there receives them under their own names. */
function transfer(
  operands: readonly Field[],
  judge: Judge,
  parsed: ParsedOptions,
): { readonly sources: readonly Field[]; readonly target: Field | undefined } {
  const given = parsed.options.get("t") ?? parsed.options.get("target-directory");
  const sources = given === undefined ? operands.slice(0, -1) : operands;
  const target = given ?? (operands.length > 1 ? operands.at(-1) : undefined);
  if (target === undefined || target.many) judge.fail("the target is only known when it runs");
  return { sources, target };
}

function writeInto(target: Field, sources: readonly Field[], judge: Judge, change: ChangeKind, tree: boolean): void {
  judge.write(target, change, tree);
  if (target.kind !== "text") return;
  const directory = target.text.replace(/\/+$/, "") || "/";
  for (const source of sources) {
    const name = source.kind === "text" ? (/([^/]+)\/*$/.exec(source.text)?.[1] ?? "") : "";
    if (name !== "" && name !== "." && name !== "..")
      judge.write(textField(directory === "/" ? `/${name}` : `${directory}/${name}`), change, tree);
  }
}

const cp = writer(copySpec, (operands, judge, parsed) => {
  const tree = ["r", "R", "a", "recursive", "archive"].some((name) => parsed.options.has(name));
  const { sources, target } = transfer(operands, judge, parsed);
  for (const source of sources) judge.read(source, tree);
  if (target !== undefined) writeInto(target, sources, judge, "modify", tree);
});

const mv = writer(
  {
    short: "bfinTuvZS:t:",
    long: "backup? force interactive no-clobber strip-trailing-slashes suffix: target-directory: no-target-directory update? verbose",
  },
  (operands, judge, parsed) => {
    const { sources, target } = transfer(operands, judge, parsed);
    for (const source of sources) {
      judge.read(source, true);
      judge.write(source, "delete", true);
    }
    if (target !== undefined) writeInto(target, sources, judge, "modify", true);
  },
);

/** A link makes its target reachable under another name, so the target counts as read. */
const ln = writer(
  {
    short: "bfinrsTvLPS:t:",
    long: "backup? force interactive no-dereference logical physical relative symbolic suffix: target-directory: no-target-directory verbose",
  },
  (operands, judge, parsed) => {
    if (operands.length === 1 && operands[0] !== undefined) {
      judge.read(operands[0], true);
      writeInto(textField("."), operands, judge, "link", false);
      return;
    }
    const { sources, target } = transfer(operands, judge, parsed);
    const isSymbolic = parsed.options.has("s") || parsed.options.has("symbolic");
    const relative = parsed.options.has("r") || parsed.options.has("relative");
    for (const source of sources) {
      const place = target?.kind === "text" && target.text.includes("/") ? target.text.replace(/[^/]*$/, "") : "";
      const isFromLink = place !== "" && source.kind === "text" && !source.text.startsWith("/");
      // A symbolic link counts from where it lies, and there only; with -r ln writes what was meant from here.
      if (!isFromLink || !isSymbolic || relative) judge.read(source, true);
      if (!isFromLink) continue;
      judge.read(textField(place + source.text), true);
      // Its own directory is the target where that is one.
      if (isSymbolic && !relative && target?.kind === "text") judge.read(textField(`${target.text}/${source.text}`), true);
    }
    if (target !== undefined) writeInto(target, sources, judge, "link", false);
  },
);

const install = writer(
  {
    short: "bcCdDpsTvg:m:o:S:t:",
    long: "backup? compare directory group: mode: owner: preserve-timestamps suffix: target-directory: no-target-directory verbose",
  },
  (operands, judge, parsed) => {
    if (parsed.options.has("s")) judge.fail("strips with another program");
    if (parsed.options.has("d") || parsed.options.has("directory")) {
      each("create")(operands, judge, parsed);
      return;
    }
    const { sources, target } = transfer(operands, judge, parsed);
    for (const source of sources) judge.read(source);
    if (target !== undefined) writeInto(target, sources, judge, "modify", false);
  },
);

const ddInert = /^(?:bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|conv|iflag|oflag|status)=[\w,.*+-]*$/;

const dd: Handler = ({ judge, fields }) => {
  for (const field of fields.slice(1)) {
    if (field.kind === "text" && field.text.startsWith("if=")) judge.read(textField(field.text.slice(3)));
    else if (field.kind === "text" && field.text.startsWith("of=")) judge.write(textField(field.text.slice(3)), "modify");
    else if (field.kind !== "text" || !ddInert.test(field.text)) judge.fail("dd with an operand that is not known to be harmless");
  }
};

/** Raw disks, power and every process: nothing an agent may do. */
function floor(reason: string, unless?: RegExp): Program {
  return {
    handle({ judge, fields }) {
      const harmless =
        fields.length > 1 && unless !== undefined && fields.slice(1).every((field) => field.kind === "text" && unless.test(field.text));
      if (!harmless) judge.forbid(reason);
    },
    asks: reason,
  };
}

const disk = floor("changes a disk as a whole", /^(?:--?version|--?help|-V|-h|-l)$/);
const power = floor("stops or restarts the machine", /^(?:--?version|--?help)$/);

export const writers: Readonly<Record<string, Program>> = {
  rm,
  rmdir: writer({ short: "pv", long: "parents verbose ignore-fail-on-non-empty" }, each("delete")),
  unlink: writer({}, each("delete")),
  mkdir: writer({ short: "pvm:", long: "parents verbose mode:" }, each("create")),
  touch: writer({ short: "acfhmr<t:d:", long: "no-create no-dereference reference< date: time:" }, each("modify")),
  truncate: writer({ short: "cor<s:", long: "no-create io-blocks reference< size:" }, each("modify")),
  tee: writer({ short: "aip", long: "append ignore-interrupts output-error?" }, each("modify")),
  sponge: writer({ short: "a", noHelp: true }, each("modify")),
  mkfifo: writer({ short: "m:", long: "mode:" }, each("create")),
  cp,
  mv,
  ln,
  link: writer({}, (operands, judge) => {
    if (operands[0] !== undefined) judge.read(operands[0]);
    if (operands[1] !== undefined) judge.write(operands[1], "link");
  }),
  install,
  chmod: writer({ short: "cfvRrwxXst", long: "changes quiet silent verbose recursive reference< preserve-root no-preserve-root" }, modes),
  chown: writer(
    {
      short: "cfhvRHLP",
      long: "changes quiet silent verbose recursive reference< preserve-root no-preserve-root from: dereference no-dereference",
    },
    modes,
  ),
  chgrp: writer({ short: "cfhvRHLP", long: "changes quiet silent verbose recursive reference< preserve-root no-preserve-root" }, modes),
  dd: { handle: dd },
  shred: {
    handle: ({ judge, fields }) => {
      for (const field of fields.slice(1)) if (!field.text.startsWith("-")) judge.write(field, "modify");
    },
    asks: "destroys what it overwrites",
  },
  split: {
    asks: "writes many files",
    handle: ({ judge, fields }) => judge.write(fields.length > 2 ? (fields.at(-1) ?? textField("x")) : textField("x"), "create"),
  },
  csplit: { asks: "writes many files" },
  mktemp: { asks: "creates a file" },
  rename: { asks: "renames by an expression" },
  mknod: { asks: "creates a special file" },
  sync: program({ operands: "none" }),
  mke2fs: disk,
  mkswap: disk,
  wipefs: disk,
  fdisk: disk,
  sfdisk: disk,
  cfdisk: disk,
  gdisk: disk,
  sgdisk: disk,
  parted: disk,
  blkdiscard: disk,
  hdparm: disk,
  badblocks: disk,
  cryptsetup: disk,
  mkfs: disk,
  newfs: disk,
  diskutil: disk,
  shutdown: power,
  reboot: power,
  halt: power,
  poweroff: power,
  init: floor("changes the run level of the machine"),
  telinit: floor("changes the run level of the machine"),
  killall5: floor("signals every process"),
  systemctl: {
    asks: "manages services",
    handle({ judge, fields }) {
      if (fields.some((field) => /^(?:poweroff|reboot|halt|kexec|emergency|rescue|suspend|hibernate|soft-reboot|exit)$/.test(field.text)))
        judge.forbid("stops or restarts the machine");
    },
  },
};
