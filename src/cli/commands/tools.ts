/** `karyi tools [show NAME]`: what there is and how it is called. */
import type { DescribedTool, JsonObject, Tool } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, withEngine } from "../front.ts";
import { say } from "../messages.ts";

export function listTools(_: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const tools = engine.tools();
    if (flags.json) printJson({ tools });
    else {
      const width = Math.max(...tools.map(({ name }) => name.length));
      print(tools.map(({ name, description }) => `${name.padEnd(width)}  ${firstSentence(description)}`).join("\n"));
    }
    return exitCodes.done;
  });
}

export function showTool([name = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const tool = engine.registry.get(name);
    if (!tool) throw new Error(say("unknownTool", name, engine.registry.closest(name, 3).join(", ")));
    const spec = engine.describe(tool);
    if (flags.json) printJson(spec);
    else print(describe(tool, spec));
    return exitCodes.done;
  });
}

function describe(tool: Tool, { inputSchema: schema, safetyLevel, unchecked = [] }: DescribedTool): string {
  const lines = [tool.name, "", tool.description];
  if (tool.aliases && tool.aliases.length > 0) lines.push("", say("aliases", tool.aliases.join(", ")));
  lines.push(say("safety", safetyLevel), "", say("parameters"));
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  for (const [name, value] of Object.entries((schema.properties ?? {}) as JsonObject)) {
    const property = (value ?? {}) as JsonObject;
    const notes = [String(property.type ?? "any"), required.has(name) ? say("required") : say("optional")];
    if (property.default !== undefined) notes.push(say("defaultIs", JSON.stringify(property.default)));
    lines.push(`  ${name} (${notes.join(", ")})${property.description ? `  ${String(property.description)}` : ""}`);
  }
  if (unchecked.length > 0) lines.push("", say("uncheckedParts", unchecked.join("; ")));
  if (tool.example !== undefined) {
    const example = `  karyi call ${tool.name} '${JSON.stringify(tool.example).replaceAll("'", "'\\''")}'`;
    lines.push("", say("examples"), example, ...(tool.traits?.readOnly ? [] : [`${example} --dry-run`]));
  }
  return lines.join("\n");
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.。])\s/, 1)[0] ?? text;
}
