/**
 * List: what is in a directory, with kinds and sizes, as a tree (F5). Changes nothing, follows no link below it.
 */

import { z } from "zod";
import type { PathFacts } from "../../contract/index.ts";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { listData } from "../data/file-data.ts";
import { listDirectory } from "./list-tree.ts";
import { missingFile } from "./read-missing.ts";

const input = z.object({
  path: z.string().min(1).default(".").describe("The directory."),
  depth: z.number().int().min(1).max(50).default(1).describe("Levels."),
  include_ignored: z.boolean().default(false).describe("Also what .gitignore names."),
});

/** What a caller gives List. */
export type ListGiven = z.input<typeof input>;

export const listTool = defineTool<z.infer<typeof input>, "files" | "search", { readonly facts: PathFacts }>({
  name: "List",
  aliases: ["LS", "list_directory", "list_files"],
  description:
    "Lists a directory: entries with kind and size, as a tree. Directories end in /, links show their target. Leaves out what .gitignore names.",
  input,
  dataSchema: listData,
  synonyms: { file_path: "path", directory: "path", dir: "path" },
  example: { path: "src", depth: 2 },
  traits: { readOnly: true, concurrencySafe: true, searchHint: "ls dir tree directory folder entries files" },
  needs: ["files", "search"],
  async plan({ path, depth }, { files }) {
    const facts = await files.resolve(path);
    return { summary: `List ${path}`, effects: [{ kind: "read", path: facts, ...(depth > 1 ? { tree: true } : {}) }], data: { facts } };
  },
  async run(request, context) {
    const facts = context.plan.data?.facts;
    if (facts === undefined) throw new Error("List runs only with its own plan");
    if (facts.kind === "absent") throw await missingFile(facts, context.files);
    if (facts.kind === "file") {
      throw new ToolFailure("invalid_tool_input", `${facts.asked} is a file, not a directory`, {
        hint: "Use Read to see what is in it.",
        details: { reason: "not_a_directory", path: facts.asked },
      });
    }
    return listDirectory(facts, { depth: request.depth, includeIgnored: request.include_ignored }, context);
  },
});
