/**
 * What the engine and the policy say, for a person who reads Chinese. They speak English, which models and records need too; here
 * their stable codes (rule ids, kinds of effects, reason codes of errors) are put into words, and the English stays in brackets
 * where it says more. Refuses to know when which code is given.
 */
import type { Decision, Effect, FileChangeKind, Json, JsonObject, ToolError, Verdict } from "../contract/index.ts";
import { locale } from "./messages.ts";
import { oneLine } from "./visible.ts";

const isChinese = locale === "zh";

const verdicts: Readonly<Record<Verdict, string>> = { allow: "允许", ask: "询问", deny: "拒绝" };

/** After `builtin:`. */
const rules: Readonly<Record<string, string>> = {
  agent: "会启动另一个智能体",
  code: "会执行文本中的代码",
  command: "由命令的作用决定",
  confirm: "这个工具每次都要确认",
  device: "涉及设备",
  dotdot: "路径会越出工作目录",
  doubtful: "这次调用不完整或经过修补，需要人看一眼",
  environment: "由环境变量的作用决定",
  forbidden: "属于绝对禁止的操作",
  "hard-link": "该文件在磁盘上还有别的名字",
  inside: "涉及工作目录内的文件",
  "malformed-path": "路径不合规",
  network: "由网络访问的目标决定",
  nobody: "这次调用不属于任何策略",
  outside: "涉及工作目录之外的文件",
  protected: "受保护的文件",
  "read-only": "这个工具不做更改",
  remote: "由外部服务按它自己的规则执行",
  secret: "涉及机密",
  sensitive: "涉及会影响后续操作的文件",
  state: "只涉及本会话的记录",
  system: "涉及系统目录",
  terminal: "输入终端的内容会在那里执行",
  unknown: "无法事先确定会做什么",
  unprintable: "路径含有看不见的字符",
  unread: "文件已存在，但还没有读过",
  "unreadable-rule": "有一条规则无法识别",
  unresolved: "无法确定路径通向哪里",
  "windows-name": "名称在 Windows 上有歧义",
};

const changes: Readonly<Record<FileChangeKind, string>> = {
  create: "创建",
  modify: "修改",
  delete: "删除",
  mode: "更改权限",
  link: "更改链接",
};

/** By `details.reason`, else by code: what happened, and what to do next. */
const errors: Readonly<Record<string, readonly [what: string, next?: string]>> = {
  already_undone: ["这次调用已经撤销过了", "用 karyi history 查看历史。"],
  approval_expired: ["批准已过期", "请重新调用。"],
  approval_used: ["批准已经用过", "请重新调用。"],
  cancelled: ["已取消"],
  changed_since: ["文件在此之后又有改动，撤销会覆盖它们", "先看看这些文件；确定要覆盖时加 --force（之后仍可撤销）。"],
  denied_by_policy: ["策略不允许", "换一种做法，或修改策略；karyi policy explain 会说明原因。"],
  exit_nonzero: ["命令以失败结束"],
  file_not_found: ["文件不存在"],
  invalid_tool_input: ["输入不符合要求", "用 karyi tools show 工具名 查看参数和示例。"],
  is_directory: ["这是目录，不是文件"],
  locked: ["别的调用正在使用它", "稍后再试。"],
  no_change_set: ["没有这次保留的演练", "先用 karyi call … --dry-run --keep 演练，它会给出编号。"],
  no_match: ["找不到要替换的文本"],
  no_overlay: ["这台机器无法演练命令", "用 karyi doctor 查看缺少什么。"],
  no_permission: ["没有权限"],
  no_terminal: ["此会话没有活动的终端", "终端在第一次调用 Terminal 时启动。"],
  nobody_to_ask: ["需要人来批准，而这里没有人可问", "在终端里运行，或加 --approve，或在配置里添加允许规则。"],
  not_unique: ["要替换的文本不止一处"],
  nothing_to_undo: ["没有可以撤销的内容", "用 karyi history 查看做过什么。"],
  output_not_found: ["没有这份保存的输出"],
  permission_denied: ["没有得到允许"],
  plan_changed: ["批准之后，这次调用要做的事变了", "请重新调用，以便按现在的情形询问。"],
  policy_changed: ["批准之后策略变了", "请重新调用，以便按现在的策略判断。"],
  refused: ["没有得到允许", "不要再试同样的操作，先问清想要什么。"],
  workspace_missing: ["工作目录不存在", "用 --workspace 指定一个存在的目录。"],
  session_not_found: ["没有这个会话", "用 karyi sessions 查看。"],
  stale_file: ["文件在读取之后又有改动", "请重新读取。"],
  task_not_found: ["没有这个任务"],
  terminal_busy: ["终端正忙"],
  tier_missing: ["这台机器达不到要求的沙箱等级", "用 karyi doctor 查看缺少什么。"],
  timeout: ["超过了时限", "给更长的 timeout（最多 600000 毫秒），或在后台运行。"],
  tool_conflict: ["与现状冲突"],
  tool_forbidden_path: ["不允许访问这个路径"],
  tool_not_found: ["找不到"],
  unknown_tool: ["没有这个工具", "用 karyi tools 查看全部工具。"],
  value_missing: ["变量没有设置", "用 karyi var set 设置。"],
  workspace_changed: ["工作目录在演练之后又有改动", "请重新演练。"],
};

/** How far a call, an approval or a terminal is. */
const states: Readonly<Record<string, string>> = {
  success: "成功",
  failed: "失败",
  rolled_back: "已撤销",
  waiting: "等待中",
  asked: "待批准",
  pending: "待批准",
  granted: "已批准",
  refused: "已拒绝",
  used: "已使用",
  expired: "已过期",
  void: "已失效",
  idle: "空闲",
  running: "运行中",
};

export function stateWords(state = ""): string {
  return (isChinese ? states[state] : undefined) ?? state;
}

export function verdictWords(verdict: Verdict): string {
  return isChinese ? verdicts[verdict] : verdict;
}

/** Why the policy decided so. */
export function reasonWords(rule: string, reason: string): string {
  if (!isChinese) return reason;
  const words = ruleWords(rule);
  return words === undefined ? reason : `${words}（${reason}）`;
}

/** What a call is about, in a line. The record has it in English. */
export function summaryWords(call: {
  readonly tool: string;
  readonly input: Json;
  readonly effects: readonly Effect[];
  readonly summary: string;
}): string {
  if (!isChinese) return call.summary;
  const input = fieldsOf(call.input);
  if (typeof input.command === "string") {
    const where = input.run_in_background === true ? "在后台运行" : call.tool === "Terminal" ? "在终端里运行" : "运行";
    return `${where}：${oneLine(input.command, 200)}`;
  }
  if (call.tool === "TerminalInput" && typeof input.text === "string") return `在终端里输入：${oneLine(input.text, 200)}`;
  if (call.tool === "TerminalKey" && typeof input.key === "string") return `在终端里按 ${oneLine(input.key)}`;
  if (call.tool === "Undo" && Array.isArray(input.call_ids)) return `撤销 ${input.call_ids.join("、")}`;
  const named = call.effects.filter(({ kind }) => kind !== "state");
  const changing = named.filter(({ kind }) => kind !== "read");
  const acting = changing.length > 0 ? changing : named;
  if (acting.length === 0) return call.summary;
  const shown = acting.slice(0, 3).map(effectWords).join("、");
  return `${call.tool}：${shown}${acting.length > 3 ? ` 等 ${acting.length} 项` : ""}`;
}

/** What the policy says to a call, effect by effect; `english` is the policy's own text. */
export function decisionWords(decision: Decision, english: string, maxEffects = 40): string {
  if (!isChinese) return english;
  const rest = decision.effects.length - maxEffects;
  return [
    `${verdicts[decision.verdict]}：${oneLine(reasonWords(decision.rule, decision.reason), 200)} [${oneLine(decision.rule)}]`,
    ...decision.effects
      .slice(0, maxEffects)
      .map(
        ({ effect, verdict, rule, reason }) =>
          `  ${verdicts[verdict]}  ${effectWords(effect)}：${oneLine(reasonWords(rule, reason), 200)} [${oneLine(rule)}]`,
      ),
    ...(rest > 0 ? [`  还有 ${rest} 项`] : []),
  ].join("\n");
}

/** What went wrong and what to do next, a line each. */
export function errorWords({ code, message, hint, details }: ToolError): string[] {
  if (!isChinese) return [`Error (${code}): ${message}`, ...(hint === undefined ? [] : [`Hint: ${hint}`])];
  const [what, next] = errors[String(details?.reason)] ?? errors[code] ?? [];
  const rule = ruleWords(String(details?.rule ?? ""));
  const advice = next ?? hint;
  return [
    what === undefined ? `错误（${code}）：${message}` : `错误：${what}${rule === undefined ? "" : `，${rule}`}（${message}）`,
    ...(advice === undefined ? [] : [`提示：${advice}`]),
  ];
}

/** The same where no call was made: the command itself could not go on. */
export function failureWords(error: ToolError): string[] {
  return isChinese ? errorWords(error) : [error.message, ...(error.hint === undefined ? [] : [error.hint])];
}

function ruleWords(rule: string): string | undefined {
  if (rule === "") return undefined;
  const builtin = /^builtin:(.*)$/.exec(rule)?.[1];
  return builtin === undefined ? (rule === "hook" ? "由钩子决定" : `配置中的规则 ${rule}`) : rules[builtin];
}

function effectWords(effect: Effect): string {
  switch (effect.kind) {
    case "read":
      return `读取 ${oneLine(effect.path.asked)}${effect.tree ? " 及其下全部" : ""}`;
    case "write":
      return `${changes[effect.change]} ${oneLine(effect.path.asked)}${effect.tree ? " 及其下全部" : ""}`;
    case "run":
      return `运行 ${oneLine(effect.text)}`;
    case "connect":
      return `访问 ${oneLine(effect.url)}（${oneLine(effect.method)}）`;
    case "environment":
      return `设置 ${oneLine(effect.name)}`;
    case "code":
      return `执行 ${oneLine(effect.language)} 代码 ${oneLine(effect.text)}`;
    case "agent":
      return `智能体 ${oneLine(effect.agent)}`;
    case "remote":
      return `${oneLine(effect.server)}：${oneLine(effect.tool)}`;
    case "state":
      return `本会话的记录（${effect.area}）`;
    case "forbidden":
      return "禁止的操作";
    default:
      return "未知的影响";
  }
}

/** Of what is not an object: none. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
