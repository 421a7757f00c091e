/** The findings of `karyi doctor` for a person who reads Chinese; told by the name of the check, what it found stays as it is. */
import type { Check } from "../compose/index.ts";
import type { SandboxTier } from "../contract/index.ts";
import { locale } from "./messages.ts";

const names: Readonly<Record<string, string>> = { workspace: "工作目录", home: "主目录", disk: "磁盘", config: "配置" };

const tiers: Readonly<Record<SandboxTier, readonly [what: string, install?: string]>> = {
  E0: [
    "常驻的小进程为每条命令新建一个世界：可试运行、可捕获、可撤销，过滤系统调用，被隐藏的文件读不到",
    "需要 Linux 5.12 或更新并允许用户命名空间。Debian：apt install perl-base tar",
  ],
  E1: [
    "bubblewrap 自带的覆盖层：命令可试运行、可捕获、可撤销，并过滤系统调用",
    "需要 bubblewrap 0.11 或更新。Debian 13 起：apt install bubblewrap coreutils tar",
  ],
  E2: [
    "bubblewrap：命令可试运行、可捕获、可撤销，并过滤系统调用",
    "需要 bubblewrap 0.8 或更新。Debian：apt install bubblewrap util-linux mount tar",
  ],
  E2u: [
    "只靠 util-linux：命令可试运行、可捕获、可撤销，不过滤系统调用",
    "Debian：apt install util-linux mount tar；并允许用户命名空间（sysctl -w user.max_user_namespaces=10000）",
  ],
  E3: ["只限制、不捕获，用于长时间运行的命令", "Debian：apt install util-linux mount tar；并允许用户命名空间"],
  E4: [
    "Landlock：不用命名空间也能限制；靠快照撤销，不能试运行",
    "需要 Linux 6.2 或更新并启用 Landlock。Debian：apt install perl util-linux",
  ],
  E5: ["只有进程组：时限有效、结束干净，但不受限制"],
};

export function checkName({ name }: Check): string {
  return (locale === "zh" ? names[name] : undefined) ?? name;
}

export function checkWords({ name, state, detail, values, tier }: Check): string {
  if (locale !== "zh") return detail;
  if (tier) return tier.standing === "absent" ? `${tiers[tier.name][0]}（${detail}）` : tiers[tier.name][0];
  if (name === "disk" && values) return `${values[1]} 还有 ${values[0]} MiB 可用`;
  if (name === "config" && values) return `模式 ${values[0]}；允许规则 ${values[1]} 条，询问 ${values[2]} 条，拒绝 ${values[3]} 条`;
  return (name === "bash" || name === "git") && state !== "ok" ? "没有找到" : detail;
}

export function adviceWords({ name, advice, values, tier }: Check): string | undefined {
  if (locale !== "zh" || advice === undefined) return advice;
  if (tier) return tiers[tier.name][1] ?? advice;
  if (name === "disk") return "请腾出一些空间，或运行：karyi gc";
  if (name === "node") return "请安装 Node 20 或更新的版本。";
  if (name === "bash" || name === "git") return `请安装。Debian：apt install ${name}`;
  if (name === "workspace" || name === "home") return `请让 ${values?.[0]} 可读写，或用 --${name} 另选一个。`;
  return advice;
}
