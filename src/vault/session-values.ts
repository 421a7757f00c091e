/**
 * The port over the vault for one session: what may be used where, filled in last of all. A missing or forbidden variable
 * stops the call; nothing is ever sent with a name in place of its value unless the person chose `warn`.
 */
import { type Json, ToolFailure, type Values, type ValueUse } from "../contract/index.ts";
import { fillIn, placeholdersIn } from "./placeholders.ts";
import { isBound, type Variable, whyNotBound } from "./variables.ts";
import type { Vault, VaultPlace } from "./vault.ts";

export interface ValuesOptions {
  /** What a variable that does not exist does: stops the call (`interactive`), or stays as it is written, with a warning. */
  readonly missing?: "interactive" | "warn";
  readonly warn?: (message: string) => void;
  /** True while nobody is asked about calls: a value is then used only as a binding says, since a program can print what it holds. */
  readonly unattended?: () => boolean;
}

export function sessionValues(
  vault: Vault,
  place: VaultPlace,
  { missing = "interactive", warn = () => {}, unattended = () => false }: ValuesOptions = {},
): Values {
  const usable = async (name: string, use: ValueUse): Promise<Variable | undefined> => {
    const variable = await vault.get(name, place);
    const problem = variable === undefined ? undefined : whyNotBound(variable, use);
    if (problem !== undefined) throw notBound(name, problem);
    if (variable !== undefined && unattended() && !isBound(variable))
      throw notBound(name, `${name} is bound to no tool, host or command, and nobody is asked here whether it may be used.`);
    return variable;
  };
  return {
    list: () => vault.list(place),
    placeholders: placeholdersIn,
    async substitute(input: Json, use, except) {
      const own = Object.fromEntries(Object.entries(isRecord(input) ? input : { input }).filter(([name]) => !except.includes(name)));
      const found = new Map<string, string>();
      const lacking: string[] = [];
      for (const name of placeholdersIn(own)) {
        const variable = await usable(name, use);
        if (variable === undefined) lacking.push(name);
        else found.set(name, variable.value);
      }
      if (lacking.length > 0) {
        if (missing === "interactive") throw valueMissing(lacking);
        warn(`There is no variable ${lacking.join(", ")}: left as it is written.`);
      }
      return fillIn(input, (name) => found.get(name), except);
    },
    async reveal(name, use) {
      const variable = await usable(name, use);
      if (variable !== undefined) return variable.value;
      if (missing === "interactive") throw valueMissing([name]);
      warn(`There is no variable ${name}: left as it is written.`);
      return `$KARYI{${name}}`;
    },
    async heldIn(texts) {
      if (texts.length === 0) return [];
      const known = await Promise.all((await vault.list(place)).map(({ name }) => vault.get(name, place)));
      return known.flatMap((variable) =>
        variable !== undefined && variable.value !== "" && texts.some((text) => text.includes(variable.value))
          ? [{ name: variable.name, value: variable.value }]
          : [],
      );
    },
  };
}

function isRecord(value: Json): value is Exclude<Json, null | boolean | number | string | readonly Json[]> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueMissing(names: readonly string[]): ToolFailure {
  const [first = ""] = names;
  return new ToolFailure("tool_not_found", `There is no variable ${names.join(", ")}.`, {
    hint: `Ask the person for it with GetValue {"key": "${first}", "reason": "…"}, or they run \`karyi var set ${first}\`.`,
    details: { reason: "value_missing", names },
  });
}

function notBound(name: string, problem: string): ToolFailure {
  return new ToolFailure("permission_denied", problem, {
    hint: `The person decides where a variable may be used (\`karyi var set ${name} --hosts … --tools … --commands …\`).`,
    details: { reason: "value_not_bound", name },
  });
}
