/** The part of the configuration that concerns agents: the model, its provider, limits of sub-agents. */
import { z } from "zod";
import { said } from "./config-said.ts";

const webAddress = z.string().regex(/^https?:\/\//i, "must begin with http:// or https://");
const usd = z.number().nonnegative();

const modelSchema = z.strictObject({
  contextWindow: z.number().int().positive().meta(said("Tokens that fit into a request.", "一次请求可容纳的令牌数。")).optional(),
  maxOutputTokens: z.number().int().positive().meta(said("Tokens of one answer at most.", "单次回答的最大令牌数。")).optional(),
  price: z
    .strictObject({
      input: usd.meta(said("Of input that was not cached.", "未缓存的输入。")),
      output: usd.meta(said("Of output.", "输出。")),
      cacheRead: usd.meta(said("Of input read from the cache; default: as input.", "从缓存读取的输入；默认同 input。")).optional(),
      cacheWrite: usd.meta(said("Of input written to the cache; default: as input.", "写入缓存的输入；默认同 input。")).optional(),
    })
    .meta(said("USD for a million tokens. Without it no cost is told.", "每百万令牌的美元价格；没有则不报告费用。"))
    .optional(),
  options: z
    .record(z.string(), z.json())
    .meta(
      said("Provider options of the AI SDK, passed on.", "原样传递的 AI SDK 提供方选项。", {
        examples: [{ thinking: { type: "enabled", budgetTokens: 2000 } }],
      }),
    )
    .optional(),
  dialect: z
    .enum(["toolsxml", "tool_call", "anthropic_xml", "hermes", "qwen", "glm", "json"])
    .meta(said("For a model without function calling: how it writes calls.", "用于没有函数调用能力的模型：调用的书写方式。"))
    .optional(),
  fallback: z
    .string()
    .meta(said("PROVIDER/MODEL that takes over if this one does not answer.", "此模型不应答时接替的 提供方/模型。"))
    .optional(),
});

const providerSchema = z.strictObject({
  type: z
    .enum(["anthropic", "openai", "openai-compatible", "ai-sdk"])
    .meta(said("What the server speaks; default: the provider's name.", "服务器的协议；默认为提供方名称。"))
    .optional(),
  package: z
    .string()
    .meta(
      said("Of type ai-sdk: a package that you installed in the home.", "类型为 ai-sdk 时：装在主目录中的包。", {
        examples: ["@ai-sdk/google"],
      }),
    )
    .optional(),
  baseUrl: webAddress.meta(said("Address of the server, with or without /v1.", "服务器地址，带不带 /v1 均可。")).optional(),
  apiKey: z.string().meta(said("Key of the server.", "服务器密钥。")).optional(),
  headers: z.record(z.string(), z.string()).meta(said("Further headers of each request.", "每个请求的附加标头。")).optional(),
  idleTimeoutMs: z
    .number()
    .int()
    .positive()
    .meta(said("A stream that is silent for so long is given up and tried again.", "流静默超过此时间即放弃并重试。", { default: 120_000 }))
    .optional(),
  models: z
    .record(z.string(), modelSchema.meta(said("A model by its name at the server.", "以服务器上的名称表示的模型。")))
    .meta(said("What is known of each model.", "各模型的已知信息。"))
    .optional(),
});

const providersSchema = z.record(
  z.string().regex(/^[^/\s]+$/, "must be a name without a slash"),
  providerSchema.meta(said("A provider by a name of your own.", "以自定名称表示的提供方。")),
);

export type ProvidersConfig = Readonly<z.infer<typeof providersSchema>>;

export const agentKeys = {
  model: z
    .string()
    .meta(said("PROVIDER/MODEL of runs that name none.", "未指定模型的运行所用的 提供方/模型。", { examples: ["anthropic/claude-x"] }))
    .optional(),
  providers: providersSchema.meta(said("Where models are reached.", "在何处访问模型。")).optional(),
  agents: z
    .strictObject({
      maxDepth: z
        .number()
        .int()
        .nonnegative()
        .meta(said("How deep agents may start agents.", "子智能体可嵌套的层数。", { default: 3 }))
        .optional(),
    })
    .meta(said("Limits of sub-agents.", "子智能体的限制。"))
    .optional(),
  modelOutputTokens: z
    .number()
    .int()
    .min(100)
    .meta(said("How much of one result a model reads, in estimated tokens.", "模型读取单个结果的上限（估算令牌数）。", { default: 25_000 }))
    .optional(),
} as const;
