/** Refuses what the real APIs refuse: the rules of their references on messages, tool calls and results. */

type Loose = Record<string, unknown>;

const idForm = /^[a-zA-Z0-9_-]+$/;
const nameForm = /^[a-zA-Z0-9_-]{1,128}$/;

/** Half a surrogate pair is no JSON for the real servers. */
export function textProblem(text: string): string | undefined {
  const escapes = [...text.matchAll(/\\\\|\\u([0-9a-fA-F]{4})/g)].flatMap(({ 1: digits, index }) =>
    digits === undefined ? [] : [{ index, high: /^d[89ab]/i.test(digits), low: /^d[c-f]/i.test(digits) }],
  );
  const lone = escapes.some(({ index, high, low }, at) => {
    const before = escapes[at - 1];
    const after = escapes[at + 1];
    return (high && !(after?.low && after.index === index + 6)) || (low && !(before?.high && before.index === index - 6));
  });
  return lone ? "The request body is not valid JSON: no low surrogate in string" : undefined;
}

/** The first thing that the Anthropic Messages API would answer 400 to. */
export function anthropicProblem(body: Loose): string | undefined {
  const messages = body.messages as { role: string; content: unknown }[];
  if (typeof body.max_tokens !== "number" || body.max_tokens < 1) return "max_tokens: Field required";
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  const used = new Set<string>();
  let open: string[] = [];
  let marks = JSON.stringify(body.system ?? "").split("cache_control").length - 1;
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = (typeof content === "string" ? [{ type: "text", text: content }] : content) as Loose[];
    if (!Array.isArray(blocks) || blocks.length === 0) return `messages.${index}: content must be non-empty`;
    if (role === messages[index - 1]?.role) return `messages.${index}: roles must alternate`;
    marks += blocks.filter((block) => block.cache_control !== undefined).length;
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id as string);
    for (const id of open) if (!results.includes(id)) return `messages.${index}: tool_use ids without tool_result: ${id}`;
    for (const id of results) if (!open.includes(id)) return `messages.${index}: unexpected tool_use_id ${id}`;
    if (new Set(results).size !== results.length) return `messages.${index}: each tool_use must have a single result`;
    if (results.length > 0 && blocks.slice(0, results.length).some(({ type }) => type !== "tool_result"))
      return `messages.${index}: tool_result blocks must come first`;
    open = [];
    for (const block of blocks) {
      const problem = blockProblem(block, role, used);
      if (problem !== undefined) return `messages.${index}: ${problem}`;
      if (block.type === "tool_use") open.push(block.id as string);
    }
  }
  if (open.length > 0) return "messages: tool_use without tool_result at the end";
  if (messages.at(-1)?.role !== "user") return "messages: the last message must use the user role";
  if (marks > 4) return "a maximum of 4 blocks with cache_control may be provided";
  return toolsProblem((body.tools ?? []) as Loose[], "input_schema");
}

function blockProblem(block: Loose, role: string, used: Set<string>): string | undefined {
  if (block.type === "text" && String(block.text).trim() === "") return "text content blocks must contain non-whitespace text";
  if (block.type === "tool_use") {
    if (role !== "assistant") return "tool_use in a user message";
    if (typeof block.input !== "object" || block.input === null || Array.isArray(block.input)) return "tool_use.input: should be an object";
    if (!idForm.test(String(block.id))) return "tool_use.id: bad form";
    if (!nameForm.test(String(block.name))) return "tool_use.name: bad form";
    if (used.has(String(block.id))) return "tool_use ids must be unique";
    used.add(String(block.id));
  }
  if (block.type === "thinking") {
    if (role !== "assistant") return "thinking in a user message";
    if (!String(block.signature).startsWith("sig-")) return "thinking: Invalid signature";
  }
  return undefined;
}

/** The first thing that OpenAI's Responses API would answer 400 to, where nothing is stored on its side. */
export function responsesProblem(body: Loose): string | undefined {
  const input = body.input as Loose[];
  if (!Array.isArray(input) || input.length === 0) return "input: too short";
  if (body.store !== false) return "store: expected false";
  const [open, known] = [new Set<string>(), new Set<string>()];
  for (const [index, item] of input.entries()) {
    const id = String(item.call_id);
    if (item.type === "item_reference") return `input.${index}: Item with id '${item.id}' not found: nothing is stored`;
    if (item.type === "reasoning" && typeof item.encrypted_content !== "string") return `input.${index}: reasoning item was not stored`;
    if (item.type === "function_call") {
      if (known.has(id)) return `input.${index}: duplicate call_id ${id}`;
      try {
        JSON.parse(String(item.arguments));
      } catch {
        return `input.${index}: arguments are no JSON`;
      }
      known.add(id);
      open.add(id);
    } else if (item.type === "function_call_output") {
      if (!open.delete(id)) return `input.${index}: No tool call found for function call output with call_id ${id}`;
    } else if (item.role !== undefined && (item.content === "" || (item.content as unknown[]).length === 0))
      return `input.${index}: content is empty`;
  }
  if (open.size > 0) return `No tool output found for function call ${[...open][0]}`;
  return toolsProblem((body.tools ?? []) as Loose[], "parameters");
}

function toolsProblem(tools: readonly Loose[], schema: string): string | undefined {
  const names = tools.map(({ name }) => String(name));
  if (new Set(names).size !== names.length) return "tools: names must be unique";
  for (const tool of tools) {
    if (!nameForm.test(String(tool.name))) return `tools: bad name ${tool.name}`;
    if (typeof tool[schema] !== "object") return `tools: ${tool.name} has no ${schema}`;
  }
  return undefined;
}

/** The first thing that Chat Completions would answer 400 to. */
export function chatProblem(body: Loose): string | undefined {
  const messages = body.messages as Loose[];
  if (!Array.isArray(messages) || messages.length === 0) return "messages: too short";
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const { role, content } = message;
    if (role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.includes(id)) return `messages.${index}: role 'tool' must answer a preceding tool_calls (${id})`;
      open = open.filter((known) => known !== id);
      if (typeof content !== "string") return `messages.${index}: content of a tool message must be text`;
      continue;
    }
    if (open.length > 0) return `messages.${index}: tool_calls must be followed by tool messages: ${open.join(", ")}`;
    if (role !== "assistant") {
      if (content === undefined || content === null || content === "") return `messages.${index}: content is required`;
      continue;
    }
    const calls = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: unknown } }[];
    if (calls.length === 0 && (content === null || content === undefined || content === ""))
      return `messages.${index}: empty assistant message`;
    for (const { id, function: made } of calls) {
      if (typeof made.arguments !== "string") return `messages.${index}: arguments must be a string`;
      if (open.includes(id)) return `messages.${index}: duplicate tool call id`;
      try {
        JSON.parse(made.arguments);
      } catch {
        return `messages.${index}: arguments are no JSON`;
      }
      open.push(id);
    }
  }
  if (open.length > 0) return "tool_calls without tool messages at the end";
  const tools = (body.tools ?? []) as { function: Loose }[];
  return toolsProblem(
    tools.map((tool) => tool.function),
    "parameters",
  );
}
