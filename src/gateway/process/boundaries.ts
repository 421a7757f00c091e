/**
 * Where the four tools of `/agent/process` may go (S4): no `..`, no system directory, links first, nothing outside the roots.
 * The policy judges the same paths again; here the answer is certain before anything is planned.
 */
import type { PathFacts } from "../../contract/index.ts";
import { Problem } from "../problem.ts";
import { wrongInput } from "./request.ts";

const systemDirectories = [
  "/bin",
  "/sbin",
  "/usr",
  "/lib",
  "/lib64",
  "/etc",
  "/proc",
  "/sys",
  "/dev",
  "/boot",
  "/run",
  "/var/run",
] as const;

/** A system directory at the beginning of a word, whatever slashes and dots are put in. */
const namedInText = new RegExp(
  `(?:^|[\\s'"=:(<>;|&\`{,@])(?:/+(?:\\.?/+)*)(?:${systemDirectories.map((path) => path.slice(1).replace("/", "/+(?:\\.?/+)*")).join("|")})(?=$|[/\\s'";|&)<>\`},:*?\\\\])`,
);
/** Devices that hold nothing of the machine. */
const harmless = /\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr)(?![\w/.-])/g;

/** Of one name in a path; no file system of Linux takes a longer one. */
const maxNameBytes = 255;

export function refuseTraversal(path: string): void {
  if (path.includes("\0")) throw wrongInput("A path cannot hold a NUL character.", { reason: "bad_path" });
  if (path.split(/[/\\]/).includes("..")) throw forbidden("A path must not contain `..`.", "traversal");
  refuseSystem(path);
  if (path.split("/").some((name) => Buffer.byteLength(name) > maxNameBytes)) {
    throw wrongInput(`A name in a path has at most ${maxNameBytes} bytes.`, { reason: "bad_path" });
  }
}

/** After links were followed. */
export function refuseOutside(facts: PathFacts & { readonly isInside: boolean }): void {
  refuseSystem(facts.lexical);
  refuseSystem(facts.real);
  if (!facts.isInside) throw forbidden("The path is outside the roots of this server.", "outside_roots");
}

/** The paths that the text of a command names. */
export function refuseSystemText(command: string): void {
  if (namedInText.test(command.replaceAll(harmless, " "))) {
    throw forbidden("The command names a system directory.", "system_directory");
  }
}

function refuseSystem(path: string): void {
  const plain = path.replaceAll(/\/+(?:\.\/+)*/g, "/");
  const directory = systemDirectories.find((one) => plain === one || plain.startsWith(`${one}/`));
  if (directory !== undefined) throw forbidden(`The path is in the system directory ${directory}.`, "system_directory");
}

function forbidden(message: string, reason: string): Problem {
  return new Problem(403, "tool_forbidden_path", message, { details: { reason } });
}
