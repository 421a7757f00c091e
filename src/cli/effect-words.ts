/** Effects for a person, a few words each, in their language; paths as one writes them in the workspace. */
import type { Effect, FileChangeKind } from "../contract/index.ts";
import { within } from "./changes-words.ts";
import { locale } from "./messages.ts";
import { oneLine } from "./visible.ts";

const isChinese = locale === "zh";

const changes: Readonly<Record<FileChangeKind, string>> = {
  create: "创建",
  modify: "修改",
  delete: "删除",
  mode: "更改权限",
  link: "更改链接",
};

export function effectWords(effect: Effect, workspace = ""): string {
  return isChinese ? chineseWords(effect, workspace) : englishWords(effect, workspace);
}

const pathOf = (path: string, workspace: string): string => oneLine(workspace === "" ? path : within(path, workspace));

function englishWords(effect: Effect, workspace: string): string {
  switch (effect.kind) {
    case "read":
      return `read ${pathOf(effect.path.asked, workspace)}${effect.tree ? " and all below" : ""}`;
    case "write":
      return `${effect.change} ${pathOf(effect.path.asked, workspace)}${effect.tree ? " and all below" : ""}`;
    case "run":
      return `run ${oneLine(effect.text)}`;
    case "connect":
      return `${oneLine(effect.method)} ${oneLine(effect.url)}`;
    case "environment":
      return `set ${oneLine(effect.name)}`;
    case "code":
      return `run ${oneLine(effect.language)} code ${oneLine(effect.text)}`;
    case "agent":
      return `start the agent ${oneLine(effect.agent)}`;
    case "remote":
      return `${oneLine(effect.server)}: ${oneLine(effect.tool)}`;
    case "state":
      return `this session's ${effect.area}`;
    case "forbidden":
      return "something that is never allowed";
    default:
      return "something that is not known beforehand";
  }
}

function chineseWords(effect: Effect, workspace: string): string {
  switch (effect.kind) {
    case "read":
      return `读取 ${pathOf(effect.path.asked, workspace)}${effect.tree ? " 及其下全部" : ""}`;
    case "write":
      return `${changes[effect.change]} ${pathOf(effect.path.asked, workspace)}${effect.tree ? " 及其下全部" : ""}`;
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
