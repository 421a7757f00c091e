/** TerminalScreen (B8): the terminal as a person sees it, for programs that draw instead of printing lines. */

import { z } from "zod";
import { defineTool } from "../../contract/index.ts";
import { screenData } from "../data/command-data.ts";

export const terminalScreen = defineTool<Record<string, never>, "terminals">({
  name: "TerminalScreen",
  aliases: ["terminal_screen", "read_screen"],
  description: "Shows the terminal's screen as a person sees it, and what its program waits for. Changes nothing.",
  input: z.object({}),
  dataSchema: screenData,
  example: {},
  traits: { readOnly: true, searchHint: "screen look terminal visible editor pager top display" },
  needs: ["terminals"],
  plan: () => ({ summary: "Look at the terminal's screen", effects: [{ kind: "state", area: "terminal" }] }),
  async run(_, { terminals }) {
    const { lines, row, column } = await terminals.screen();
    const { state, waiting, program, cwd } = await terminals.peek();
    const text = lines.join("\n").trimEnd();
    const what = waiting ? `${program ?? "a program"} waits for input: ${waiting}` : state;
    return {
      output: `${text === "" ? "(empty screen)" : text}\n[${what}; cursor at row ${row + 1}, column ${column + 1}]`,
      data: {
        lines: [...lines],
        row,
        column,
        state,
        ...(cwd === undefined ? {} : { cwd }),
        ...(program === undefined ? {} : { program }),
        ...(waiting ? { waiting, input_required: { kind: waiting } } : {}),
      },
    };
  },
});
