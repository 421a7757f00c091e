/** Programs that tell about the machine, versions of interpreters, and interpreters themselves. */
import { environmentSteers, holdsSecret } from "../environment.ts";
import { type Field, textField } from "../field.ts";
import type { Handler, Program } from "../machine.ts";
import { asksAlways, program, versionOnly } from "../program.ts";
import { shellHandler } from "../shells.ts";

const date: Program = program({
  operands: (operands, judge, { options }) => {
    if (operands.some((field) => field.kind !== "text" || !field.text.startsWith("+"))) judge.fail("sets the clock");
    const isNumber = options.isEmpty && operands.length === 1 && /^\+(?:%[sNYmdHMSj])+$/.test(operands[0]?.text ?? "");
    if (isNumber) judge.printed = [{ kind: "number", text: "", many: true, shown: "date" }];
  },
  short: "d:r<uRI?f<",
  long: "date: reference< utc universal rfc-email rfc-2822 iso-8601? rfc-3339: debug file<",
});

const psVariables = /^(?:PS_FORMAT|PS_PERSONALITY|I_WANT_A_BROKEN_PS)$/;

/** A word of letters without a dash is a BSD option, and one like `-aux` is read as such; an `e` among them shows environments. */
const ps: Handler = ({ judge, fields }) => {
  if (environmentSteers(judge.world.env, psVariables) !== undefined) judge.fail("the environment configures it");
  for (let index = 1; index < fields.length; index += 1) {
    const field = fields[index];
    const text = field?.kind === "text" ? field.text : "";
    const valued = /^-[eAfFlwjHTaxuLM]*[oOpCugGtsq]$|^ax?o$|^--(?:sort|pid|ppid|user|format|group|cols|columns)$/.test(text);
    if (valued) {
      index += 1;
      const value = fields[index];
      if (value === undefined || value.many || !/^(?:text|number)$/.test(value.kind) || /env/i.test(value.text))
        judge.fail("ps with a format that is not known to be harmless");
    } else if (
      !/^[auxfwjlv]+$|^-(?:[eAfFlwjHTLM]+|[AfFlwjHTaxuLM]+)$|^--(?:no-headers?|headers?|forest|version|help|(?:sort|pid|ppid|user|cols|columns)=[\w,+%-]+)$|^-?\d+$/.test(
        text,
      )
    ) {
      judge.fail("ps may show the environment of other processes");
    }
  }
};

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

/** Only what is named, and nothing that may hold a secret. */
const printenv: Handler = ({ judge, fields }) => {
  const named = fields.length > 1 && fields.slice(1).every(({ kind, text }) => kind === "text" && /^\w+$/.test(text) && !holdsSecret(text));
  if (!named) judge.fail("prints the environment, which may hold secrets");
};

/** `ip [-4 …] OBJECT [show …]`: every other verb changes the network, runs a command or waits for events, and `s` may be `set`. */
const ip: Handler = ({ judge, fields }) => {
  const words = fields.slice(1).map((field) => (field.kind === "text" ? field.text : "?"));
  const object = words.findIndex(
    (word) => !/^-(?:4|6|0|o|br|brief|j|json|p|pretty|s|stats|statistics|d|details|h|human|c|color)$/.test(word),
  );
  const isKnown = /^(?:a|addr|address|l|link|r|route|n|neigh|rule)$/.test(words[object] ?? "");
  if (!isKnown || !/^(?:|show|ls|list|get)$/.test(words[object + 1] ?? "")) judge.fail("ip changes the network, or runs a command");
};

/** Takes shell text on its input. */
const later = asksAlways("runs commands later", ({ judge, machine }) => {
  if (judge.input !== undefined) machine.runText(judge.input, { child: true, doubt: "runs commands later" });
});

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
        judge.printed = [{ kind: "number", text: "", many: true, shown: "seq" }];
        return;
      }
      if (!fields.slice(1).every((field) => !field.many)) judge.fail("seq with unknown arguments");
    },
  },
  yes: program({ operands: "text", harmless: true }),
  sleep: program({ operands: "text", harmless: true }),
  expr: program({ operands: "text", harmless: true, short: "0123456789" }),
  factor: program({ operands: "text" }),
  numfmt: program({
    operands: "text",
    long: "from: to: field: padding: suffix: format: round: grouping invalid: header? delimiter:",
    short: "d:z",
  }),
  ps: { handle: ps },
  pgrep: program({
    operands: "text",
    short: "aflnxvciwod:P:u:U:g:G:s:t:",
    long: "count delimiter: list-name list-full full ignore-case newest oldest parent: session: terminal: euid: uid: exact inverse lightweight",
  }),
  who: program({ operands: "none", short: "abdHlmpqrstTuw" }),
  w: program({ operands: "text", short: "hsfoi" }),
  vmstat: program({ operands: "text", short: "aSstnwd" }),
  ip: { handle: ip },
  ifconfig: program({ operands: "none", short: "a" }),
  mount: program({ operands: "none", short: "l" }),
  lsb_release: program({ operands: "none", short: "avidrcs", long: "all id description release codename short" }),
  sw_vers: program({ operands: "none" }),
  clear: program({ operands: "none" }),
  tput: {
    handle({ judge, fields }) {
      const word = fields[1];
      if (fields.length !== 2 || word?.kind !== "text" || !/^(?:cols|lines|colors|bold|sgr0)$/.test(word.text))
        judge.fail("changes the terminal");
    },
  },
  ss: program({ operands: "text", short: "hVnalmeopitwuxZ46sHOQ", long: "numeric all listening processes tcp udp unix summary no-header" }),
  env: asksAlways("prints the environment, which may hold secrets"),
  printenv: { handle: printenv },
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
  at: later,
  batch: later,
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
  deno: versionOnly(version, interpreter("javascript", /^eval$/)),
  bun: versionOnly(/^(?:--version|-v)$/, interpreter("javascript", /^(?:-e|-p|--eval|--print)/)),
  perl: versionOnly(/^(?:--version|-v)$/, interpreter("perl", /^-[acfFilnpsStTuUwWX0-7]*[eE]/)),
  ruby: versionOnly(/^(?:--version|-v)$/, interpreter("ruby", /^-[aclnpsSvwW]*e/)),
  php: versionOnly(/^(?:--version|-v)$/, interpreter("php", /^-[rBRE]/)),
  lua: versionOnly(/^-v$/, interpreter("lua", /^-e/)),
  Rscript: interpreter("r", /^-e/),
  osascript: interpreter("applescript", /^-e/),
  tclsh: interpreter("tcl", /^-c/),
  expect: interpreter("expect", /^-c/),
  java: versionOnly(/^(?:-version|--version)$/, asksAlways(project)),
  javac: versionOnly(/^(?:-version|--version)$/, asksAlways(project)),
  gcc: versionOnly(/^(?:--version|-v)$/, asksAlways("compiles")),
  "g++": versionOnly(/^--version$/, asksAlways("compiles")),
  clang: versionOnly(/^--version$/, asksAlways("compiles")),
  cmake: versionOnly(/^--version$/, asksAlways(project)),
  make: versionOnly(/^(?:--version|-v)$/, asksAlways(project)),
  // `docker version` asks the server, wherever that is.
  docker: versionOnly(/^(?:--version|-v)$/, asksAlways("manages containers")),
  kubectl: asksAlways("manages a cluster"),
  gh: versionOnly(/^--version$/, asksAlways("acts on a remote service")),
};
