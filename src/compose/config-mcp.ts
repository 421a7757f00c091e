/** The keys of the configuration that are about MCP. */
import { z } from "zod";
import { said } from "./config-said.ts";

export const defaultElicitationTimeoutMs = 45_000;

export const mcpSchema = z
  .strictObject({
    elicitationTimeoutMs: z
      .number()
      .int()
      .positive()
      .max(59_999)
      .meta(
        said(
          "How long an MCP client may take to bring a person's answer; after that the call waits as a record.",
          "MCP 客户端带回答复的时限（毫秒）；超时后调用作为记录等待。",
          { default: defaultElicitationTimeoutMs },
        ),
      )
      .optional(),
  })
  .meta(said("Settings of karyi mcp.", "karyi mcp 的设置。"));

/** Each entry is checked on its own when servers are looked at: one wrong entry stops no other, and no engine. */
export const mcpServersSchema = z
  .record(z.string(), z.record(z.string(), z.json()).meta(said("A server by its name.", "以名称表示的服务器。")))
  .meta(
    said(
      "MCP servers by name: a command with args, env, cwd, or a url with headers; timeoutMs limits each answer; confined: true lets it write the workspace alone, network: none keeps it off the network.",
      "按名称列出的 MCP 服务器：command（及 args、env、cwd），或 url（及 headers）；timeoutMs 限制每次应答；confined: true 只允许写工作目录，network: none 断开网络。",
      { default: {}, examples: [{ docs: { command: "npx", args: ["-y", "docs-server"] } }] },
    ),
  );
