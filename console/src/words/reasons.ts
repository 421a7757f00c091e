/** Why the policy decided so, in the reader's language: told by the rule; a rule of a person's own is shown as it is. */
import type { Language } from "./words.ts";

const byRule: Readonly<Record<string, string>> = {
  code: "会运行一段代码",
  command: "命令的作用无法事先完全看懂",
  device: "涉及设备",
  dotdot: "路径会越出工作目录",
  doubtful: "这次调用不完整或经过修补，需要人看一眼",
  environment: "由环境变量的作用决定",
  forbidden: "属于绝对禁止的操作",
  "hard-link": "该文件在磁盘上还有别的名字",
  inside: "涉及工作目录内的文件",
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
  unread: "文件已存在，但还没有读过",
};

/** What a rule says of something that it lets through. */
const ofAllowed: Readonly<Record<string, string>> = { command: "命令的作用全部看得懂", inside: "位于工作目录内" };

export function reasonWords(rule: string, reason: string, language: Language, verdict?: string): string {
  if (language === "en") return reason === "" ? rule : reason;
  const name = rule.replace(/^builtin:/, "");
  return (verdict === "allow" ? ofAllowed[name] : undefined) ?? byRule[name] ?? reason;
}
