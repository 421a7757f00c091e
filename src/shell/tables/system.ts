/** Programs that tell about the machine, versions of interpreters, and interpreters themselves. */
import { environmentSteers } from "../environment.ts";
import { type Field, textField } from "../field.ts";
import type { Handler, Program } from "../machine.ts";
import { asksAlways, program } from "../program.ts";
import { shellHandler } from "../shells.ts";

const date: Program = program({
  operands: (operands, judge) => {
    if (operands.some((field) => field.kind !== "text" || !field.text.startsWith("+"))) judge.fail("sets the clock");
  },
  short: "d:r<uRI?f<",
  long: "date: reference< utc universal rfc-email rfc-2822 iso-8601? rfc-3339: debug file<",
});

const psVariables = /^(?:PS_FORMAT|PS_PERSONALITY|I_WANT_A_BROKEN_PS)$/;

/** A word of letters without a dash is a BSD option; an `e` among them shows environments. */
const ps: Handler = ({ judge, fields }) => {
  if (environmentSteers(judge.world.env, psVariables) !== undefined) judge.fail("the environment configures it");
  for (let index = 1; index < fields.length; index += 1) {
    const field = fields[index];
    const text = field?.kind === "text" ? field.text : "";
    const valued = /^-[oOpCugGtsq]$|^--(?:sort|pid|ppid|user|format|group|cols|columns)$/.test(text);
    if (valued) {
      index += 1;
      const value = fields[index];
      if (value?.kind !== "text" || /env/i.test(value.text)) judge.fail("ps with a format that is not known to be harmless");
    } else if (
      !/^[auxfwjlv]+$|^-[eAfFlwjHTaxuLM]+$|^--(?:no-headers?|headers?|forest|version|help|(?:sort|pid|ppid|user|cols|columns)=[\w,+%-]+)$|^-?\d+$/.test(
        text,
      )
    ) {
      judge.fail("ps may show the environment of other processes");
    }
  }
};

/** Exactly one argument, and that one asks for the version. */
function versionOnly(flags: RegExp, otherwise: Program): Program {
  return {
    handle(call) {
      const { fields, judge } = call;
      if (fields.length === 2 && fields[1]?.kind === "text" && flags.test(fields[1].text)) return;
      otherwise.handle?.(call);
      if (otherwise.asks !== undefined) judge.fail(otherwise.asks);
    },
  };
}

/** Code in an argument: shown as code, and never understood. */
function interpreter(language: string, codeFlags: RegExp): Program {
  return {
    asks: `${language} runs code`,
    handle({ judge, fields, machine }) {
      for (let index = 1; index < fields.length; index += 1) {
        const field = fields[index];
        if (field?.kind !== "text") continue;
        const match = codeFlags.exec(field.text);
        if (match !== null) {
          const attached = field.text.slice(match[0].length);
          judge.code(language, attached !== "" ? attached : (fields[index + 1]?.text ?? ""));
          return;
        }
        if (!field.text.startsWith("-")) {
          judge.read(field);
          return;
        }
      }
      void machine;
    },
  };
}

const version = /^(?:--version|-V)$/;
const project = "runs or loads code of the project";

/** Text given to another shell: followed for the floor. */
function shellText(position: (fields: readonly Field[]) => Field | undefined, reason: string): Program {
  return {
    asks: reason,
    handle({ judge, fields, machine }) {
      judge.fail(reason);
      const text = position(fields);
      if (text?.kind === "text") machine.runText(text.text, { child: true, doubt: reason });
    },
  };
}

function afterFlag(flag: RegExp) {
  return (fields: readonly Field[]): Field | undefined => {
    for (const [index, field] of fields.entries()) {
      if (field.kind !== "text") continue;
      if (flag.test(field.text)) return fields[index + 1];
      const attached = /^--(?:command|session-command)=(.*)$/s.exec(field.text)?.[1];
      if (attached !== undefined) return textField(attached);
    }
    return undefined;
  };
}

export const systemPrograms: Readonly<Record<string, Program>> = {
  uname: program({
    operands: "none",
    short: "amnoprsvi",
    long: "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system",
    harmless: true,
  }),
  arch: program({ operands: "none" }),
  nproc: program({ operands: "none", long: "all ignore:" }),
  whoami: program({ operands: "none" }),
  logname: program({ operands: "none" }),
  id: program({ operands: "text", short: "agGnruzZ", long: "group groups name real user zero", harmless: true }),
  groups: program({ operands: "text", harmless: true }),
  users: program({ operands: "none" }),
  tty: program({ operands: "none", short: "s", long: "silent quiet" }),
  hostname: program({ operands: "none", short: "s", long: "short" }),
  hostid: program({ operands: "none" }),
  uptime: program({ operands: "none", short: "ps", long: "pretty since" }),
  free: program({ operands: "none", short: "bkmghtwlvc:s:", long: "bytes kilo mega giga tebi human si wide total lohi" }),
  lscpu: program({ operands: "none", short: "abcexyJ", long: "all online offline json" }),
  lsblk: program({ operands: "text", short: "abdfilmnoprstz", long: "all bytes nodeps fs json list" }),
  locale: program({ operands: "text", short: "ackm", harmless: true }),
  getconf: program({ operands: "text", short: "a" }),
  date,
  cal: program({ operands: "text", short: "13ymjnA:B:" }),
  seq: {
    handle({ judge, fields }) {
      if (fields.slice(1).every((field) => field.kind === "number" || (field.kind === "text" && /^-?\d+$/.test(field.text)))) {
        judge.printed = [{ kind: "number", text: "", many: false, shown: "seq" }];
        return;
      }
      if (!fields.slice(1).every((field) => !field.many)) judge.fail("seq with unknown arguments");
    },
  },
  sleep: program({ operands: "text", harmless: true }),
  expr: program({ operands: "text", harmless: true, short: "0123456789" }),
  factor: program({ operands: "text" }),
  numfmt: program({
    operands: "text",
    long: "from: to: field: padding: suffix: format: round: grouping invalid: header? delimiter:",
    short: "d:z",
  }),
  ps: { handle: ps },
  env: asksAlways("prints the environment, which may hold secrets"),
  printenv: asksAlways("prints the environment, which may hold secrets"),
  bash: { handle: shellHandler("bash") },
  sh: { handle: shellHandler("sh") },
  dash: { handle: shellHandler("dash") },
  ash: { handle: shellHandler("ash") },
  zsh: { handle: shellHandler("zsh") },
  ksh: { handle: shellHandler("ksh") },
  mksh: { handle: shellHandler("mksh") },
  rbash: { handle: shellHandler("rbash") },
  fish: asksAlways("is a shell of its own"),
  csh: asksAlways("is a shell of its own"),
  tcsh: asksAlways("is a shell of its own"),
  pwsh: asksAlways("is a shell of its own"),
  powershell: asksAlways("is a shell of its own"),
  su: shellText(afterFlag(/^-[\w]*c$|^--(?:session-)?command$/), "runs with the rights of another user"),
  script: shellText(afterFlag(/^-[\w]*c$|^--command$/), "records a session in a file"),
  watch: shellText(
    (fields) =>
      textField(
        fields
          .slice(1)
          .filter((field) => !field.text.startsWith("-"))
          .map((field) => field.text)
          .join(" "),
      ),
    "runs a command again and again",
  ),
  python: versionOnly(version, interpreter("python", /^-[bBdEhiIOPqsSuvx]*c/)),
  python2: versionOnly(version, interpreter("python", /^-[bBdEhiIOPqsSuvx]*c/)),
  python3: versionOnly(version, interpreter("python", /^-[bBdEhiIOPqsSuvx]*c/)),
  pypy: versionOnly(version, interpreter("python", /^-[bBdEhiIOPqsSuvx]*c/)),
  node: versionOnly(/^(?:--version|-v)$/, interpreter("javascript", /^(?:-e|-p|-pe|--eval(?:=|$)|--print(?:=|$))/)),
  nodejs: versionOnly(/^(?:--version|-v)$/, interpreter("javascript", /^(?:-e|-p|-pe|--eval(?:=|$)|--print(?:=|$))/)),
  deno: interpreter("javascript", /^eval$/),
  bun: interpreter("javascript", /^(?:-e|-p|--eval|--print)/),
  perl: versionOnly(/^(?:--version|-v)$/, interpreter("perl", /^-[acfFilnpsStTuUwWX0-7]*[eE]/)),
  ruby: versionOnly(/^--version$/, interpreter("ruby", /^-[aclnpsSvwW]*e/)),
  php: versionOnly(/^(?:--version|-v)$/, interpreter("php", /^-[rBRE]/)),
  lua: versionOnly(/^-v$/, interpreter("lua", /^-e/)),
  Rscript: interpreter("r", /^-e/),
  osascript: interpreter("applescript", /^-e/),
  tclsh: interpreter("tcl", /^-c/),
  expect: interpreter("expect", /^-c/),
  java: versionOnly(/^(?:-version|--version)$/, asksAlways(project)),
  javac: versionOnly(/^(?:-version|--version)$/, asksAlways(project)),
  gcc: versionOnly(/^--version$/, asksAlways("compiles")),
  "g++": versionOnly(/^--version$/, asksAlways("compiles")),
  clang: versionOnly(/^--version$/, asksAlways("compiles")),
  cmake: versionOnly(/^--version$/, asksAlways(project)),
  make: versionOnly(/^(?:--version|-v)$/, asksAlways(project)),
  // `docker version` asks the server, wherever that is.
  docker: versionOnly(/^(?:--version|-v)$/, asksAlways("manages containers")),
  kubectl: asksAlways("manages a cluster"),
  gh: versionOnly(/^--version$/, asksAlways("acts on a remote service")),
};
