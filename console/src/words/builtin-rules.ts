/** What Karyi decides by itself where no rule of a person says otherwise; names as in `builtin:NAME`. */
export const builtinRules: readonly { readonly name: string; readonly en: string; readonly zh: string }[] = [
  { name: "inside", en: "Files in the workspace: read freely, asked about before a change", zh: "工作目录里的文件：可以读，改之前会询问" },
  { name: "outside", en: "Files outside the workspace: asked about", zh: "工作目录以外的文件：会询问" },
  { name: "secret", en: "Files and variables that hold secrets: asked about or kept away", zh: "含机密的文件和变量：会询问或不给看" },
  { name: "sensitive", en: "Files that run later by themselves: asked about", zh: "以后会自行运行的文件：会询问" },
  { name: "system", en: "System directories: never changed", zh: "系统目录：绝不改动" },
  { name: "command", en: "Commands: tried out first, run freely if they only read", zh: "命令：先试运行；只读的直接运行" },
  { name: "terminal", en: "What is typed into a terminal: asked about", zh: "输入终端的内容：会询问" },
  { name: "code", en: "Code that is run: asked about", zh: "运行代码：会询问" },
  { name: "network", en: "Hosts: public pages may be read, others are asked about", zh: "网络：可以读公开网页，其他会询问" },
  { name: "remote", en: "Tools of other servers: asked about", zh: "其他服务的工具：会询问" },
  { name: "agent", en: "Sub-agents: started freely, held to the same rules", zh: "子智能体：可以启动，受同样的规则约束" },
  { name: "doubtful", en: "Calls that were repaired and would change something: asked about", zh: "经过修复且会做改动的调用：会询问" },
  {
    name: "forbidden",
    en: "What would destroy this machine or Karyi’s own records: never",
    zh: "会毁坏本机或 Karyi 自身记录的操作：绝不允许",
  },
];
