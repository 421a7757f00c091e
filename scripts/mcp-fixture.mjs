// The tools, prompts and resources of the MCP conformance suite on our own MCP layer, without a token:
// npm run mcp:fixture -- --port 4848
import { parseArgs } from "node:util";
import { createRequestStateCodec, inputRequired } from "@modelcontextprotocol/server";
import { serveSurface } from "karyi/mcp";

const { values } = parseArgs({ options: { port: { type: "string", default: "4848" } } });
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const signing = createRequestStateCodec({ key: "a key of the fixture that protects nothing" });

const text = (value) => ({ content: [{ type: "text", text: value }] });
const failure = (value) => ({ ...text(value), isError: true });
const form = (message, properties, required = Object.keys(properties)) => ({
  message,
  requestedSchema: { type: "object", properties, required },
});
const string = { type: "string" };
const nothing = { type: "object", properties: {} };

/** Asks in the way of the client's era; `undefined` where the client cannot be asked. */
async function ask({ context, asksByForm }, params) {
  if (!asksByForm) return undefined;
  return context.mcpReq.send({ method: "elicitation/create", params });
}

function responseOf({ context }, key) {
  const response = context.mcpReq.inputResponses?.[key];
  return typeof response === "object" && response !== null ? response : undefined;
}

const capabilitiesOf = ({ context }) => context.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
const nameForm = () => inputRequired.elicit(form("What is your name?", { name: string }));
const sampling = (words, maxTokens) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: words } }], maxTokens });

const tools = {
  test_custom_header: {
    description: "Wants a parameter as a header too.",
    inputSchema: { type: "object", properties: { region: { ...string, "x-mcp-header": "Region" } }, required: ["region"] },
    run: ({ region }) => text(`Region: ${region}`),
  },
  test_simple_text: { description: "Answers text.", run: () => text("This is a simple text response for testing.") },
  test_image_content: { description: "Answers an image.", run: () => ({ content: [{ type: "image", data: png, mimeType: "image/png" }] }) },
  test_audio_content: { description: "Answers sound.", run: () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }) },
  test_embedded_resource: {
    description: "Answers a resource.",
    run: () => ({
      content: [
        {
          type: "resource",
          resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    description: "Answers text, an image and a resource.",
    run: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: png, mimeType: "image/png" },
        {
          type: "resource",
          resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"test":"data","value":123}' },
        },
      ],
    }),
  },
  test_tool_with_logging: {
    description: "Logs while it runs.",
    async run(_, { context }) {
      await context.mcpReq.log("info", "Tool execution started");
      await pause(50);
      await context.mcpReq.log("info", "Tool processing data");
      await pause(50);
      await context.mcpReq.log("info", "Tool execution completed");
      return text("Logged three times.");
    },
  },
  test_tool_with_progress: {
    description: "Tells its progress.",
    async run(_, { context }) {
      const { progressToken } = context.mcpReq._meta ?? {};
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        await pause(50);
      }
      return text("Told its progress.");
    },
  },
  test_error_handling: { description: "Fails.", run: () => failure("This tool intentionally returns an error for testing") },
  test_sampling: {
    description: "Asks the client's model.",
    inputSchema: { type: "object", properties: { prompt: string }, required: ["prompt"] },
    async run({ prompt }, { context }) {
      const params = { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 };
      const { content } = await context.mcpReq.send({ method: "sampling/createMessage", params });
      return text(`LLM response: ${content.text}`);
    },
  },
  test_elicitation: {
    description: "Asks the client's person.",
    inputSchema: { type: "object", properties: { message: string }, required: ["message"] },
    async run({ message }, exchange) {
      const username = { type: "string", description: "User's response" };
      const email = { type: "string", description: "User's email address" };
      const answer = await ask(exchange, form(message, { username, email }));
      if (answer === undefined) return failure("The client cannot ask.");
      return text(`User response: action: ${answer.action}, content: ${JSON.stringify(answer.content ?? {})}`);
    },
  },
  test_elicitation_sep1034_defaults: {
    description: "Asks with defaults.",
    run: (_, exchange) =>
      completed(
        exchange,
        form("Please check these values", {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        }),
      ),
  },
  test_elicitation_sep1330_enums: {
    description: "Asks with every kind of choice.",
    run: (_, exchange) => {
      const options = ["option1", "option2", "option3"];
      const titled = (word) =>
        ["First", "Second", "Third"].map((title, index) => ({ const: `value${index + 1}`, title: `${title} ${word}` }));
      return completed(
        exchange,
        form(
          "Please choose",
          {
            untitledSingle: { type: "string", enum: options },
            titledSingle: { type: "string", oneOf: titled("Option") },
            legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
            untitledMulti: { type: "array", items: { type: "string", enum: options } },
            titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
          },
          [],
        ),
      );
    },
  },
  json_schema_2020_12_tool: {
    description: "Tool with JSON Schema 2020-12 features",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: string, city: string } } },
      properties: {
        name: string,
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: string,
        email: string,
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in an object that nobody awaits
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (args) => text(JSON.stringify(args)),
  },
  test_reconnection: {
    description: "Closes its stream while it runs.",
    async run(_, { context }) {
      context.http?.closeSSE?.();
      await pause(100);
      return text("Reconnection test completed successfully.");
    },
  },
  test_missing_capability: {
    description: "Needs a client that samples.",
    run: () => inputRequired({ inputRequests: { sample: sampling("Hello", 10) } }),
  },
  test_input_required_result_elicitation: {
    description: "Asks for a name.",
    run(_, exchange) {
      const { action, content } = responseOf(exchange, "user_name") ?? {};
      if (action === "accept" && typeof content?.name === "string") return text(`Hello, ${content.name}!`);
      if (action === "decline" || action === "cancel") return text("No name was given.");
      return inputRequired({ inputRequests: { user_name: nameForm() } });
    },
  },
  test_input_required_result_sampling: {
    description: "Asks the client's model.",
    run(_, exchange) {
      const answer = responseOf(exchange, "capital_question");
      if (answer?.content === undefined) {
        return inputRequired({ inputRequests: { capital_question: sampling("What is the capital of France?", 100) } });
      }
      return text(`The model said: ${answer.content.text ?? JSON.stringify(answer.content)}`);
    },
  },
  test_input_required_result_list_roots: {
    description: "Asks for the client's roots.",
    run(_, exchange) {
      const answer = responseOf(exchange, "client_roots");
      if (!Array.isArray(answer?.roots)) return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
      return text(`Roots: ${answer.roots.map(({ uri }) => uri).join(", ")}`);
    },
  },
  test_input_required_result_request_state: {
    description: "Carries a state.",
    async run(_, exchange) {
      const state = exchange.context.mcpReq.requestState();
      if (state?.step === 1 && responseOf(exchange, "confirm") !== undefined) return text("state-ok");
      const requestState = await signing.mint({ step: 1 }, exchange.context);
      const confirm = inputRequired.elicit(form("Please confirm", { ok: { type: "boolean" } }));
      return inputRequired({ inputRequests: { confirm }, requestState });
    },
  },
  test_input_required_result_tampered_state: {
    description: "Refuses a state that was changed.",
    run: (args, exchange) => tools.test_input_required_result_request_state.run(args, exchange),
  },
  test_input_required_result_multiple_inputs: {
    description: "Asks three things at once.",
    async run(_, exchange) {
      const [name, greeting, roots] = ["user_name", "greeting", "client_roots"].map((key) => responseOf(exchange, key));
      if (name && greeting && roots) return text(`${name.content?.name}, ${greeting.content?.text}, ${roots.roots?.length} roots`);
      const inputRequests = {
        user_name: nameForm(),
        greeting: sampling("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      };
      return inputRequired({ inputRequests, requestState: await signing.mint({ all: true }, exchange.context) });
    },
  },
  test_input_required_result_multi_round: {
    description: "Asks twice.",
    async run(_, exchange) {
      const { mcpReq } = exchange.context;
      const { round = 0, name } = mcpReq.requestState() ?? {};
      const first = responseOf(exchange, "step1")?.content?.name;
      const second = responseOf(exchange, "step2")?.content?.color;
      if (round === 2 && second !== undefined) return text(`${name} likes ${second}.`);
      const isSecond = round === 1 && first !== undefined;
      const requestState = await signing.mint(isSecond ? { round: 2, name: first } : { round: 1 }, exchange.context);
      const step1 = inputRequired.elicit(form("Step 1: What is your name?", { name: string }));
      const step2 = inputRequired.elicit(form("Step 2: What is your favorite color?", { color: string }));
      return inputRequired({ inputRequests: isSecond ? { step2 } : { step1 }, requestState });
    },
  },
  test_input_required_result_capabilities: {
    description: "Asks only what the client can do.",
    run(_, exchange) {
      const { sampling: samples, elicitation, roots } = capabilitiesOf(exchange);
      const inputRequests = {
        ...(samples && { greeting: sampling("Generate a greeting", 50) }),
        ...(elicitation && { user_name: nameForm() }),
        ...(roots && { client_roots: inputRequired.listRoots() }),
      };
      const isAnswered = exchange.context.mcpReq.inputResponses !== undefined;
      return isAnswered || Object.keys(inputRequests).length === 0 ? text("done") : inputRequired({ inputRequests });
    },
  },
};

async function completed(exchange, params) {
  const answer = await ask(exchange, params);
  if (answer === undefined) return failure("The client cannot ask.");
  return text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
}

const user = (content) => ({ role: "user", content });
const prompts = {
  test_simple_prompt: {
    description: "A simple prompt.",
    get: () => [user({ type: "text", text: "This is a simple prompt for testing." })],
  },
  test_prompt_with_arguments: {
    description: "A prompt with arguments.",
    arguments: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => [user({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
  },
  test_prompt_with_embedded_resource: {
    description: "A prompt with a resource.",
    arguments: ["resourceUri"],
    get: ({ resourceUri }) => [
      user({ type: "resource", resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." } }),
      user({ type: "text", text: "Please process the embedded resource above." }),
    ],
  },
  test_prompt_with_image: {
    description: "A prompt with an image.",
    get: () => [user({ type: "image", data: png, mimeType: "image/png" }), user({ type: "text", text: "Please analyze the image above." })],
  },
  test_input_required_result_prompt: {
    description: "A prompt that asks first.",
    get(_, exchange) {
      const context = responseOf(exchange, "user_context")?.content?.context;
      if (context !== undefined) return [user({ type: "text", text: `Context: ${context}` })];
      const asked = inputRequired.elicit(form("What context should the prompt use?", { context: string }));
      return inputRequired({ inputRequests: { user_context: asked } });
    },
  },
};

const resources = {
  "test://static-text": { name: "static-text", mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { name: "static-binary", mimeType: "image/png", blob: png },
  "test://watched-resource": { name: "watched-resource", mimeType: "text/plain", text: "Watched." },
};

const surface = {
  info: { name: "karyi-conformance", title: "Karyi conformance fixture", version: "1.0.0" },
  logs: true,
  tools: async () => Object.entries(tools).map(([name, { description, inputSchema = nothing }]) => ({ name, description, inputSchema })),
  async call(name, args, exchange) {
    const tool = tools[name];
    return tool === undefined ? failure(`Unknown tool: ${name}`) : tool.run(args, exchange);
  },
  prompts: {
    list: async () =>
      Object.entries(prompts).map(([name, { description, arguments: names = [] }]) => ({
        name,
        description,
        arguments: names.map((argument) => ({ name: argument, required: true })),
      })),
    async get(name, args, exchange) {
      const answer = prompts[name]?.get(args, exchange) ?? [];
      return Array.isArray(answer) ? { messages: answer } : answer;
    },
  },
  resources: {
    list: async () =>
      Object.entries(resources).map(([uri, { name, mimeType }]) => ({ uri, name, mimeType, description: `The resource ${name}.` })),
    templates: async () => [
      { uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json", description: "Data by id." },
    ],
    async read(uri) {
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
      if (id !== undefined) {
        const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
        return { contents: [{ uri, mimeType: "application/json", text: data }] };
      }
      const { name: _, ...found } = resources[uri] ?? {};
      return Object.keys(found).length === 0 ? undefined : { contents: [{ uri, ...found }] };
    },
  },
  complete: async () => ({ completion: { values: ["paris", "park", "party"], total: 3, hasMore: false } }),
  verifyState: (state, context) => signing.verify(state, context),
};

const { address } = await serveSurface({ surface, port: Number(values.port), log: () => {} });
process.stdout.write(`${address}\n`);
