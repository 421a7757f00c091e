/**
 * Turns words of the syntax tree into fields the way bash expands them: braces, tilde, parameters,
 * substitutions, splitting, patterns. What a variable holds or a substitution prints comes from the scope;
 * whatever the scope does not know becomes an unknown field, never a guess.
 */
import { parse, type Word } from "unbash";
import { expandBraces } from "./braces.ts";
import type { Scope } from "./expansion-scope.ts";
import { type Field, textField } from "./field.ts";
import { FieldBuilder, visitParts } from "./field-builder.ts";
import { overlooks, unreadable } from "./overlooked.ts";
import { isInert } from "./quote.ts";
import { expandTilde } from "./tilde.ts";

/** Every field of a word, appended to `out`. */
export function expandWord(word: Word, scope: Scope, out: Field[]): void {
  const simple = simpleField(word.text);
  if (simple !== undefined) {
    out.push(simple);
    return;
  }
  const parts = word.parts;
  if (parts === undefined) {
    out.push(plainField(word, scope));
    return;
  }
  for (const part of parts) {
    if (part.type === "BraceExpansion") {
      expandBraceWord(word, scope, out);
      return;
    }
  }
  const builder = new FieldBuilder(scope, word, out, true);
  builder.addParts(parts);
  builder.finish();
}

/**
 * The field of a word that says all by its text: inert characters, or one pair of quotes around text that means
 * nothing in them. The parser takes words apart only when it is asked for their parts; most need not be.
 */
function simpleField(text: string): Field | undefined {
  if (isInert(text)) return { kind: "text", text, many: false, shown: text };
  const last = text.length - 1;
  if (last < 1) return undefined;
  const quote = text.charCodeAt(0);
  if ((quote !== 0x27 && quote !== 0x22) || text.charCodeAt(last) !== quote) return undefined;
  for (let index = 1; index < last; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) return undefined;
    // Inside double quotes: `$`, backquote and backslash.
    if (quote === 0x22 && (code === 0x24 || code === 0x60 || code === 0x5c)) return undefined;
  }
  return textField(text.slice(1, last));
}

/** A word without quotes that matter, expansions or patterns. */
function plainField(word: Word, scope: Scope): Field {
  const shown = word.text;
  if (overlooks(shown)) scope.doubt(unreadable);
  if (!shown.includes("~")) return textField(word.value);
  const text = expandTilde(shown, word.value, true, scope);
  return shown.startsWith("~") ? { kind: "text", text, many: false, shown } : textField(text);
}

/** A word where bash neither splits nor matches names: assignments, here-strings, `case`, redirection targets. */
export function expandSingle(word: Word, scope: Scope): Field {
  const simple = simpleField(word.text);
  if (simple !== undefined) return simple;
  const parts = word.parts;
  if (parts === undefined) return plainField(word, scope);
  const out: Field[] = [];
  const builder = new FieldBuilder(scope, word, out, false);
  builder.addParts(parts);
  builder.finish();
  return out[0] ?? textField("");
}

function expandBraceWord(word: Word, scope: Scope, out: Field[]): void {
  const texts = expandBraces(word.text);
  if (texts === undefined) {
    visitParts(word.parts ?? [], scope);
    out.push({ kind: "words", text: "", many: true, shown: word.text });
    return;
  }
  // Inside the pieces positions count from elsewhere, so that a script in them could not be checked.
  if (/[$<>]\(|`/.test(word.text)) scope.doubt("brace expansion around a substitution");
  for (const text of texts) {
    if (text === "") continue;
    const command = parse(`: ${text}`).commands[0]?.command;
    const inner = command?.type === "Command" && command.suffix.length === 1 ? command.suffix[0] : undefined;
    if (inner === undefined || inner.type !== "Word" || inner.parts?.some((part) => part.type === "BraceExpansion")) {
      scope.doubt("brace expansion cannot be followed");
      out.push({ kind: "words", text: "", many: true, shown: text });
    } else {
      expandWord(inner, scope, out);
    }
  }
}
