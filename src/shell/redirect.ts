/** Effects of redirections: files read and written, descriptors copied, and bash's own network devices. */
import type { Redirection, WordPart } from "unbash";
import { expandWord } from "./expand.ts";
import type { Scope } from "./expansion-scope.ts";
import type { Field } from "./field.ts";
import type { Judge } from "./judge.ts";

const networkDevice = /^\/dev\/(tcp|udp)\/([^/]*)\/?([^/]*)/;

interface Assigns extends Scope {
  assign(name: string, value: Field | undefined, exported?: boolean, judge?: Judge): void;
}

export function redirect(node: Redirection, judge: Judge, scope: Assigns, visit: (parts: readonly WordPart[]) => void): void {
  if (node.descriptor?.type === "FileDescriptorVariable") {
    scope.assign(node.descriptor.name, { kind: "number", text: "", many: false, shown: "" }, false, judge);
  }
  if (!onlyOutput(node)) {
    judge.upstream = undefined;
    judge.input = undefined;
  }
  if (node.type === "HereDoc") {
    hereDoc(node, judge, visit);
    return;
  }
  if (node.target === undefined) {
    judge.fail("redirection without a target");
    return;
  }
  const fields: Field[] = [];
  expandWord(node.target, scope, fields);
  const target = fields[0];
  if (node.type === "HereString") {
    judge.input = fields.every((field) => field.kind === "text") ? fields.map((field) => field.text).join(" ") : undefined;
    return;
  }
  if (target === undefined || fields.length !== 1 || target.kind === "words") {
    judge.fail("the target of a redirection is only known when it runs");
    return;
  }
  if (target.kind === "stream") return;
  if (target.kind === "text" && isNetwork(target.text, judge)) return;
  apply(node.operator, node.descriptor, target, judge);
}

/** It surely leaves standard output alone: what is printed there is still what the command prints. */
export function leavesOutput(node: Redirection): boolean {
  const { descriptor } = node;
  if (descriptor !== undefined && descriptor.type !== "FileDescriptor") return false;
  if (node.type === "HereDoc" || node.type === "HereString" || node.operator === "<") return (descriptor?.value ?? 0) === 0;
  return descriptor?.value === 2 && (node.operator === ">" || node.operator === ">>");
}

/** It surely leaves standard input alone. */
function onlyOutput(node: Redirection): boolean {
  const { descriptor } = node;
  if (node.type === "HereDoc" || node.type === "HereString" || node.operator.startsWith("<")) return false;
  return descriptor === undefined || (descriptor.type === "FileDescriptor" && (descriptor.value === 1 || descriptor.value === 2));
}

function apply(operator: string, descriptor: Redirection["descriptor"], target: Field, judge: Judge): void {
  // A pattern is matched against names where it matches exactly one: which, is known only when it runs.
  if (target.kind === "glob" && target.many) judge.fail("the target of a redirection is a pattern");
  switch (operator) {
    case "<":
      judge.input = undefined;
      judge.read(target);
      return;
    case "<>":
      judge.input = undefined;
      judge.read(target);
      judge.write(target, "modify");
      return;
    case ">&":
    case "<&":
      if (target.kind === "number" || (target.kind === "text" && /^(?:\d+-?|-)$/.test(target.text))) return;
      if (target.kind !== "text") {
        judge.fail("the target of a redirection is only known when it runs");
        return;
      }
      if (operator === "<&" || descriptor !== undefined) judge.fail("copies a descriptor that is not a number");
      judge.write(target, "modify");
      return;
    case ">":
    case ">>":
    case ">|":
    case "&>":
    case "&>>":
      judge.write(target, "modify");
      return;
    default:
      judge.fail("redirection that is not known");
  }
}

function hereDoc(node: Extract<Redirection, { type: "HereDoc" }>, judge: Judge, visit: (parts: readonly WordPart[]) => void): void {
  const parts = node.body.parts;
  if (parts !== undefined) visit(parts);
  const isStatic = parts === undefined || parts.every((part) => part.type === "Literal");
  judge.input = isStatic ? node.body.text : undefined;
}

function isNetwork(path: string, judge: Judge): boolean {
  if (!path.includes("dev/")) return false;
  const match = networkDevice.exec(path.replace(/\/{2,}/g, "/"));
  if (match === null) return false;
  const [, protocol = "tcp", host = "", port = ""] = match;
  judge.connect(`${protocol}://${host}:${port}`, "CONNECT");
  judge.forbid("opens a network connection through the shell");
  return true;
}
