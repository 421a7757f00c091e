/**
 * The table of ToolsXML (D1): which tag is which tool, as data. This is the only place in the room where a tool
 * has a name; both directions (reading calls, writing examples) come from it.
 */

interface TextTag {
  readonly kind: "text";
  readonly tag: string;
  readonly tool: string;
  /** The parameter that takes the content. */
  readonly parameter: string;
  /** The content is a word, so blanks around it mean nothing. */
  readonly word?: boolean;
}

export interface AttributeTag {
  readonly kind: "attributes";
  readonly tag: string;
  readonly tool: string;
  readonly required: readonly string[];
  /** Attribute to parameter, where the names differ. */
  readonly rename: ReadonlyMap<string, string>;
  /** Parameters that are text whatever they look like. */
  readonly texts: readonly string[];
  /** The parameter that the content stands for, where the attribute is missing. */
  readonly content?: string;
  /** Parameters every call of this tag has. */
  readonly fixed: Readonly<Record<string, string>>;
  /** The tag it stands in. */
  readonly inside?: string;
}

export const textTags: readonly TextTag[] = [
  { kind: "text", tag: "command", tool: "Terminal", parameter: "command" },
  { kind: "text", tag: "input", tool: "TerminalInput", parameter: "text" },
  { kind: "text", tag: "ctrl", tool: "TerminalKey", parameter: "key", word: true },
];

const search: AttributeTag = {
  kind: "attributes",
  tag: "search",
  tool: "Grep",
  required: ["pattern"],
  rename: new Map([
    ["query", "pattern"],
    ["src", "path"],
  ]),
  texts: ["pattern", "path", "glob", "type", "output_mode"],
  content: "pattern",
  fixed: {},
};

export const attributeTags: readonly AttributeTag[] = [
  {
    kind: "attributes",
    tag: "get_value",
    tool: "GetValue",
    required: ["key", "reason"],
    rename: new Map(),
    texts: ["key", "reason", "note"],
    fixed: {},
  },
  search,
];

export const readTags: readonly AttributeTag[] = [
  {
    kind: "attributes",
    tag: "file",
    tool: "Read",
    required: ["file_path"],
    rename: new Map([
      ["src", "file_path"],
      ["path", "file_path"],
    ]),
    texts: ["file_path"],
    content: "file_path",
    fixed: { directory: "list" },
    inside: "read",
  },
  { ...search, inside: "read" },
];

/** `<edit>`: files with pairs of find and replace. */
export const editTag = {
  tag: "edit",
  tool: "MultiEdit",
  list: "files",
  path: "file_path",
  edits: "edits",
  find: "old_string",
  replace: "new_string",
  all: "replace_all",
} as const;

/** Tags whose content is shell text. */
export const shellTextTags: ReadonlySet<string> = new Set(["command"]);

/** Any other tool by its name: `<mcp server="github" tool="create_issue">`, or without a server a tool of Karyi. */
export const namedTag = "mcp";

export const toolsXmlTags: ReadonlySet<string> = new Set(["command", "input", "ctrl", "get_value", "search", "read", "edit", "mcp"]);
