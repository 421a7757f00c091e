/** The commands and their flags; what a command does is loaded when it is called. */
import { Command, type CommanderError, Option } from "commander";
import { closest } from "fastest-levenshtein";
import packageJson from "../../package.json" with { type: "json" };
import { ToolFailure } from "../contract/index.ts";
import { dialects } from "./dialect-names.ts";
import { exitCodes } from "./exit-code.ts";
import { fail, type GlobalFlags, printJson, UsageError } from "./front.ts";
import { helpExamples, inputForms } from "./help-examples.ts";
import { type MessageKey, say } from "./messages.ts";

/** A command's work: positional arguments and merged flags in, exit code out. */
type Work = (args: readonly string[], flags: GlobalFlags & Record<string, unknown>) => Promise<number>;

export function buildProgram(): Command {
  const program = command("karyi", "about").version(packageJson.version, "-v, --version", say("versionOption"));
  // A command may have an option of the same name as one of the program: `artifacts show --version 2`.
  program.enablePositionalOptions();
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

  const run = callFlags(command("run [prompt]", "runAbout"))
    .option("--model <provider/model>", say("modelOption"))
    .option("--agent <name>", say("agentOption"))
    .option("--max-rounds <n>", say("maxRoundsOption"))
    .option("--max-cost <usd>", say("maxCostOption"))
    .option("--resume", say("resumeOption"))
    .option("--continue", say("continueOption"))
    .option("--events", say("eventsOption"))
    .option("--record <file>", say("recordOption"))
    .action(lazy(async () => (await import("./commands/run.ts")).run));
  program.addCommand(
    withExamples(run, [
      `run "Explain what this project does"`,
      "run --model scripted/demo.yaml --events -",
      "run --continue 'And now the tests'",
      "run --resume",
    ]),
  );

  const serve = command("serve", "serveAbout")
    .option("--host <address>", say("hostOption"), "127.0.0.1")
    .option("--port <n>", say("portOption"), "4747")
    .option("--token <token>", say("tokenOption"))
    .option("--token-file <file>", say("tokenFileOption"))
    .option("--enable-shell", say("enableShellOption"))
    .option("--mode <mode>", say("modeOption"))
    .action(lazy(async () => (await import("./commands/serve.ts")).serveGateway));
  program.addCommand(withExamples(serve, ["serve", "serve --port 8080 --token-file token.txt"]));
  const token = command("token", "tokenAbout");
  token.addCommand(
    command("add <name>", "tokenAddAbout")
      .option("--scopes <list>", say("scopesOption"), "read")
      .option("--user <name>", say("userOption"), "local")
      .action(personOnly(async () => (await import("./commands/token.ts")).addToken)),
  );
  token.addCommand(command("list", "tokenListAbout").action(lazy(async () => (await import("./commands/token.ts")).listTokens)));
  token.addCommand(
    command("remove <name>", "tokenRemoveAbout").action(personOnly(async () => (await import("./commands/token.ts")).removeToken)),
  );
  program.addCommand(token);

  program.addCommand(mcpCommand());
  program.addCommand(hookCommand());

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

  const history = command("history", "historyAbout")
    .option("--limit <n>", say("limitOption"), "50")
    .action(lazy(async () => (await import("./commands/history.ts")).history));
  history.addCommand(command("show <id>", "historyShowAbout").action(lazy(async () => (await import("./commands/history.ts")).showCall)));
  program.addCommand(history);
  const rules = command("rules", "rulesAbout").action(lazy(async () => (await import("./commands/rules.ts")).listRules));
  rules.addCommand(
    command("remove <rule...>", "rulesRemoveAbout").action(lazy(async () => (await import("./commands/rules.ts")).removeRules)),
  );
  program.addCommand(rules);
  const recover = command("recover", "recoverAbout")
    .option("--all", say("everywhereOption"))
    .action(lazy(async () => (await import("./commands/recover.ts")).recover));
  program.addCommand(withExamples(recover, ["recover", "recover --all"]));
  const undo = command("undo [callId]", "undoAbout")
    .option("--last <n>", say("lastOption"))
    .option("--message <id>", say("messageOption"))
    .option("--force", say("forceOption"))
    .option("--steal-lock", say("stealLockOption"))
    .option("--dry-run", say("dryRunOption"))
    .action(lazy(async () => (await import("./commands/history.ts")).undo));
  program.addCommand(withExamples(undo, ["undo", "undo --last 3 --dry-run"]));

  program.addCommand(
    command("commit <id>", "commitAbout")
      .option("--steal-lock", say("stealLockOption"))
      .action(lazy(async () => (await import("./commands/change-sets.ts")).commitSet)),
  );
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
      .option("--commands <patterns>", say("commandsBindOption"))
      .action(personOnly(async () => (await import("./commands/var.ts")).setVariable)),
  );
  variables.addCommand(command("list", "varListAbout").action(lazy(async () => (await import("./commands/var.ts")).listVariables)));
  variables.addCommand(
    command("rm <name>", "varRmAbout")
      .option("--project", say("projectVarOption"))
      .action(personOnly(async () => (await import("./commands/var.ts")).removeVariable)),
  );
  variables.addCommand(
    command("get <name>", "varGetAbout")
      .option("--reveal", say("revealOption"))
      .action(personOnly(async () => (await import("./commands/var.ts")).getVariable)),
  );
  variables.addCommand(command("rekey", "varRekeyAbout").action(personOnly(async () => (await import("./commands/var.ts")).rekey)));
  variables.addCommand(command("reset", "varResetAbout").action(personOnly(async () => (await import("./commands/var.ts")).resetVault)));
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
    command("show <id>", "approvalsShowAbout").action(lazy(async () => (await import("./commands/approvals.ts")).showApproval)),
  );
  approvals.addCommand(
    command("answer <id> <answer>", "approvalsAnswerAbout")
      .option("--words <text>", say("wordsOption"))
      .action(personOnly(async () => (await import("./commands/approvals.ts")).answerApproval)),
  );
  program.addCommand(approvals);

  const config = command("config", "configAbout");
  config.addCommand(command("get <key>", "configGetAbout").action(lazy(async () => (await import("./commands/config.ts")).getKey)));
  config.addCommand(
    command("set <key> [value]", "configSetAbout")
      .option("--project", say("projectOption"))
      .action(personOnly(async () => (await import("./commands/config.ts")).setKey)),
  );
  config.addCommand(command("list", "configListAbout").action(lazy(async () => (await import("./commands/config.ts")).list)));
  const explainSetting = command("explain [key]", "configExplainAbout").action(
    lazy(async () => (await import("./commands/config-explain.ts")).explainSetting),
  );
  config.addCommand(withExamples(explainSetting, ["config explain", "config explain permissions.deny", "config explain sandbox"]));
  config.addCommand(command("trust", "configTrustAbout").action(personOnly(async () => (await import("./commands/config.ts")).trust)));
  program.addCommand(config);

  const agents = command("agents", "agentsAbout")
    .option("--running", say("runningOption"))
    .action(lazy(async () => (await import("./commands/agents.ts")).listAgents));
  agents.addCommand(command("show <name>", "agentsShowAbout").action(lazy(async () => (await import("./commands/agents.ts")).showAgent)));
  program.addCommand(agents);
  program.addCommand(command("skills", "skillsAbout").action(lazy(async () => (await import("./commands/skills.ts")).listSkills)));

  const evolve = command("evolve", "evolveAbout");
  evolve.addCommand(command("list", "evolveListAbout").action(lazy(async () => (await import("./commands/evolve.ts")).listProposals)));
  evolve.addCommand(command("show <id>", "evolveShowAbout").action(lazy(async () => (await import("./commands/evolve.ts")).showProposal)));
  evolve.addCommand(
    command("approve <id>", "evolveApproveAbout").action(personOnly(async () => (await import("./commands/evolve.ts")).approveProposal)),
  );
  evolve.addCommand(
    command("reject <id>", "evolveRejectAbout").action(personOnly(async () => (await import("./commands/evolve.ts")).rejectProposal)),
  );
  evolve.addCommand(
    command("revoke <name>", "evolveRevokeAbout").action(personOnly(async () => (await import("./commands/evolve.ts")).revokeTool)),
  );
  program.addCommand(evolve);

  const plugin = command("plugin", "pluginAbout");
  plugin.addCommand(
    command("validate <dir>", "pluginValidateAbout").action(lazy(async () => (await import("./commands/plugin.ts")).validatePlugin)),
  );
  plugin.addCommand(
    command("add <dir>", "pluginAddAbout")
      .option("--update", say("pluginUpdateOption"))
      .action(personOnly(async () => (await import("./commands/plugin.ts")).addPlugin)),
  );
  plugin.addCommand(command("list", "pluginListAbout").action(lazy(async () => (await import("./commands/plugin.ts")).listPlugins)));
  plugin.addCommand(
    command("remove <name>", "pluginRemoveAbout").action(personOnly(async () => (await import("./commands/plugin.ts")).removePlugin)),
  );
  program.addCommand(plugin);

  const artifacts = command("artifacts", "artifactsAbout").action(
    lazy(async () => (await import("./commands/artifacts.ts")).listArtifacts),
  );
  artifacts.addCommand(
    command("list", "artifactsListAbout").action(lazy(async () => (await import("./commands/artifacts.ts")).listArtifacts)),
  );
  artifacts.addCommand(
    command("show <id>", "artifactsShowAbout")
      .option("--version <n>", say("artifactVersionOption"))
      .action(lazy(async () => (await import("./commands/artifacts.ts")).showArtifact)),
  );
  artifacts.addCommand(
    command("diff <id> <from> <to>", "artifactsDiffAbout").action(lazy(async () => (await import("./commands/artifacts.ts")).diffArtifact)),
  );
  artifacts.addCommand(
    command("export <id> <file>", "artifactsExportAbout")
      .option("--version <n>", say("artifactVersionOption"))
      .action(lazy(async () => (await import("./commands/artifacts.ts")).exportArtifact)),
  );
  artifacts.addCommand(
    command("revert <id> <n>", "artifactsRevertAbout").action(lazy(async () => (await import("./commands/artifacts.ts")).revertArtifact)),
  );
  program.addCommand(artifacts);
  const sessions = command("sessions", "sessionsAbout").action(lazy(async () => (await import("./commands/sessions.ts")).listSessions));
  sessions.addCommand(
    command("export [id]", "sessionsExportAbout").action(lazy(async () => (await import("./commands/sessions.ts")).exportSession)),
  );
  sessions.addCommand(
    command("show [id]", "sessionsShowAbout").action(lazy(async () => (await import("./commands/sessions.ts")).showSession)),
  );
  sessions.addCommand(
    command("fork [id] [name]", "sessionsForkAbout").action(lazy(async () => (await import("./commands/sessions.ts")).forkSession)),
  );
  sessions.addCommand(
    command("delete <id>", "sessionsDeleteAbout").action(lazy(async () => (await import("./commands/sessions.ts")).deleteSession)),
  );
  program.addCommand(sessions);
  program.addCommand(command("doctor", "doctorAbout").action(lazy(async () => (await import("./commands/doctor.ts")).doctor)));
  program.addCommand(
    command("gc", "gcAbout")
      .option("--days <n>", say("daysOption"))
      .option("--dry-run", say("dryRunOption"))
      .action(lazy(async () => (await import("./commands/upkeep.ts")).collectGarbage)),
  );
  const audit = command("audit", "auditAbout");
  const filtered = (one: Command): Command =>
    one
      .option("--kind <kind>", say("auditKindOption"))
      .option("--tool <tool>", say("auditToolOption"))
      .option("--call <id>", say("auditCallOption"))
      .option("--since <time>", say("auditSinceOption"));
  audit.addCommand(command("verify", "auditVerifyAbout").action(lazy(async () => (await import("./commands/audit.ts")).verifyAudit)));
  audit.addCommand(
    filtered(command("export", "auditExportAbout")).action(lazy(async () => (await import("./commands/audit.ts")).exportAudit)),
  );
  audit.addCommand(
    filtered(command("tail", "auditTailAbout"))
      .option("-n, --lines <count>", say("auditLinesOption"))
      .option("-f, --follow", say("auditFollowOption"))
      .action(lazy(async () => (await import("./commands/audit.ts")).tailAudit)),
  );
  program.addCommand(audit);
  program.addCommand(command("demo", "demoAbout").action(lazy(async () => (await import("./commands/demo.ts")).demo)));
  program.addCommand(
    command("completion <shell>", "completionAbout").action(
      lazy(async () => (await import("./commands/completion.ts")).completion(buildProgram())),
    ),
  );
  addExamples(program, "");
  return program;
}

function hookCommand(): Command {
  const hook = command("hook", "hookAbout");
  const mode = (made: Command) => made.option("--mode <mode>", say("modeOption"));
  const settings = (made: Command) => made.option("--settings <file>", say("hookSettingsOption"));
  const answering = (made: Command) =>
    mode(made).option("--when <time>", say("hookWhenOption")).option("--resident", say("hookResidentOption"));
  hook.addCommand(
    answering(command("claude-code", "hookClaudeAbout")).action(lazy(async () => (await import("./commands/hook.ts")).claudeCode)),
  );
  hook.addCommand(answering(command("codex", "hookCodexAbout")).action(lazy(async () => (await import("./commands/hook.ts")).codex)));
  hook.addCommand(
    answering(command("opencode", "hookOpencodeAbout")).action(lazy(async () => (await import("./commands/hook.ts")).opencode)),
  );
  hook.addCommand(answering(command("pi", "hookPiAbout")).action(lazy(async () => (await import("./commands/hook.ts")).pi)));
  hook.addCommand(
    command("resident", "hookResidentAbout")
      .option("--idle <ms>", say("hookIdleOption"))
      .action(lazy(async () => (await import("./commands/hook.ts")).resident)),
  );
  hook.addCommand(
    command("shell [words...]", "hookShellAbout")
      .option("--plain", say("hookPlainOption"))
      .action(lazy(async () => (await import("./commands/hook.ts")).shell)),
  );
  hook.addCommand(
    settings(mode(command("install <agent>", "hookInstallAbout"))).action(lazy(async () => (await import("./commands/hook.ts")).install)),
  );
  hook.addCommand(
    settings(command("uninstall <agent>", "hookUninstallAbout")).action(lazy(async () => (await import("./commands/hook.ts")).uninstall)),
  );
  hook.addCommand(
    settings(command("status <agent>", "hookStatusAbout")).action(lazy(async () => (await import("./commands/hook.ts")).status)),
  );
  return withExamples(hook, [
    "hook install claude-code",
    "hook install codex",
    "hook install opencode",
    "hook status claude-code",
    "hook uninstall claude-code",
  ]);
}

function mcpCommand(): Command {
  const mcp = command("mcp", "mcpAbout")
    .option("--tools <names>", say("mcpToolsOption"))
    .option("--mode <mode>", say("modeOption"))
    .action(lazy(async () => (await import("./commands/mcp.ts")).serveStdio));
  mcp.addCommand(
    command("config <client>", "mcpConfigAbout")
      .option("--tools <names>", say("mcpToolsOption"))
      .option("--mode <mode>", say("modeOption"))
      .option("--replace", say("mcpReplaceOption"))
      .action(lazy(async () => (await import("./commands/mcp.ts")).printClientConfig)),
  );
  mcp.addCommand(
    command("add <name> [words...]", "mcpAddAbout")
      .option("--url <url>", say("mcpUrlOption"))
      .option("--header <line...>", say("mcpHeaderOption"))
      .option("-e, --env <pair...>", say("mcpEnvOption"))
      .action(lazy(async () => (await import("./commands/mcp-servers.ts")).add)),
  );
  mcp.addCommand(command("remove <name>", "mcpRemoveAbout").action(lazy(async () => (await import("./commands/mcp-servers.ts")).remove)));
  mcp.addCommand(command("list", "mcpListAbout").action(lazy(async () => (await import("./commands/mcp-servers.ts")).list)));
  mcp.addCommand(command("test <name>", "mcpTestAbout").action(lazy(async () => (await import("./commands/mcp-servers.ts")).test)));
  mcp.addCommand(command("login <name>", "mcpLoginAbout").action(lazy(async () => (await import("./commands/mcp-servers.ts")).login)));
  mcp.addCommand(command("logout <name>", "mcpLogoutAbout").action(lazy(async () => (await import("./commands/mcp-servers.ts")).logout)));
  return withExamples(mcp, [
    "mcp",
    "mcp --tools Read,Grep,Glob",
    "mcp config claude-code",
    "mcp add docs -- npx -y docs-server",
    "mcp test docs",
    "mcp login docs",
  ]);
}

/** Below every command's help: what one types. Those that have their own above keep them. */
function addExamples(target: Command, words: string): void {
  const form = Object.hasOwn(inputForms, words) ? inputForms[words as keyof typeof inputForms] : undefined;
  if (form !== undefined) target.addHelpText("after", `\n${say(form)}`);
  const examples = Object.hasOwn(helpExamples, words) ? helpExamples[words] : undefined;
  if (!exemplified.has(target)) withExamples(target, examples ?? [plainExample(target, words)]);
  for (const sub of target.commands) addExamples(sub, `${words} ${sub.name()}`.trim());
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

/** Commands that have examples. */
const exemplified = new WeakSet<Command>();

/** The words and the names of the arguments. */
function plainExample(target: Command, words: string): string {
  return [words, ...target.registeredArguments.map((each) => each.name().toUpperCase())].join(" ");
}

function withExamples(target: Command, examples: readonly string[]): Command {
  exemplified.add(target);
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
    .option("--approve <answer>", say("approveOption"))
    .option("--steal-lock", say("stealLockOption"));
}

/** What decides for the person: refused to a process that a command of a model started. */
function personOnly(load: () => Promise<Work>): (...all: unknown[]) => Promise<void> {
  return lazy(async () => {
    const { isWithinCommand } = await import("../compose/index.ts");
    if (!isWithinCommand()) return load();
    throw new ToolFailure("permission_denied", say("notForCommands"), { details: { reason: "within_command" } });
  });
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
