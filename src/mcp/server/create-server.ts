/** An SDK server made of a `Surface`: one handler a method. Decides nothing about calls; that is the surface's part. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type ElicitResult,
  type Implementation,
  ProtocolError,
  ResourceNotFoundError,
  SdkError,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import type { JsonObject } from "../../contract/index.ts";
import { tellProgress } from "./progress-teller.ts";
import type { Changed, Exchange, PromptSurface, ResourceSurface, Surface } from "./surface.ts";

export function createServer(surface: Surface, era: "legacy" | "modern"): Server {
  const { info, instructions, prompts, resources, complete, logs, verifyState } = surface;
  const server = new Server(info, {
    capabilities: {
      tools: { listChanged: true },
      ...(prompts && { prompts: { listChanged: true } }),
      ...(resources && { resources: { subscribe: true, listChanged: true } }),
      ...(complete && { completions: {} }),
      ...(logs && { logging: {} }),
    },
    ...(instructions === undefined ? {} : { instructions }),
    ...(verifyState && { requestState: { verify: (state, context) => verifyState.call(surface, state, context) } }),
  });
  const shown = new Map<string, Tool>();
  server.setRequestHandler("tools/list", async () => {
    const tools = await surface.tools();
    for (const tool of tools) shown.set(tool.name, tool);
    return { tools: [...tools] };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const result = await during(server, era, context, (exchange) =>
      surface.call(params.name, (params.arguments ?? {}) as JsonObject, exchange),
    );
    if ("resultType" in result && result.resultType === "input_required") return result;
    return server.projectCallToolResult(result as Parameters<Server["projectCallToolResult"]>[0], shown.get(params.name)?.outputSchema);
  });
  if (prompts) addPrompts(server, prompts, era);
  const subscribed = new Set<string>();
  if (resources) addResources(server, resources, subscribed);
  if (complete) server.setRequestHandler("completion/complete", ({ params }) => complete.call(surface, params));
  followChanges(server, surface, subscribed);
  return server;
}

function addPrompts(server: Server, prompts: PromptSurface, era: "legacy" | "modern"): void {
  server.setRequestHandler("prompts/list", async () => ({ prompts: [...(await prompts.list())] }));
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    during(server, era, context, (exchange) => prompts.get(params.name, params.arguments ?? {}, exchange)),
  );
}

function addResources(server: Server, resources: ResourceSurface, subscribed: Set<string>): void {
  server.setRequestHandler("resources/list", async () => ({ resources: [...(await resources.list())] }));
  server.setRequestHandler("resources/templates/list", async () => ({ resourceTemplates: [...(await resources.templates())] }));
  server.setRequestHandler("resources/read", async ({ params }) => {
    const found = await resources.read(params.uri);
    if (found === undefined) throw new ResourceNotFoundError(params.uri);
    return found;
  });
  server.setRequestHandler("resources/subscribe", async ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
}

/** A server of one request, or one whose client went away, has nobody to tell. */
function followChanges(server: Server, surface: Surface, subscribed: ReadonlySet<string>): void {
  const tell = async (changed: Changed) => {
    if (server.transport === undefined) return;
    if (changed.kind === "tools") await server.sendToolListChanged();
    else if (changed.kind === "prompts") await server.sendPromptListChanged();
    else if (changed.kind === "resources") await server.sendResourceListChanged();
    else if (subscribed.has(changed.uri)) await server.sendResourceUpdated({ uri: changed.uri });
  };
  const end = surface.onChanged?.((changed) => void tell(changed).catch(() => {}));
  const closed = server.onclose;
  server.onclose = () => {
    closed?.();
    end?.();
  };
}

async function during<T>(
  server: Server,
  era: "legacy" | "modern",
  context: ServerContext,
  work: (exchange: Exchange) => Promise<T>,
): Promise<T> {
  const { mcpReq } = context;
  const progress = tellProgress(mcpReq._meta?.progressToken, (params) => mcpReq.notify({ method: "notifications/progress", params }));
  try {
    return await work(exchangeOf(server, era, context, progress.tell));
  } finally {
    progress.stop();
  }
}

function exchangeOf(server: Server, era: "legacy" | "modern", context: ServerContext, progress: (text: string) => void): Exchange {
  const { mcpReq } = context;
  const envelope = (mcpReq.envelope ?? {}) as Record<string, unknown>;
  const capabilities = ((era === "modern" ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined) ?? server.getClientCapabilities()) as
    | ClientCapabilities
    | undefined;
  const client = ((era === "modern" ? envelope[CLIENT_INFO_META_KEY] : undefined) ?? server.getClientVersion()) as
    | Implementation
    | undefined;
  const { elicitation } = capabilities ?? {};
  return {
    signal: mcpReq.signal,
    era,
    context,
    clientName: client?.name ?? "unknown",
    // Without a mode it is the form that is meant, as before there were modes.
    asksByForm: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    asksByUrl: elicitation?.url !== undefined,
    progress,
    async elicit(params, { signal, timeoutMs }): Promise<ElicitResult | undefined> {
      try {
        return await mcpReq.send({ method: "elicitation/create", params: { ...params } }, { signal, timeout: timeoutMs });
      } catch (error) {
        if (error instanceof SdkError || error instanceof ProtocolError || signal.aborted) return undefined;
        throw error;
      }
    },
  };
}
