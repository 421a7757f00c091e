/** What a script would do, for `karyi shell parse`: its commands, redirections, class and effects. */
import type { JsonObject } from "../contract/index.ts";
import { analyzeCommand, extractCommands, parseShell } from "../shell/index.ts";

export function describeScript(text: string, workspace: string, userHome: string): JsonObject {
  const { errors, understood } = parseShell(text);
  const analysis = analyzeCommand(text, { cwd: workspace, userHome, workspace, gitTrusted: false });
  return JSON.parse(
    JSON.stringify({
      understood: understood && analysis.understood,
      parsed: errors.length === 0,
      errors,
      class: analysis.class,
      commands: extractCommands(text),
      effects: analysis.effects,
    }),
  ) as JsonObject;
}
