/** What adapters share: names that model APIs take, and results as a model reads them. */
import type { ImageContent, Result, SessionTool } from "../contract/index.ts";

/** Model APIs take no colon. */
export function apiName(name: string): string {
  return name.replaceAll(":", "__");
}

export function textOf({ output, status, approvalId }: Result): string {
  if (status !== "suspended") return output;
  return `${output}\nNothing was done yet. A person can answer with: karyi approvals answer ${approvalId} once`;
}

export function imagesOf({ content }: Result): readonly ImageContent[] {
  return content.filter((part): part is ImageContent => part.type === "image");
}

export function isFailure({ status }: Result): boolean {
  return status !== "ok" && status !== "planned";
}

/** Arguments as a model wrote them; what is no JSON is told to the model by the engine. */
export function parsedArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function parametersOf({ inputSchema }: SessionTool): Record<string, unknown> {
  return { ...inputSchema };
}
