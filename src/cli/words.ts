/**
 * What the engine and the policy say, for a person who reads Chinese. They speak English, which models and records need too; here
 * their stable codes (rule ids, kinds of effects, reason codes of errors) are put into words, and the English stays in brackets
 * where it says more. Refuses to know when which code is given.
 */
import {
  type Because,
  type Decision,
  type Effect,
  errorText,
  isBecause,
  type Json,
  type JsonObject,
  reasonText,
  type ToolError,
  type Verdict,
} from "../contract/index.ts";
import { effectWords } from "./effect-words.ts";
import { errorsInChinese } from "./error-words.ts";
import { locale } from "./messages.ts";
import { oneLine } from "./visible.ts";

const isChinese = locale === "zh";

const verdicts: Readonly<Record<Verdict, string>> = { allow: "允许", rehearse: "先试运行", ask: "询问", deny: "拒绝" };

/** After `builtin:`. */
export const rulesInChinese: Readonly<Record<string, string>> = {
  agent: "会启动另一个智能体",
  code: "会执行文本中的代码",
  command: "由命令的作用决定",
  confirm: "这个工具每次都要确认",
  device: "涉及设备",
  direct: "由本人直接发起",
  dotdot: "路径会越出工作目录",
  doubtful: "这次调用不完整或经过修复，需要人看一眼",
  environment: "由环境变量的作用决定",
  forbidden: "属于绝对禁止的操作",
  "hard-link": "该文件在磁盘上还有别的名字",
  inside: "涉及工作目录内的文件",
  judged: "另一个智能体已经问过",
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
  temporary: "位于会话自己的临时目录",
  terminal: "输入终端的内容会在那里执行",
  unknown: "无法事先确定会做什么",
  unprintable: "路径含有看不见的字符",
  unread: "文件已存在，但还没有读过",
  "unreadable-rule": "有一条规则无法识别",
  unresolved: "无法确定路径通向哪里",
  "windows-name": "名称在 Windows 上有歧义",
  withheld: "对命令来说它不存在",
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

/** Why the policy decided so; a record of an earlier version knows no code, and is told by its rule. */
export function reasonWords({
  rule,
  reason,
  because,
}: {
  readonly rule: string;
  readonly reason: string;
  readonly because?: Because;
}): string {
  if (!isChinese) return reason;
  if (isBecause(because)) return reasonText(because, "zh");
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
  const shown = acting
    .slice(0, 3)
    .map((effect) => effectWords(effect))
    .join("、");
  return `${call.tool}：${shown}${acting.length > 3 ? ` 等 ${acting.length} 项` : ""}`;
}

/** What the policy says to a call, effect by effect; `english` is the policy's own text. */
export function decisionWords(decision: Decision, english: string, maxEffects = 40): string {
  if (!isChinese) return english;
  const rest = decision.effects.length - maxEffects;
  return [
    `${verdicts[decision.verdict]}：${oneLine(reasonWords(decision), 200)} [${oneLine(decision.rule)}]`,
    ...decision.effects
      .slice(0, maxEffects)
      .flatMap(({ effect, verdict, rule, overruled, ...why }) => [
        `  ${verdicts[verdict]}  ${effectWords(effect)}：${oneLine(reasonWords({ rule, ...why }), 200)} [${oneLine(rule)}]`,
        ...(overruled === undefined ? [] : [`        规则 ${oneLine(overruled)} 允许它，但在这里不起作用`]),
      ]),
    ...(rest > 0 ? [`  还有 ${rest} 项`] : []),
  ].join("\n");
}

/** What went wrong and what to do next, a line each. */
export function errorWords({ code, message, hint, details }: ToolError): string[] {
  if (!isChinese) return errorText({ code, message, ...(hint === undefined ? {} : { hint }) }).split("\n");
  const reason = details?.by_mode === true ? "plan_mode" : String(details?.reason);
  const [what, next] = errorsInChinese[reason] ?? errorsInChinese[code] ?? [];
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
  return builtin === undefined ? (rule === "hook" ? "由钩子决定" : `配置中的规则 ${rule}`) : rulesInChinese[builtin];
}

/** Of what is not an object: none. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
