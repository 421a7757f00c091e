/** The keys of the configuration: each with its schema and, beside it, its words. A new key stands here or in a part such as `config-web.ts`. */
import { z } from "zod";
import { modes } from "../contract/index.ts";
import { agentKeys } from "./config-agents.ts";
import { mcpSchema, mcpServersSchema } from "./config-mcp.ts";
import { said } from "./config-said.ts";
import { webSchema } from "./config-web.ts";

/** Values that hold if no layer says otherwise. */
export const defaults = {
  mode: "default",
  deferThreshold: 15,
  maxOutputBytes: 256 * 1024,
  callTimeoutMs: 600_000,
  lockTimeoutMs: 60_000,
  approvalTtlHours: 7 * 24,
  retentionDays: 30,
  retentionOutputBytes: 1 << 30,
  missingValue: "interactive",
  edits: "exact",
  commands: "rehearse",
  capture: "auto",
  requestsPerMinute: 600,
  maxBodyBytes: 10 * 1024 * 1024,
} as const;

const ruleList = z.array(z.string());

/** Every key has its words beside it: `.meta(said(…))`. */
export const configSchema = z.strictObject({
  mode: z
    .enum(modes)
    .meta(
      said(
        "How much is allowed without a question: plan only reads, default asks before changes, accept-edits edits files, auto also runs confined commands.",
        "无需询问即可做的事：plan 只读，default 更改前询问，accept-edits 可编辑文件，auto 还可运行受限的命令。",
        { default: defaults.mode },
      ),
    )
    .optional(),
  permissions: z
    .strictObject({
      allow: ruleList
        .meta(said("Rules for calls that run without a question.", "无需询问即可执行的调用规则。", { examples: [["Bash(npm test *)"]] }))
        .optional(),
      ask: ruleList
        .meta(said("Rules for calls that are always asked about.", "总要询问的调用规则。", { examples: [["Bash(git push *)"]] }))
        .optional(),
      deny: ruleList
        .meta(
          said("Rules for calls that are refused, whatever else allows them.", "一律拒绝的调用规则，优先于其他规则。", {
            examples: [["Read(private/**)"]],
          }),
        )
        .optional(),
    })
    .meta(
      said(
        "Rules in three lists; deny wins over ask, ask over allow. Lists of all layers add up.",
        "三个规则列表；deny 优先于 ask，ask 优先于 allow。各层的列表相加。",
      ),
    )
    .optional(),
  roots: z
    .array(z.string())
    .meta(
      said("Further directories that count as the workspace.", "同样视为工作目录的其他目录。", { default: [], examples: [["../shared"]] }),
    )
    .optional(),
  systemPaths: z
    .enum(["denied", "open"])
    .meta(
      said(
        "denied: no tool reads a system directory. open: system directories are read after asking. One layer that denies is enough.",
        "denied：任何工具都不读系统目录；open：询问后可读。任何一层拒绝即为拒绝。",
        { default: "open" },
      ),
    )
    .optional(),
  allowedDomains: z
    .array(z.string())
    .meta(said("Hosts that may be fetched without asking.", "无需询问即可抓取的主机。", { default: [], examples: [["example.com"]] }))
    .optional(),
  hooks: z
    .array(
      z.strictObject({
        event: z.enum(["before", "after"]).meta(said("Whether the command runs before or after the call.", "命令在调用之前还是之后运行。")),
        match: z
          .string()
          .meta(
            said(
              "Names of the tools it is about, parted by |, with * for any text; absent: all.",
              "所针对的工具名，以 | 分隔，* 代表任意文本；省略则为全部。",
            ),
          )
          .optional(),
        command: z.string().meta(said("A command that gets the call as JSON on stdin.", "从标准输入得到调用（JSON）的命令。")),
        timeoutMs: z.number().int().positive().meta(said("How long the command may take.", "命令的时限（毫秒）。")).optional(),
      }),
    )
    .meta(
      said(
        "Commands run around calls; one before a call can tighten the decision, or answer a question.",
        "在调用前后运行的命令；调用之前的可以收紧决定，或回答询问。",
        {
          default: [],
        },
      ),
    )
    .optional(),
  deferThreshold: z
    .number()
    .int()
    .nonnegative()
    .meta(
      said(
        "Above this many tools only the core is shown to a model; the rest is found by ToolSearch.",
        "工具多于此数时只向模型展示核心工具，其余由 ToolSearch 查找。",
        { default: defaults.deferThreshold },
      ),
    )
    .optional(),
  maxOutputBytes: z
    .number()
    .int()
    .min(1024)
    .meta(
      said("How much of a result's text is given; the whole is kept and can be read.", "结果文本的上限；全文会保留，可再读取。", {
        default: defaults.maxOutputBytes,
      }),
    )
    .optional(),
  callTimeoutMs: z
    .number()
    .int()
    .positive()
    .meta(
      said("How long a call may run if its tool sets no limit.", "工具没有规定时限时，一次调用的时限（毫秒）。", {
        default: defaults.callTimeoutMs,
      }),
    )
    .optional(),
  lockTimeoutMs: z
    .number()
    .int()
    .positive()
    .meta(
      said("How long a call waits for files that another one is writing.", "调用等待他人正在写的文件的时间（毫秒）。", {
        default: defaults.lockTimeoutMs,
      }),
    )
    .optional(),
  foregroundBudgetMs: z
    .number()
    .int()
    .positive()
    .meta(
      said(
        "A foreground command that takes longer goes on in the background. Absent: never.",
        "前台命令超过此时间（毫秒）便转入后台；省略则不转。",
      ),
    )
    .optional(),
  approvalTtlHours: z
    .number()
    .positive()
    .meta(said("How long a question waits for its answer.", "一次询问等待回答的小时数。", { default: defaults.approvalTtlHours }))
    .optional(),
  retention: z
    .strictObject({
      days: z
        .number()
        .positive()
        .meta(said("How many days records are kept.", "记录保留的天数。", { default: defaults.retentionDays }))
        .optional(),
      maxOutputBytes: z
        .number()
        .int()
        .positive()
        .meta(said("How much stored output is kept in all.", "保存的输出总量上限（字节）。", { default: defaults.retentionOutputBytes }))
        .optional(),
    })
    .meta(
      said(
        "How long the home keeps records and outputs; karyi gc removes older ones.",
        "主目录保留记录和输出的期限；karyi gc 清理更早的。",
      ),
    )
    .optional(),
  missingValue: z
    .enum(["interactive", "warn"])
    .meta(
      said(
        "A secure variable that does not exist stops the call (interactive), or stays as written with a warning (warn).",
        "安全变量不存在时：停止调用（interactive），或保留原文并警告（warn）。",
        { default: defaults.missingValue },
      ),
    )
    .optional(),
  edits: z
    .enum(["exact", "whitespace"])
    .meta(
      said(
        "exact: old_string must be in the file as it is. whitespace: if only white space differs and the place is unique, the edit is made with the file's indentation, and said.",
        "exact：old_string 必须与文件完全一致；whitespace：若仅空白不同且位置唯一，则按文件的缩进修改并加以说明。",
        { default: defaults.edits },
      ),
    )
    .optional(),
  commands: z
    .enum(["rehearse", "ask"])
    .meta(
      said(
        "rehearse: a command that would be asked about runs against a copy first, and the question shows what it changes. ask: nothing runs before the question.",
        "rehearse：需要询问的命令先在副本上试运行，询问时展示它的更改；ask：询问之前什么也不运行。",
        { default: defaults.commands },
      ),
    )
    .optional(),
  durability: z
    .enum(["full", "off"])
    .meta(
      said(
        "full: records survive a power cut. off: they survive a crash of Karyi only.",
        "full：断电也不丢记录；off：仅在 Karyi 崩溃时不丢。",
        { default: "full" },
      ),
    )
    .optional(),
  web: webSchema.optional(),
  mcp: mcpSchema.optional(),
  mcpServers: mcpServersSchema.optional(),
  sandbox: z
    .strictObject({
      capture: z
        .enum(["auto", "off"])
        .meta(said("Run commands so that they can be undone.", "以可撤销的方式运行命令。", { default: defaults.capture }))
        .optional(),
      require: z
        .enum(["E0", "E1", "E2", "E2u", "E3", "E4"])
        .meta(
          said(
            "Refuse commands if the machine gives less than this tier; karyi doctor shows which one holds.",
            "机器达不到此沙箱等级时拒绝命令；karyi doctor 显示当前等级。",
          ),
        )
        .optional(),
      network: z
        .enum(["none", "loopback", "on"])
        .meta(
          said(
            "What commands that may change something reach; if it cannot be closed they are refused.",
            "可能做更改的命令可访问的网络；无法关闭时拒绝命令。",
          ),
        )
        .optional(),
      maxLayerBytes: z
        .number()
        .int()
        .positive()
        .meta(
          said(
            "How much a command may write while it is rehearsed, and how much a session may keep in its /tmp.",
            "命令试运行时可写入的字节数上限，也是会话的 /tmp 可保留的字节数上限。",
          ),
        )
        .optional(),
      visible: z
        .array(z.string())
        .meta(
          said(
            "Paths outside the workspace that commands see, read-only, though nobody is asked about them.",
            "工作区之外、无需询问即可被命令只读看到的路径。",
            { default: [] },
          ),
        )
        .optional(),
    })
    .meta(said("How commands are confined.", "命令如何受到限制。"))
    .optional(),
  ...agentKeys,
  gateway: z
    .strictObject({
      requestsPerMinute: z
        .number()
        .int()
        .positive()
        .meta(said("Requests a minute for one token.", "一个令牌每分钟的请求数。", { default: defaults.requestsPerMinute }))
        .optional(),
      maxBodyBytes: z
        .number()
        .int()
        .positive()
        .meta(said("The longest body of a request.", "请求正文的最大字节数。", { default: defaults.maxBodyBytes }))
        .optional(),
      hostNames: z
        .array(z.string())
        .meta(said("Further names by which the server may be addressed.", "可用来访问服务器的其他主机名。", { default: [] }))
        .optional(),
    })
    .meta(said("Limits of karyi serve.", "karyi serve 的限制。"))
    .optional(),
});

export type Config = z.infer<typeof configSchema>;
