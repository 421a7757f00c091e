/** Classes of commands (B4): how their output is shown and cut. Says nothing about safety. */
import type { ShellClass, ShellCommand } from "./types.ts";

const classes = new Map<string, ShellClass | "neutral">();
for (const [kind, names] of [
  ["search", "grep egrep fgrep zgrep rg ag ack fd fdfind find locate which whereis"],
  [
    "read",
    "cat tac nl head tail less more bat batcat wc jq sort uniq cut tr paste join comm fold fmt column rev od hexdump xxd strings base64 diff cmp file awk gawk mawk sed md5sum sha1sum sha256sum sha512sum cksum zcat",
  ],
  ["list", "ls dir vdir tree du df ps stat pwd lsblk free uptime realpath readlink"],
  ["silent", "mv cp rm mkdir rmdir touch chmod chown chgrp ln install truncate unlink"],
  ["write", "tee dd sponge split csplit shred"],
  ["neutral", "echo printf test [ true false : cd sleep exit break continue return basename dirname read export set unset local declare"],
] as const) {
  for (const name of names.split(" ")) classes.set(name, kind);
}

/** Options and operands that make a reader write. */
const writing: Readonly<Record<string, RegExp>> = {
  sed: /^-[nrEsuz]*i|^--in-place/,
  sort: /^-\w*o|^--output/,
  find: /^-(?:delete|fprint|fls)/,
  tree: /^-\w*o/,
};
const quietTargets = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d)$/;

function classOf(command: ShellCommand): ShellClass | "neutral" {
  if (command.redirections.some(writesFile)) return "write";
  if (command.name === undefined) return command.args.length === 0 ? "neutral" : "general";
  const kind = classes.get(command.name) ?? "general";
  const pattern = writing[command.name];
  if (pattern !== undefined && command.args.some((word) => pattern.test(word.value ?? word.text))) return "write";
  if (command.name === "uniq" && command.args.filter((word) => !word.text.startsWith("-")).length > 1) return "write";
  return kind;
}

function writesFile(node: ShellCommand["redirections"][number]): boolean {
  if (!/>/.test(node.operator)) return false;
  const target = node.target?.value;
  if (target === undefined) return node.target !== undefined;
  if (node.operator === ">&" && /^(?:\d+-?|-)$/.test(target)) return false;
  return !quietTargets.test(target);
}

/** One class for all of them: a part that writes or is unknown lowers the whole, neutral parts do not count. */
export function classify(commands: readonly ShellCommand[]): ShellClass {
  const seen = new Set<ShellClass>();
  for (const command of commands) {
    const kind = classOf(command);
    if (kind !== "neutral") seen.add(kind);
  }
  if (seen.has("write")) return "write";
  if (seen.has("general") || seen.size === 0) return "general";
  if (seen.has("silent")) return seen.size === 1 ? "silent" : "write";
  for (const kind of ["search", "read"] as const) if (seen.has(kind)) return kind;
  return "list";
}
