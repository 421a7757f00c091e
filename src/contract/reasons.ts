/**
 * Owns why the policy decided so: a code with what it names, and its sentence in each language (C9).
 * Refuses to be parsed back: who wants another language renders the code anew, and never reads a sentence.
 */

type ReasonLanguage = "en" | "zh";

/** `{name}` is a parameter: a path, a host, somebody's own words, or a reason inside this one. */
export const reasons = {
  agent_starts: { en: "starts the agent {agent}, whose calls are judged one by one", zh: "会启动智能体 {agent}，它的调用逐个判定" },
  allowed_domain: { en: "{host} is an allowed domain", zh: "{host} 是允许的域名" },
  allowed_domain_port: {
    en: "{host} is an allowed domain, but port {port} is not the web's",
    zh: "{host} 是允许的域名，但端口 {port} 不是网页用的",
  },
  answered_by_caller: { en: "the caller wants exactly this", zh: "发起者要的正是这个操作" },
  answered_elsewhere: { en: "the agent that made the call has judged it", zh: "发起调用的智能体已经判定过" },
  carries_login: { en: "the address of {host} carries a user name or password", zh: "{host} 的地址里带有用户名或密码" },
  carries_private_address: {
    en: "{host} carries the address {address}, which is not public",
    zh: "{host} 里含有地址 {address}，它不是公网地址",
  },
  carries_secret: { en: "the address of {host} would carry a secret value", zh: "发往 {host} 的地址里会带上机密" },
  code_from_text: { en: "it runs {language} code from a text", zh: "会运行一段 {language} 代码" },
  command_known: { en: "everything {program} does here is known", zh: "{program} 在这里的作用全部看得懂" },
  command_unknown: { en: "what {program} would do is not known", zh: "看不懂 {program} 会做什么" },
  command_unknown_why: { en: "{why}", zh: "命令的作用无法事先完全看懂：{why}" },
  command_would_create: { en: "the command would create {path}", zh: "命令会新建 {path}" },
  command_would_modify: { en: "the command would change {path}", zh: "命令会修改 {path}" },
  command_would_delete: { en: "the command would delete {path}", zh: "命令会删除 {path}" },
  command_would_mode: { en: "the command would change the mode of {path}", zh: "命令会更改 {path} 的权限" },
  command_would_link: { en: "the command would link {path}", zh: "命令会把 {path} 做成链接" },
  confirmed: { en: "this tool is confirmed every time", zh: "这个工具每次都要确认" },
  control_plane: { en: "{host} is a cloud's own control plane", zh: "{host} 是云平台自己的控制面" },
  device: { en: "{path} is a device", zh: "{path} 是设备" },
  dotdot: { en: '{path} leaves the workspace through ".."', zh: "{path} 经由“..”越出工作目录" },
  dotdot_link: { en: '{path} leaves the workspace through a link and ".."', zh: "{path} 经由链接和“..”越出工作目录" },
  doubtful: {
    en: "the call was cut off or had to be repaired, so a person looks at what it would do",
    zh: "这次调用不完整或经过修复，需要人看一眼它会做什么",
  },
  environment_loads: { en: "{name} loads foreign code into every program", zh: "{name} 会让每个程序都加载外来代码" },
  environment_sets: { en: "{name} only sets a value", zh: "{name} 只是设置一个值" },
  environment_steers: { en: "{name} changes what later commands run", zh: "{name} 会改变以后的命令运行什么" },
  forbidden: { en: "{why}", zh: "属于绝对禁止的操作：{why}" },
  foreign_port: { en: "port {port} belongs to another service than the web", zh: "端口 {port} 属于网页以外的服务" },
  git_breaks: { en: "removing or rewriting parts of .git breaks the repository", zh: "删除或改写 .git 的一部分会损坏仓库" },
  git_home: { en: ".git itself says where a repository keeps its code and hooks", zh: ".git 本身决定仓库的代码和钩子放在哪里" },
  git_own: { en: "git's own files are not for editing", zh: "git 自己的文件不该编辑" },
  git_runs: { en: "git would run what stands there", zh: "git 会运行那里的内容" },
  git_hook: { en: "it looks like a git hook", zh: "它像是 git 钩子" },
  hard_link_read: {
    en: "{path} has other names elsewhere on the disk, which may be secret",
    zh: "{path} 在磁盘上还有别的名字，可能是机密",
  },
  hard_link_write: {
    en: "{path} has other names elsewhere on the disk, which would change too",
    zh: "{path} 在磁盘上还有别的名字，也会一起改变",
  },
  harmless_device: { en: "{path} is nowhere or the command's own stream", zh: "{path} 不指向任何文件，或是命令自己的数据流" },
  hook: { en: "decided by a hook", zh: "由钩子决定" },
  hook_words: { en: "{why}", zh: "由钩子决定：{why}" },
  includes_home: { en: "{path} includes the person's credentials", zh: "{path} 之下有个人凭据" },
  includes_home_or_system: {
    en: "everything below {path} would include the person's credentials or the system's files",
    zh: "{path} 之下的全部内容会包括个人凭据或系统文件",
  },
  inside: { en: "{path} is inside the workspace", zh: "{path} 在工作目录内" },
  inside_create: { en: "creates {path} inside the workspace", zh: "在工作目录内新建 {path}" },
  inside_modify: { en: "changes {path} inside the workspace", zh: "修改工作目录内的 {path}" },
  inside_delete: { en: "deletes {path} inside the workspace", zh: "删除工作目录内的 {path}" },
  inside_mode: { en: "changes the mode of {path} inside the workspace", zh: "更改工作目录内 {path} 的权限" },
  inside_link: { en: "links {path} inside the workspace", zh: "把工作目录内的 {path} 做成链接" },
  karyi_read: { en: "{path} is Karyi's own state, which is not read through tools", zh: "{path} 是 Karyi 自己的数据，不通过工具读取" },
  karyi_write: { en: "{path} is Karyi's own state, which is not written through tools", zh: "{path} 是 Karyi 自己的数据，不通过工具写入" },
  local_name: { en: "{host} is a name of this machine or this network", zh: "{host} 是本机或本地网络里的名字" },
  mirror_name: { en: "names under {host} resolve to any address", zh: "{host} 之下的名字可以解析到任何地址" },
  no_policy: { en: "the call belongs to no policy", zh: "这次调用不属于任何策略" },
  not_allowed_domain: { en: "{host} is not an allowed domain", zh: "{host} 不是允许的域名" },
  not_in_toolkit: {
    en: "this call is not available in {agent}'s toolkit, which has {tools}",
    zh: "{agent} 的工具集里没有这个调用，只有 {tools}",
  },
  not_public: { en: "{host} is not a public address", zh: "{host} 不是公网地址" },
  nothing_judged: { en: "nothing was judged", zh: "没有可以判定的内容" },
  opened_by_rule: { en: "a rule opens this system directory", zh: "有一条规则开放了这个系统目录" },
  outside: { en: "{path} is outside the workspace", zh: "{path} 在工作目录之外" },
  outside_secret: { en: "{path} is outside the workspace and {why}", zh: "{path} 在工作目录之外，而且 {why}" },
  outside_write: { en: "{path} is outside the workspace, where nothing is written", zh: "{path} 在工作目录之外，那里不写入任何内容" },
  own_agent_config: { en: "{name} is an agent's own configuration", zh: "{name} 是智能体自己的配置" },
  own_agent_state: { en: "{name} holds an agent's own settings and state", zh: "{name} 存放智能体自己的设置和数据" },
  own_record: { en: "concerns only this session's {area}", zh: "只涉及本会话的记录（{area}）" },
  own_temporary: { en: "{path} is in the session's own temporary directory", zh: "{path} 在会话自己的临时目录里" },
  path_empty: { en: "the path is refused: it is empty", zh: "路径不合规：它是空的" },
  path_half: { en: "the path is refused: it holds half a character", zh: "路径不合规：含有半个字符" },
  path_long: { en: "the path is refused: it is longer than the system can open", zh: "路径不合规：长得系统打不开" },
  path_nowhere: { en: "the path is refused: it cannot be placed", zh: "路径不合规：无法确定它在哪里" },
  path_nul: { en: "the path is refused: it holds a NUL byte", zh: "路径不合规：含有 NUL 字节" },
  person_credentials: { en: "{path} holds the person's own credentials", zh: "{path} 存放个人凭据" },
  pipe_read: { en: "a named pipe is no file that a tool reads", zh: "命名管道不是工具读取的文件" },
  plan_mode: { en: "{why}; in plan mode nothing is changed", zh: "{why}；计划模式下什么都不改动" },
  protected_write: { en: "writing {path} is refused: {why}", zh: "不允许写入 {path}：{why}" },
  protocol: { en: "the command speaks {protocol} with {host}", zh: "命令会用 {protocol} 与 {host} 通信" },
  reaches_git: { en: "it reaches everything in {path}, .git too", zh: "会触及 {path} 里的全部内容，包括 .git" },
  remote: { en: "{server} does {tool} by its own rules", zh: "{tool} 由 {server} 按它自己的规则执行" },
  resolves_private: { en: "{host} resolves to {address}, which is not a public address", zh: "{host} 解析到 {address}，它不是公网地址" },
  rule_allows: { en: "a rule allows it ({why})", zh: "有一条规则允许（{why}）" },
  rule_asks: { en: "a rule asks about it", zh: "有一条规则要求询问" },
  rule_asks_below: { en: "a rule asks about files below this directory", zh: "有一条规则要求询问这个目录下的文件" },
  rule_forbids: { en: "a rule forbids it", zh: "有一条规则禁止" },
  rule_forbids_below: { en: "a rule forbids files below this directory", zh: "有一条规则禁止这个目录下的文件" },
  runs_code_later: { en: "{name} can make other programs run code", zh: "{name} 能让别的程序运行代码" },
  runs_later: { en: "{name} decides what is run or trusted later", zh: "{name} 决定以后运行或信任什么" },
  search_engine: { en: "the configured search engine is asked", zh: "只访问配置好的搜索引擎" },
  secret_here: { en: "{name} here holds credentials", zh: "这里的 {name} 存放凭据" },
  secret_name: { en: "{name} looks like a secret", zh: "{name} 像是机密文件" },
  secret_path: { en: "{path}: {why}", zh: "{path}：{why}" },
  secret_sent: { en: "{why}; the same call would send data out", zh: "{why}；同一个调用还会把数据发出去" },
  secret_store: { en: "{name} holds credentials", zh: "{name} 存放凭据" },
  secret_shown: { en: "{why}", zh: "显示的内容里可能有机密：{why}" },
  sends_data: { en: "{method} sends data to {host}", zh: "{method} 会把数据发给 {host}" },
  sensitive_write: { en: "writing {path}: {why}", zh: "写入 {path}：{why}" },
  start_up: { en: "{name} is read by every new shell or git command", zh: "每个新的 shell 或 git 命令都会读取 {name}" },
  system: { en: "{path} is in the system directory {directory}", zh: "{path} 在系统目录 {directory} 里" },
  system_closed: {
    en: "{path} is in the system directory {directory}, which no rule opens",
    zh: "{path} 在系统目录 {directory} 里，没有规则开放它",
  },
  system_open: {
    en: "{path} is in the system directory {directory}, which anybody may read",
    zh: "{path} 在系统目录 {directory} 里，任何人都可以读取",
  },
  terminal_runs: { en: "what is typed into a terminal is run there", zh: "输入终端的内容会在那里运行" },
  tool_reads: { en: "the tool changes nothing", zh: "这个工具不做更改" },
  tool_silent: { en: "the tool does not say what it would change", zh: "这个工具没有说明它会改什么" },
  unasked_in_auto: { en: "{why}; nobody is asked in auto mode", zh: "{why}；自动模式下不询问任何人" },
  unknown_kind: { en: "its effect is of a kind that is not known here", zh: "它的影响属于这里不认识的种类" },
  unknown_why: { en: "{why}", zh: "无法事先确定会做什么：{why}" },
  unprintable: { en: "{path} holds characters that cannot be seen", zh: "{path} 含有看不见的字符" },
  unread: {
    en: "{path} exists and was never read here: read it before replacing it",
    zh: "{path} 已经存在，但在这里还没有读过：先读再替换",
  },
  unreadable_rule: { en: "the rule {rule} cannot be read", zh: "规则 {rule} 无法识别" },
  unresolved: { en: "where {path} leads cannot be seen", zh: "看不出 {path} 通向哪里" },
  unresolved_write: {
    en: "where {path} leads cannot be seen, so nothing is written there",
    zh: "看不出 {path} 通向哪里，所以不往那里写入",
  },
  url_backslash: { en: "{url} holds a backslash, which programs read differently", zh: "{url} 含有反斜杠，各个程序的理解不同" },
  url_half: { en: "the address holds half a character", zh: "地址含有半个字符" },
  url_hides_host: { en: "{url} hides its host", zh: "{url} 掩盖了它的主机" },
  url_invisible: { en: "{url} holds characters that cannot be seen", zh: "{url} 含有看不见的字符" },
  url_long: { en: "{url} is longer than an address needs to be", zh: "{url} 长得不像正常地址" },
  url_long_host: { en: "{url} has a host name that cannot exist", zh: "{url} 的主机名不可能存在" },
  url_no_host: { en: "{url} names no host", zh: "{url} 没有写出主机" },
  url_not: { en: "{url} is not an address", zh: "{url} 不是地址" },
  url_not_http: { en: "{url} is not an http or https address", zh: "{url} 不是 http 或 https 地址" },
  url_not_written: { en: "{url} is not written as scheme://host", zh: "{url} 没有写成 scheme://host 的形式" },
  windows_device: {
    en: "the path is refused: it names a device, past the file system's own rules",
    zh: "路径不合规：它绕过文件系统的规则指向设备",
  },
  windows_dots: {
    en: "the path is refused: Windows reads these dots and spaces as another directory",
    zh: "路径不合规：Windows 会把这些点和空格当成别的目录",
  },
  windows_drive: { en: "the path is refused: it names no drive", zh: "路径不合规：没有写出盘符" },
  windows_drops: { en: "Windows drops the dots and spaces at the end of a name", zh: "Windows 会去掉名称末尾的点和空格" },
  windows_letter: {
    en: "the path is refused: it holds a character that no Windows name can have",
    zh: "路径不合规：含有 Windows 名称不能有的字符",
  },
  windows_machine: {
    en: "the path is refused: it is on another machine, which would learn who asks",
    zh: "路径不合规：它在另一台机器上，对方会知道是谁在访问",
  },
  windows_relative: {
    en: "the path is refused: it is relative to a drive's hidden current directory",
    zh: "路径不合规：它相对于盘符里看不见的当前目录",
  },
  windows_reserved: { en: "the path is refused: it is a reserved device name", zh: "路径不合规：它是保留的设备名" },
  windows_short: { en: "a short name can be another name for a secret file", zh: "短文件名可能是机密文件的别名" },
  windows_short_write: {
    en: "the path is refused: a short name can be another name for a protected file",
    zh: "路径不合规：短文件名可能是受保护文件的别名",
  },
  windows_stream: { en: "the path is refused: it names a stream hidden behind a file", zh: "路径不合规：它指向藏在文件后面的数据流" },
  withheld: { en: "{why}; it is not there for the command", zh: "{why}；对命令来说它不存在" },
  workspace_itself: { en: "{path} is the workspace itself", zh: "{path} 就是工作目录本身" },
} as const satisfies Readonly<Record<string, Readonly<Record<ReasonLanguage, string>>>>;

export type ReasonCode = keyof typeof reasons;

/** A reason as data: what is stored, sent and rendered. */
export interface Because {
  readonly code: ReasonCode;
  readonly params?: Readonly<Record<string, string | Because>>;
}

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type ParamsOf<Code extends ReasonCode> = [Names<(typeof reasons)[Code]["en"]>] extends [never]
  ? []
  : [params: Readonly<Record<Names<(typeof reasons)[Code]["en"]>, string | Because>>];

export function because<Code extends ReasonCode>(code: Code, ...[params]: ParamsOf<Code>): Because {
  return params === undefined ? { code } : { code, params };
}

/** Texts in pieces, every second one a parameter's name: cut once, because a decision is made at every call. */
const pieces = { en: new Map<string, readonly string[]>(), zh: new Map<string, readonly string[]>() };

export function reasonText({ code, params }: Because, language: ReasonLanguage = "en"): string {
  let cut = pieces[language].get(code);
  if (cut === undefined) {
    cut = reasons[code][language].split(/\{(\w+)\}/);
    pieces[language].set(code, cut);
  }
  let text = cut[0] ?? "";
  for (let at = 1; at < cut.length; at += 2) {
    const value = params?.[cut[at] ?? ""] ?? "";
    text += (typeof value === "string" ? value : reasonText(value, language)) + (cut[at + 1] ?? "");
  }
  return text;
}

/** Of a record of another version, whose code may not be known here. */
export function isBecause(value: unknown): value is Because {
  return (
    typeof value === "object" && value !== null && "code" in value && typeof value.code === "string" && Object.hasOwn(reasons, value.code)
  );
}
