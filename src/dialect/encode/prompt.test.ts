import { describe, expect, it } from "vitest";
import type { ToolSpec } from "../../contract/index.ts";
import { parseToolCalls } from "../decoder.ts";
import { dialects } from "../types.ts";
import { exampleCall } from "./example.ts";
import { generateToolInstruction, rightForm } from "./prompt.ts";

const webSearch: ToolSpec = {
  name: "web_search",
  description: "Search the web for information using Bocha AI search engine",
  aliases: [],
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "Search query using keywords." },
      freshness: { type: "string", description: "Time range filter: 'noLimit', 'oneDay', ...", default: "noLimit" },
      count: { type: "integer", description: "Number of results to return (1-50)", default: 10 },
    },
    required: ["query"],
  },
};

const text = { type: "string" } as const;
const specs: readonly ToolSpec[] = [
  webSearch,
  {
    name: "MultiEdit",
    description: "Edits files",
    aliases: [],
    inputSchema: {
      type: "object",
      properties: {
        files: {
          type: "array",
          description: "Files to edit",
          items: {
            type: "object",
            properties: {
              file_path: { ...text, description: "Path" },
              edits: {
                type: "array",
                items: { type: "object", properties: { old_string: text, new_string: text }, required: ["old_string", "new_string"] },
              },
            },
            required: ["file_path", "edits"],
          },
        },
      },
      required: ["files"],
    },
    example: { files: [{ file_path: "src/a.ts", edits: [{ old_string: "a < b && c", new_string: "]]>" }] }] },
  },
  {
    name: "Read",
    description: "Reads a file",
    aliases: [],
    inputSchema: {
      type: "object",
      properties: { file_path: text, directory: { enum: ["list", "error"] }, offset: { type: "integer" } },
      required: ["file_path"],
    },
    example: { file_path: "README.md" },
  },
  {
    name: "Terminal",
    description: "Runs a command",
    aliases: [],
    inputSchema: { type: "object", properties: { command: text }, required: ["command"] },
    example: { command: "cd a && ls > b" },
  },
  {
    name: "TerminalKey",
    description: "Presses a key",
    aliases: [],
    inputSchema: { type: "object", properties: { key: text }, required: ["key"] },
    example: { key: "c" },
  },
  {
    name: "TerminalInput",
    description: "Types",
    aliases: [],
    inputSchema: { type: "object", properties: { text }, required: ["text"] },
    example: { text: "y\\n" },
  },
  {
    name: "GetValue",
    description: "Asks for a value",
    aliases: [],
    inputSchema: { type: "object", properties: { key: text, reason: text, note: text }, required: ["key", "reason"] },
    example: { key: "TOKEN", reason: 'to "publish" & go' },
  },
  {
    name: "Grep",
    description: "Searches",
    aliases: [],
    inputSchema: {
      type: "object",
      properties: { pattern: text, path: text, head_limit: { type: "integer" }, multiline: { type: "boolean" } },
      required: ["pattern"],
    },
    example: { pattern: "a<b|\\d", path: "src", head_limit: 5, multiline: true },
  },
  { name: "TaskList", description: "Lists tasks", aliases: [], inputSchema: { type: "object", properties: {} } },
  {
    name: "mcp__files__find",
    description: "Finds",
    aliases: [],
    inputSchema: {
      type: "object",
      properties: {
        id: { anyOf: [{ type: "string" }, { type: "integer" }] },
        kind: { enum: ["file", "link"] },
        depth: { type: "integer", minimum: 3 },
        flags: { type: "array", items: text },
        where: { $ref: "#/$defs/where" },
        deep: { type: "boolean" },
        maybe: { type: ["integer", "null"] },
      },
      required: ["id", "kind", "depth", "flags", "where", "deep", "maybe"],
      $defs: { where: { type: "object", properties: { root: text, size: { type: "number" } }, required: ["root", "size"] } },
    },
  },
];
const tools = (name: string) => specs.find((spec) => spec.name === name)?.inputSchema;

describe("tool instructions", () => {
  it("have the layout of the specification", () => {
    expect(generateToolInstruction([webSearch], "tool_call")).toContain(`### web_search
Description: Search the web for information using Bocha AI search engine
Parameters:
  - query: string (required) - Search query using keywords.
  - freshness: string (optional) - Time range filter: 'noLimit', 'oneDay', ...
    Default: noLimit
  - count: integer (optional) - Number of results to return (1-50)
    Default: 10
Example:
<tool_call>
  <name>web_search</name>
  <params>
    <query><![CDATA[your_query_here]]></query>
    <freshness><![CDATA[noLimit]]></freshness>
    <count><![CDATA[10]]></count>
  </params>
</tool_call>
`);
  });

  it("name types, fields and choices of nested parameters", () => {
    const instruction = generateToolInstruction(specs, "tool_call");
    expect(instruction).toContain(
      "  - files: array of object (required) - Files to edit\n    - file_path: string (required) - Path\n    - edits: array of object (required)\n      - old_string: string (required)",
    );
    expect(instruction).toContain("  - kind: string (required)\n    One of: file, link");
    expect(instruction).toContain("  - id: string or integer (required)");
    expect(instruction).toContain("### TaskList\nDescription: Lists tasks\nParameters: none\n");
    expect(instruction).toContain("Read before you change something, change it, then read it again to check.");
    expect(instruction).toContain("Use the shell last");
  });

  it("are tool definitions in native protocols", () => {
    const { name, description, inputSchema } = webSearch;
    expect(generateToolInstruction([webSearch], "anthropic")).toEqual([{ name, description, input_schema: inputSchema }]);
    expect(generateToolInstruction([webSearch], "openai")).toEqual([
      { type: "function", function: { name, description, parameters: inputSchema } },
    ]);
  });

  for (const dialect of dialects) {
    it(`show an example that parses back to the same call in ${dialect}`, () => {
      for (const spec of specs) {
        const decoded = parseToolCalls(rightForm(spec, dialect), { dialect, tools });
        expect(decoded.map(({ name, input, repaired }) => ({ name, input, repaired }))).toEqual([
          { ...exampleCall(spec, dialect), repaired: undefined },
        ]);
      }
    });
  }

  it("use the tags of ToolsXML where they fit", () => {
    const form = (name: string) => rightForm(specs.find((spec) => spec.name === name) ?? webSearch, "toolsxml");
    expect(form("Read")).toBe('<tools>\n  <read>\n    <file src="README.md"/>\n  </read>\n</tools>');
    expect(form("Terminal")).toBe("<tools>\n  <command><![CDATA[cd a && ls > b]]></command>\n</tools>");
    expect(form("TerminalKey")).toBe("<tools>\n  <ctrl>c</ctrl>\n</tools>");
    expect(form("GetValue")).toBe('<tools>\n  <get_value key="TOKEN" reason="to &quot;publish&quot; &amp; go"/>\n</tools>');
    expect(form("mcp__files__find")).toContain('<mcp server="files" tool="find">');
  });
});
