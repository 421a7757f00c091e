/** The rule language as a person learns it: each form with an example, in both languages. Explains; `parse-rule.ts` decides. */

export interface RuleForm {
  readonly form: string;
  readonly example: string;
  readonly en: string;
  readonly zh: string;
}

export const ruleForms: readonly RuleForm[] = [
  { form: "Tool", example: "WebSearch", en: "Every call of this tool.", zh: "此工具的所有调用。" },
  {
    form: "Bash(command)",
    example: "Bash(git status)",
    en: "Exactly this command. Commands of a script are judged one by one, and all must be allowed.",
    zh: "正是这条命令。脚本中的命令逐条判断，全部允许才算允许。",
  },
  {
    form: "Bash(words *)",
    example: "Bash(npm test *)",
    en: "Commands that begin with these words, also without more. * stands for any text; Bash(npm test:*) means the same.",
    zh: "以这些词开头的命令，后面没有内容也算。* 代表任意文本；Bash(npm test:*) 含义相同。",
  },
  {
    form: "Read(glob)",
    example: "Read(private/**)",
    en: "Reading such paths, by every tool and every command. A path counts from the workspace; ~/ is the home, / the root.",
    zh: "读取这些路径，对所有工具和命令有效。路径从工作目录算起；~/ 为主目录，/ 为根目录。",
  },
  {
    form: "Edit(glob) or Write(glob)",
    example: "Edit(src/**)",
    en: "Changing such paths, by every tool and every command.",
    zh: "更改这些路径，对所有工具和命令有效。",
  },
  { form: "OtherTool(glob)", example: "Grep(src/**)", en: "Paths that this one tool touches.", zh: "仅限此工具涉及的路径。" },
  {
    form: "WebFetch(domain:host)",
    example: "WebFetch(domain:example.com)",
    en: "This host. An allow rule means the default port only; a deny rule means subdomains and every port too.",
    zh: "此主机。allow 只指默认端口；deny 也包括子域名和所有端口。",
  },
  {
    form: "WebFetch(domain:*.host:port)",
    example: "WebFetch(domain:*.example.com:8443)",
    en: "Subdomains of a host, at this port.",
    zh: "某主机的子域名，限此端口。",
  },
  { form: "Agent(name)", example: "Agent(search)", en: "Starting this agent.", zh: "启动此智能体。" },
  {
    form: "mcp__server",
    example: "mcp__github",
    en: "Every tool of an MCP server.",
    zh: "某 MCP 服务器的全部工具。",
  },
  {
    form: "mcp__server__tool",
    example: "mcp__github__list_*",
    en: "One tool of an MCP server, or with * at the end those whose names begin so.",
    zh: "MCP 服务器的一个工具；末尾用 * 表示名称以此开头的工具。",
  },
  { form: "plugin:tool", example: "lint:fix", en: "A tool of a plugin.", zh: "插件的工具。" },
];

/** How rules work together. */
export const ruleNotes: readonly { readonly en: string; readonly zh: string }[] = [
  {
    en: "deny wins over ask, ask over allow, and a rule over the mode. What is denied by Karyi itself no rule allows.",
    zh: "deny 优先于 ask，ask 优先于 allow，规则优先于模式。Karyi 自身禁止的事没有规则可以放行。",
  },
  {
    en: "An allow rule must match the whole path or command; a deny or ask rule also holds for everything below a directory it names, for a bare file name at any depth, and for a program behind a wrapper such as env.",
    zh: "allow 须与整个路径或命令相符；deny 和 ask 也适用于所指目录之下的一切、任意深度的同名文件，以及 env 等包装之后的程序。",
  },
  {
    en: "A secret file (.env, keys) is allowed only by a rule that spells its name out.",
    zh: "机密文件（.env、密钥）只有写明其名称的规则才能放行。",
  },
  {
    en: "A rule that cannot be read, or names a tool that does not exist, is an error; it is never ignored.",
    zh: "无法识别的规则，或指向不存在工具的规则，都是错误，绝不会被忽略。",
  },
];
