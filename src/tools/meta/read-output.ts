/** ReadOutput: reads an output that was too long for its result, page by page, from where the whole is kept. */

import { z } from "zod";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { readOutputData } from "../data/other-data.ts";

const usualBytes = 50_000;
const mostBytes = 200_000;

const input = z.object({
  ref: z.string().min(1).describe("From the cut result"),
  offset: z.int().min(0).default(0).describe("First byte"),
  limit: z.int().min(1).max(mostBytes).default(usualBytes).describe("Most bytes"),
});
export type ReadOutputGiven = z.input<typeof input>;

export const readOutput = defineTool({
  name: "ReadOutput",
  aliases: ["read_output"],
  description: "Reads a page of an output that was cut; " + "go on with the offset it gives until the end.",
  input,
  dataSchema: readOutputData,
  synonyms: { reference: "ref", id: "ref", output_ref: "ref", start: "offset", length: "limit" },
  example: { ref: "out_1", offset: 0 },
  traits: { readOnly: true, concurrencySafe: true, searchHint: "output truncated rest whole page continue" },
  needs: ["outputs"],
  plan: ({ ref, offset }) => ({
    summary: `Read the stored output ${ref} from byte ${offset}`,
    effects: [{ kind: "state", area: "outputs" }],
  }),
  async run({ ref, offset, limit }, { outputs }) {
    const page = await outputs.read(ref, offset, limit);
    if (page === undefined) {
      throw new ToolFailure("tool_not_found", `There is no stored output '${ref}' in this session.`, {
        hint: "Use the reference exactly as the cut result gives it; old outputs are removed after a while. Run the call again to get a new one.",
        details: { reason: "output_not_found", ref },
      });
    }
    const { text, next, total } = page;
    const eof = next === undefined;
    const note = eof
      ? page.offset >= total
        ? `[end of output, ${total} bytes]`
        : ""
      : `\n[${total - next} more bytes; continue with offset ${next}]`;
    return { output: `${text}${note}`, data: { ref, offset: page.offset, next: next ?? null, total, eof } };
  },
});
