/** The `web` part of the configuration: which local addresses are open, and which search engine is asked. */
import { z } from "zod";
import { searchProviders } from "../contract/index.ts";
import { said } from "./config-said.ts";

const address = z
  .string()
  .regex(/^(?:\[[0-9a-fA-F:.]+\]|[^\s:/@?#[\]]+)(?::\d{1,5})?$/, "must be a host or host:port, such as 127.0.0.1:8080 or wiki.lan");

const webAddress = z.string().regex(/^https?:\/\//i, "must begin with http:// or https://");

const searchSchema = z
  .strictObject({
    provider: z.enum(searchProviders).meta(said("The search engine that is asked.", "使用的搜索引擎。")),
    baseUrl: webAddress
      .meta(said("Where the provider is reached. Absent: the provider's own address.", "搜索引擎的地址；省略则用其自己的。"))
      .optional(),
    apiKey: z
      .string()
      .meta(
        said("The key; as $KARYI{NAME} it stays in the vault.", "密钥；写成 $KARYI{NAME} 时保存在保险库中。", {
          examples: ["$KARYI{SEARCH_KEY}"],
        }),
      )
      .optional(),
    cx: z.string().meta(said("The engine id of Google's programmable search.", "Google 可编程搜索的引擎编号。")).optional(),
    request: z
      .strictObject({
        url: webAddress.meta(said("The address, with {query} and the other placeholders.", "请求地址，可含 {query} 等占位符。")),
        method: z
          .enum(["GET", "POST"])
          .meta(said("How it is asked.", "请求方法。", { default: "GET" }))
          .optional(),
        headers: z.record(z.string(), z.string()).meta(said("Headers of the request.", "请求头。")).optional(),
        body: z.string().meta(said("Body of the request.", "请求正文。")).optional(),
      })
      .meta(said("How an engine that answers JSON is asked (provider json).", "如何请求返回 JSON 的引擎（provider json）。"))
      .optional(),
    map: z
      .strictObject({
        results: z.string().meta(said("Path of the list of results.", "结果列表的路径。")),
        title: z.string().meta(said("Path of the title in a result.", "结果中标题的路径。")),
        url: z.string().meta(said("Path of the address in a result.", "结果中网址的路径。")),
        snippet: z.string().meta(said("Path of the text in a result.", "结果中摘要的路径。")).optional(),
        date: z.string().meta(said("Path of the date in a result.", "结果中日期的路径。")).optional(),
      })
      .meta(said("Which fields of the answer are what (provider json).", "答复中各字段的含义（provider json）。"))
      .optional(),
  })
  .partial({ provider: true })
  .meta(said("The search engine of WebSearch.", "WebSearch 使用的搜索引擎。"));

export const webSchema = z
  .strictObject({
    allowPrivate: z
      .array(address)
      .meta(
        said("The only local addresses that may be fetched, as host or host:port.", "唯一可抓取的本地地址，形如 主机 或 主机:端口。", {
          default: [],
          examples: [["127.0.0.1:8080", "wiki.lan"]],
        }),
      )
      .optional(),
    search: searchSchema.optional(),
  })
  .meta(said("Fetching and searching the web.", "抓取和搜索网页。"));

export interface WebConfig {
  readonly allowPrivate: readonly string[];
  readonly search: z.infer<typeof searchSchema> | undefined;
}
