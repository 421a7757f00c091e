/** Fills `${VAR}`, `${VAR:-default}` and `$KARYI{NAME}` into a server's settings, when it is started and not before. */
import { variableName } from "../../contract/index.ts";
import type { ServerSettings } from "./server-settings.ts";

export interface Expansions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of a secure variable; throws if it is missing or may not be used here. */
  reveal(name: string): Promise<string>;
}

const pattern = new RegExp(`\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\\}|\\$KARYI\\{(${variableName})\\}`, "g");

export async function expanded(settings: ServerSettings, expansions: Expansions): Promise<ServerSettings> {
  const text = (value: string) => expandText(value, expansions);
  const each = async (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(await Promise.all(Object.entries(values).map(async ([name, value]) => [name, await text(value)] as const)));
  if (settings.kind === "http") return { ...settings, url: await text(settings.url), headers: await each(settings.headers) };
  return {
    ...settings,
    command: await text(settings.command),
    args: await Promise.all(settings.args.map(text)),
    env: await each(settings.env),
  };
}

export async function expandText(text: string, { env, reveal }: Expansions): Promise<string> {
  let result = "";
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, variable, fallback, secret] = match;
    result += text.slice(at, match.index);
    at = match.index + whole.length;
    if (secret !== undefined) result += await reveal(secret);
    else result += variableOf(env[variable ?? ""], variable ?? "", fallback);
  }
  return result + text.slice(at);
}

function variableOf(value: string | undefined, name: string, fallback: string | undefined): string {
  if (value !== undefined && (value !== "" || fallback === undefined)) return value;
  if (fallback !== undefined) return fallback;
  throw new Error(`the variable ${name} that its settings name is not set`);
}
