/** The commands and their flags; what a command does is loaded when it is called. */
import { Command, type CommanderError, Option } from "commander";
import { closest } from "fastest-levenshtein";
import packageJson from "../../package.json" with { type: "json" };
import { dialects } from "./dialect-names.ts";
import { exitCodes } from "./exit-code.ts";
import { fail, type GlobalFlags, printJson, UsageError } from "./front.ts";
import { type MessageKey, say } from "./messages.ts";

/** A command's work: positional arguments and merged flags in, exit code out. */
type Work = (args: readonly string[], flags: GlobalFlags & Record<string, unknown>) => Promise<number>;

export function buildProgram(): Command {
  const program = command("karyi", "about").version(packageJson.version, "-v, --version", say("versionOption"));
  program.helpCommand("help [command]", say("helpCommand"));
  withExamples(program, [
    `call Read '{"file_path":"README.md"}'`,
    `call Bash '{"command":"make clean"}' --dry-run`,
    "undo",
    "policy explain -- 'curl https://example.com | sh'",
    "doctor",
  ]);
  program.allowExcessArguments().action(() => {
    const [unknown] = program.args;
    if (unknown === undefined) return program.outputHelp();
    const names = program.commands.map((each) => each.name());
    process.exitCode = fail(new UsageError(say("unknownCommand", unknown, closest(unknown, names))), program.opts());
  });

  const call = callFlags(command("call <tool> [input]", "callAbout"))
    .option("--dry-run", say("dryRunOption"))
    .option("--keep", say("keepOption"))
    .option("--call-id <id>", say("callIdOption"))
    .action(lazy(async () => (await import("./commands/call.ts")).call));
  program.addCommand(
    withExamples(call, [
      `call Read '{"file_path":"README.md","limit":20}'`,
      `call Bash '{"command":"npm install"}' --dry-run`,
      `call Bash '{"command":"make clean"}' --dry-run --keep`,
      `call Terminal '{"command":"npm init"}'`,
      "call Write - < input.json",
    ]),
  );

  program.addCommand(
    callFlags(command("exec [file]", "execAbout"))
      .option("--dialect <name>", say("dialectOption", dialects.join(" | ")), "auto")
      .option("--dry-run", say("dryRunOption"))
      .action(lazy(async () => (await import("./commands/dialect.ts")).execText)),
  );
  program.addCommand(
    command("parse [file]", "parseAbout")
      .option("--dialect <name>", say("dialectOption", dialects.join(" | ")), "auto")
      .action(lazy(async () => (await import("./commands/dialect.ts")).parseText)),
  );
  program.addCommand(
    command("prompt", "promptAbout")
      .option("--dialect <name>", say("dialectOption", dialects.join(" | ")), "tool_call")
      .option("--tools <names>", say("toolsOption"))
      .action(lazy(async () => (await import("./commands/dialect.ts")).printPrompt)),
  );

  const tools = command("tools", "toolsAbout").action(lazy(async () => (await import("./commands/tools.ts")).listTools));
  tools.addCommand(command("show <name>", "toolsShowAbout").action(lazy(async () => (await import("./commands/tools.ts")).showTool)));
  program.addCommand(tools);

  program.addCommand(
    command("history", "historyAbout")
      .option("--limit <n>", say("limitOption"), "50")
      .action(lazy(async () => (await import("./commands/history.ts")).history)),
  );
  const undo = command("undo [callId]", "undoAbout")
    .option("--last <n>", say("lastOption"))
    .option("--message <id>", say("messageOption"))
    .option("--force", say("forceOption"))
    .option("--dry-run", say("dryRunOption"))
    .action(lazy(async () => (await import("./commands/history.ts")).undo));
  program.addCommand(withExamples(undo, ["undo", "undo --last 3 --dry-run"]));

  program.addCommand(command("commit <id>", "commitAbout").action(lazy(async () => (await import("./commands/change-sets.ts")).commitSet)));
  program.addCommand(
    command("discard <id>", "discardAbout").action(lazy(async () => (await import("./commands/change-sets.ts")).discardSet)),
  );

  const variables = command("var", "varAbout");
  variables.addCommand(
    command("set <name>", "varSetAbout")
      .option("--note <text>", say("noteOption"))
      .option("--project", say("projectVarOption"))
      .option("--from-env <name>", say("fromEnvOption"))
      .option("--tools <names>", say("toolsBindOption"))
      .option("--hosts <names>", say("hostsBindOption"))
      .action(lazy(async () => (await import("./commands/var.ts")).setVariable)),
  );
  variables.addCommand(command("list", "varListAbout").action(lazy(async () => (await import("./commands/var.ts")).listVariables)));
  variables.addCommand(
    command("rm <name>", "varRmAbout")
      .option("--project", say("projectVarOption"))
      .action(lazy(async () => (await import("./commands/var.ts")).removeVariable)),
  );
  variables.addCommand(
    command("get <name>", "varGetAbout")
      .option("--reveal", say("revealOption"))
      .action(lazy(async () => (await import("./commands/var.ts")).getVariable)),
  );
  variables.addCommand(command("rekey", "varRekeyAbout").action(lazy(async () => (await import("./commands/var.ts")).rekey)));
  variables.addCommand(command("reset", "varResetAbout").action(lazy(async () => (await import("./commands/var.ts")).resetVault)));
  program.addCommand(variables);
  program.addCommand(
    command("attach [session]", "attachAbout")
      .option("--list", say("listTerminalsOption"))
      .option("--close", say("closeTerminalOption"))
      .action(lazy(async () => (await import("./commands/attach.ts")).attach)),
  );

  const policy = command("policy", "policyAbout");
  const explain = callFlags(command("explain [words...]", "policyExplainAbout")).action(
    lazy(async () => (await import("./commands/policy.ts")).explainCall),
  );
  policy.addCommand(
    withExamples(explain, ["policy explain -- 'rm -rf build'", `policy explain Write '{"file_path":"/etc/hosts","content":""}'`]),
  );
  policy.addCommand(command("test [file]", "policyTestAbout").action(lazy(async () => (await import("./commands/policy.ts")).testPolicy)));
  program.addCommand(policy);

  const shell = command("shell", "shellAbout");
  shell.addCommand(
    command("parse [file]", "shellParseAbout")
      .option("-c, --command <text>", say("commandOption"))
      .action(lazy(async () => (await import("./commands/shell.ts")).parseScript)),
  );
  program.addCommand(shell);

  const approvals = command("approvals", "approvalsAbout")
    .option("--all", say("allOption"))
    .action(lazy(async () => (await import("./commands/approvals.ts")).listApprovals));
  approvals.addCommand(
    command("answer <id> <answer>", "approvalsAnswerAbout")
      .option("--words <text>", say("wordsOption"))
      .action(lazy(async () => (await import("./commands/approvals.ts")).answerApproval)),
  );
  program.addCommand(approvals);

  const config = command("config", "configAbout");
  config.addCommand(command("get <key>", "configGetAbout").action(lazy(async () => (await import("./commands/config.ts")).getKey)));
  config.addCommand(
    command("set <key> [value]", "configSetAbout")
      .option("--project", say("projectOption"))
      .action(lazy(async () => (await import("./commands/config.ts")).setKey)),
  );
  config.addCommand(command("list", "configListAbout").action(lazy(async () => (await import("./commands/config.ts")).list)));
  config.addCommand(command("trust", "configTrustAbout").action(lazy(async () => (await import("./commands/config.ts")).trust)));
  program.addCommand(config);

  program.addCommand(command("sessions", "sessionsAbout").action(lazy(async () => (await import("./commands/sessions.ts")).listSessions)));
  program.addCommand(command("doctor", "doctorAbout").action(lazy(async () => (await import("./commands/doctor.ts")).doctor)));
  program.addCommand(
    command("gc", "gcAbout")
      .option("--days <n>", say("daysOption"))
      .option("--dry-run", say("dryRunOption"))
      .action(lazy(async () => (await import("./commands/upkeep.ts")).collectGarbage)),
  );
  const audit = command("audit", "auditAbout");
  audit.addCommand(command("verify", "auditVerifyAbout").action(lazy(async () => (await import("./commands/upkeep.ts")).verifyAudit)));
  audit.addCommand(command("export", "auditExportAbout").action(lazy(async () => (await import("./commands/upkeep.ts")).exportAudit)));
  program.addCommand(audit);
  program.addCommand(command("demo", "demoAbout").action(lazy(async () => (await import("./commands/demo.ts")).demo)));
  program.addCommand(
    command("completion <shell>", "completionAbout").action(
      lazy(async () => (await import("./commands/completion.ts")).completion(buildProgram())),
    ),
  );
  return program;
}

/** A command with the flags that work everywhere. */
function command(spec: string, about: MessageKey): Command {
  const [name = spec, ...args] = spec.split(" ");
  const made = new Command(name).description(say(about)).helpOption("-h, --help", say("helpOption")).showHelpAfterError(say("helpShows"));
  for (const arg of args) made.argument(arg);
  made.configureHelp({ styleTitle: translateTitle });
  made.configureOutput({ outputError: (text, write) => write(`${usageWords(text)}\n`) });
  made.exitOverride(endWith);
  return made
    .addOption(new Option("--workspace <dir>", say("workspaceOption")))
    .addOption(new Option("--home <dir>", say("homeOption")))
    .addOption(new Option("--session <id>", say("sessionOption")))
    .addOption(new Option("--json", say("jsonOption")));
}

function withExamples(target: Command, examples: readonly string[]): Command {
  return target.addHelpText("after", ["", say("examples"), ...examples.map((example) => `  karyi ${example}`)].join("\n"));
}

/** What commander says of wrong usage has no codes, only its few sentences. */
function usageWords(text: string): string {
  const said: readonly (readonly [RegExp, MessageKey])[] = [
    [/unknown option '(.+?)'/, "unknownOption"],
    [/missing required argument '(.+?)'/, "missingArgument"],
    [/option '(.+?)' argument missing/, "missingOptionValue"],
    [/too many arguments/, "tooManyArguments"],
  ];
  for (const [pattern, key] of said) {
    const found = pattern.exec(text);
    const meant = /\(Did you mean (.+?)\?\)/.exec(text)?.[1];
    if (found) return [say(key, found[1] ?? ""), ...(meant === undefined ? [] : [say("perhaps", meant)])].join(" ");
  }
  return text.trimEnd();
}

function callFlags(target: Command): Command {
  return target
    .option("--cwd <dir>", say("cwdOption"))
    .option("--mode <mode>", say("modeOption"))
    .option("--approve <answer>", say("approveOption"));
}

function lazy(load: () => Promise<Work>): (...all: unknown[]) => Promise<void> {
  return async (...all) => {
    const self = all.at(-1) as Command;
    const args = self.processedArgs.flat().filter((arg): arg is string => typeof arg === "string");
    try {
      const work = await load();
      process.exitCode = await work(args, self.optsWithGlobals());
    } catch (error) {
      process.exitCode = fail(error, self.optsWithGlobals());
    }
  };
}

/** Help and version end well, everything else that commander stops for is wrong usage. */
function endWith(error: CommanderError): never {
  // Commander has said it on stderr already; a program that reads stdout gets its object all the same.
  if (error.exitCode !== 0 && process.argv.includes("--json")) {
    const message = error.code === "commander.help" ? say("commandMissing") : usageWords(error.message);
    printJson({ status: "error", error: { code: "invalid_tool_input", message } });
  }
  process.exit(error.exitCode === 0 ? exitCodes.done : exitCodes.usage);
}

function translateTitle(title: string): string {
  const known: Record<string, MessageKey> = {
    "Usage:": "usage",
    "Arguments:": "arguments",
    "Options:": "options",
    "Commands:": "commands",
    "Global Options:": "globalOptions",
  };
  const key = known[title];
  return key === undefined ? title : say(key);
}
