/** `karyi config explain [KEY]`: what a setting does, from the words beside its schema, and which layer sets it now. */
import type { ExplainedKey } from "../../compose/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError } from "../front.ts";
import { locale, say } from "../messages.ts";
import { loadAll } from "./config.ts";

/** Layers from the strongest to the weakest. */
const layerNames = ["flags", "env", "project", "home"] as const;

export async function explainSetting([key]: readonly string[], flags: GlobalFlags): Promise<number> {
  const { configKeys, explainKey, ruleForms, ruleNotes } = await import("../../compose/index.ts");
  const keys = configKeys();
  if (key === undefined) {
    if (flags.json) printJson({ keys: keys.map(toWire) });
    else
      print(
        keys
          .filter((each) => !each.key.includes("."))
          .map(line)
          .join("\n"),
      );
    return exitCodes.done;
  }
  const found = explainKey(key);
  if ("unknown" in found) {
    const known = [...new Set(keys.map((each) => each.key.split(".")[0]?.replace("[]", "") ?? ""))].join(", ");
    throw new UsageError([say("unknownKey", key, known), ...(found.near === undefined ? [] : [say("nearKey", found.near)])].join(" "));
  }
  const setting = await settingOf(key, flags);
  const rules = found.key.split(".")[0] === "permissions";
  if (flags.json) {
    printJson({ ...toWire(found), value: setting?.value ?? null, set_by: setting?.layer ?? null, ...(rules ? { rules: ruleForms } : {}) });
    return exitCodes.done;
  }
  const below = keys.filter((each) => found.below.includes(each.key));
  print(
    [
      line(found),
      `  ${say("keyType", found.type)}`,
      ...(found.default === undefined ? [] : [`  ${say("keyDefault", JSON.stringify(found.default))}`]),
      ...(found.minimum === undefined ? [] : [`  ${say("keyMinimum", found.minimum)}`]),
      ...(found.example === undefined ? [] : [`  ${say("keyExample", key, textOf(found.example))}`]),
      `  ${setting === undefined ? say("keyUnset") : say("keyValue", JSON.stringify(setting.value), setting.layer)}`,
      ...(below.length === 0 ? [] : ["", say("keysBelow"), ...below.map((each) => `  ${line(each)}`)]),
      ...(rules ? ["", say("ruleFormsTitle"), ...ruleForms.map((form) => `  ${form.example}\n      ${form[locale]}`)] : []),
      ...(rules ? ["", ...ruleNotes.map((note) => `  ${note[locale]}`)] : []),
    ].join("\n"),
  );
  return exitCodes.done;
}

function line(key: ExplainedKey): string {
  return `${key.key}: ${key[locale] || key.en}`;
}

function toWire({ en, zh, ...key }: ExplainedKey): object {
  return { ...key, description: locale === "zh" ? zh || en : en };
}

/** The value in force and the layer it comes from; lists of rules may have further parts in weaker layers. */
async function settingOf(key: string, flags: GlobalFlags): Promise<{ readonly value: unknown; readonly layer: string } | undefined> {
  const { layers } = await loadAll(flags);
  for (const layer of layerNames) {
    const value = key.split(".").reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], layers[layer]);
    if (value !== undefined) return { value, layer };
  }
  return undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
