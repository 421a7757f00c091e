/** `${x#a}`, `${x%a}` and `${x/a/b}` on values that are known, with patterns that are plain text; otherwise unknown. */
import type { Word } from "unbash";
import { type Field, textField } from "./field.ts";

export function removeAffix(value: Field | undefined, operator: string, operand: Word): Field | undefined {
  if (value?.kind !== "text" || operand.parts !== undefined || operand.text !== operand.value) return undefined;
  const affix = operand.value;
  if (operator.startsWith("#")) return textField(value.text.startsWith(affix) ? value.text.slice(affix.length) : value.text);
  return textField(value.text.endsWith(affix) ? value.text.slice(0, value.text.length - affix.length) : value.text);
}

export function replaceText(value: Field | undefined, operator: string, pattern: Word, replacement: Word): Field | undefined {
  const isPlain =
    pattern.parts === undefined && replacement.parts === undefined && pattern.value !== "" && !replacement.value.includes("&");
  if (value?.kind !== "text" || !isPlain) return undefined;
  if (operator === "//") return textField(value.text.replaceAll(pattern.value, () => replacement.value));
  return operator === "/" ? textField(value.text.replace(pattern.value, () => replacement.value)) : undefined;
}
