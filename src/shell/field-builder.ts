/**
 * Builds the fields of one word from its parts, the way bash expands, splits and matches them.
 * What the scope does not know becomes an unknown field; what bash would read otherwise is reported as unreadable.
 */
import type { ParameterExpansionPart, Word, WordPart } from "unbash";
import { removeAffix, replaceText } from "./affix.ts";
import type { Scope } from "./expansion-scope.ts";
import { escapePattern, type Field, hasWildcard, textField } from "./field.ts";
import { isClosed, overlooks, overlooksExpansion, unreadable } from "./overlooked.ts";
import { expandTilde } from "./tilde.ts";

const splitting = /[ \t\n]+/;

/** A word inside `${…}`, where blanks and brackets are as good as letters. */
function expandOperand(word: Word, scope: Scope): Field {
  const parts = word.parts;
  if (parts === undefined) {
    if (overlooksExpansion(word.text)) scope.doubt(unreadable);
    return textField(word.value);
  }
  const out: Field[] = [];
  const builder = new FieldBuilder(scope, undefined, out, false);
  builder.addParts(parts);
  builder.finish();
  return out[0] ?? textField("");
}

/** The body of a here-document or a double-quoted text: visited for what its expansions do. */
export function expandParts(parts: readonly WordPart[], scope: Scope): void {
  const builder = new FieldBuilder(scope, undefined, [], false);
  builder.addParts(parts);
}

export function visitParts(parts: readonly WordPart[], scope: Scope): void {
  for (const part of parts) {
    if (part.type === "CommandExpansion" || part.type === "ProcessSubstitution") scope.substitute(part.script);
    else if (part.type === "BraceExpansion" || part.type === "DoubleQuoted" || part.type === "Glob") visitParts(part.parts ?? [], scope);
    else if (part.type !== "Literal" && part.type !== "SingleQuoted") scope.doubt("brace expansion cannot be followed");
  }
}

export class FieldBuilder {
  private text = "";
  private pattern: string | undefined;
  private started = false;
  private isGlob = false;
  /** The pattern stands in this word, so that bash puts every match in its place. */
  private expands = false;
  private numbers = 0;
  /** One of the numbers may be none at all, or several. */
  private loose = false;
  private pieces = 0;
  private unknown: "no" | "one" | "many" = "no";
  private isStream = false;
  private stream = "";
  /** The word with examples in place of the commits that git named. */
  private sample: string | undefined;
  private samples = false;
  /** The pattern of file names that splitting cut up. */
  private cut: string | undefined;

  constructor(
    private readonly scope: Scope,
    private readonly word: Word | undefined,
    private readonly out: Field[],
    /** Splitting and name matching apply. */
    private readonly splits: boolean,
  ) {}

  addParts(parts: readonly WordPart[]): void {
    for (let index = 0; index < parts.length; index += 1) {
      const part = parts[index];
      if (part !== undefined) this.addPart(part, index === 0, parts.length === 1);
    }
  }

  private addPart(part: WordPart, first: boolean, only: boolean): void {
    switch (part.type) {
      case "Literal":
        if (this.word === undefined ? overlooksExpansion(part.text) : overlooks(part.text)) this.scope.doubt(unreadable);
        this.literal(first && part.text.includes("~") ? expandTilde(part.text, part.value, only, this.scope) : part.value);
        return;
      case "AnsiCQuoted":
        // Bash knows a form of it that no manual names.
        if (part.text.includes("\\x{")) this.scope.doubt(unreadable);
        this.literal(part.value);
        return;
      case "SingleQuoted":
        this.literal(part.value);
        return;
      case "Glob":
        if (part.parts === undefined || part.parts.every((inner) => inner.type === "Literal" && inner.text === inner.value)) {
          this.wildcard(part.text, part.text);
        } else {
          // A set built by quotes or an expansion is not the set this text shows.
          expandParts(part.parts, this.scope);
          this.wildcard(part.text, "*");
        }
        return;
      case "DoubleQuoted":
      case "LocaleString":
        this.started = true;
        for (const child of part.parts) {
          if (child.type === "Literal") {
            if (overlooksExpansion(child.text)) this.scope.doubt(unreadable);
            this.literal(child.value);
          } else this.expansion(child, true, part.parts.length === 1 && only);
        }
        return;
      case "ProcessSubstitution":
        this.stream = (this.scope.substitute(part.script) ?? []).map((field) => field.text).join(" ");
        this.started = true;
        this.pieces += 1;
        this.isStream = true;
        return;
      case "ExtendedGlob":
        this.scope.doubt("extended pattern");
        this.addUnknown(true);
        return;
      case "BraceExpansion":
        // Not expanded where a single word is wanted; bash keeps it as it stands.
        if (part.parts === undefined) this.literal(part.text);
        else {
          visitParts(part.parts, this.scope);
          this.addUnknown(false);
        }
        return;
      default:
        this.expansion(part, false, only);
    }
  }

  private expansion(part: WordPart, quoted: boolean, alone: boolean): void {
    if (!isClosed(part.text)) this.scope.doubt(unreadable);
    switch (part.type) {
      case "SimpleExpansion": {
        const name = part.text.slice(1);
        if (name === "@" || name === "*") this.allPositional(name, quoted, alone);
        else this.addField(this.scope.lookup(name), quoted);
        return;
      }
      case "ParameterExpansion":
        this.addField(this.parameter(part, quoted, alone), quoted);
        return;
      case "CommandExpansion": {
        if (part.text.startsWith("${")) this.scope.doubt("substitution that not every bash knows");
        const printed = this.scope.substitute(part.script);
        if (printed === undefined) this.addUnknown(!quoted);
        else this.addAll(printed, quoted);
        return;
      }
      case "ArithmeticExpansion":
        this.scope.arithmetic(part.expression);
        this.addField({ kind: "number", text: "", many: false, shown: part.text }, true);
        return;
      default:
        this.scope.doubt("expansion that is not known");
        this.addUnknown(true);
    }
  }

  private addAll(fields: readonly Field[], quoted: boolean): void {
    fields.forEach((field, index) => {
      if (index > 0) {
        if (quoted) this.literal(" ");
        else this.breakField();
      }
      this.addField(field, quoted);
    });
    if (quoted) this.started = true;
  }

  private allPositional(name: string, quoted: boolean, alone: boolean): void {
    const fields = this.scope.positional();
    if (fields === undefined) {
      this.addUnknown(this.splits);
    } else if (quoted && name === "@" && alone) {
      this.started = false;
      for (const field of fields) this.out.push(field);
    } else {
      this.addAll(fields, quoted);
    }
  }

  private parameter(part: ParameterExpansionPart, quoted: boolean, alone: boolean): Field | undefined {
    const { scope } = this;
    if (part.prefix === "!") {
      scope.doubt("indirect expansion");
      return undefined;
    }
    if (part.index !== undefined) {
      const index = part.index.value;
      if (index !== "@" && index !== "*" && !/^\d+$/.test(index)) {
        expandOperand(part.index, scope);
        scope.doubt("array subscript that is evaluated");
      }
    }
    if (part.prefix === "#") return { kind: "number", text: "", many: false, shown: part.text };
    const isAll = part.parameter === "@" || part.parameter === "*";
    if (isAll && part.operation === undefined) {
      this.allPositional(part.parameter, quoted, alone);
      return emptyQuoted;
    }
    const value = part.index === undefined && !isAll ? scope.lookup(part.parameter) : undefined;
    const several = isAll || part.index?.value === "@" || part.index?.value === "*";
    const result = this.operate(part, value);
    return result ?? (several ? { kind: "words", text: "", many: true, shown: part.text } : undefined);
  }

  private operate(part: ParameterExpansionPart, value: Field | undefined): Field | undefined {
    const { scope } = this;
    const operation = part.operation;
    if (operation === undefined) return value;
    switch (operation.type) {
      case "Default": {
        const operand = expandOperand(operation.operand, scope);
        const known = value?.kind === "text" ? value : undefined;
        if (operation.operator === "=" || operation.operator === ":=")
          scope.assign(part.parameter, { kind: "word", text: "", many: false, shown: operand.shown });
        if (known === undefined) return undefined;
        const isSet = known.text !== "" || !operation.operator.startsWith(":");
        if (operation.operator.endsWith("+")) return isSet ? operand : textField("");
        return isSet ? known : operand;
      }
      case "Remove":
        expandOperand(operation.operand, scope);
        return removeAffix(value, operation.operator, operation.operand);
      case "Replace":
        expandOperand(operation.pattern, scope);
        expandOperand(operation.replacement, scope);
        return replaceText(value, operation.operator, operation.pattern, operation.replacement);
      case "CaseModification":
        if (operation.operand !== undefined) expandOperand(operation.operand, scope);
        return undefined;
      case "Slice":
        return this.slice(value, operation.offset, operation.length);
      case "Transform":
        if (!/^[QEUuLAKak]$/.test(operation.operand.value)) scope.doubt("expansion that evaluates its value as a prompt");
        return undefined;
      case "Names":
        return undefined;
      default:
        scope.doubt("expansion that is not known");
        return undefined;
    }
  }

  private slice(value: Field | undefined, offset: Word, length: Word | undefined): Field | undefined {
    for (const word of length === undefined ? [offset] : [offset, length]) {
      const field = expandOperand(word, this.scope);
      const numeric = field.kind === "number" || (field.kind === "text" && /^\s*-?\d+\s*$/.test(field.text));
      if (!numeric) {
        this.scope.doubt("offset that is evaluated as arithmetic");
        return undefined;
      }
    }
    // Bash counts characters or bytes, as the locale says.
    if (value?.kind !== "text" || /[^ -~]/.test(value.text)) return undefined;
    const start = Number(offset.value);
    const count = length === undefined ? value.text.length : Number(length.value);
    if (!Number.isInteger(start) || !Number.isInteger(count) || start < 0 || count < 0) return undefined;
    return textField(value.text.slice(start, start + count));
  }

  private literal(text: string): void {
    this.started = true;
    this.pieces += 1;
    this.text += text;
    if (this.sample !== undefined) this.sample += text;
    if (this.pattern !== undefined) this.pattern += escapePattern(text);
  }

  /** Most words never need their pattern; it begins with what was literal so far. */
  private match(pattern: string): void {
    this.pattern = (this.pattern ?? escapePattern(this.text)) + pattern;
  }

  private wildcard(text: string, pattern: string): void {
    this.started = true;
    this.pieces += 1;
    if (!this.splits) {
      if (this.unknown === "no") this.text += text;
      return;
    }
    this.isGlob = true;
    this.expands = true;
    this.match(pattern);
    if (this.unknown === "no") this.text += text;
  }

  private addUnknown(splits: boolean): void {
    this.started = true;
    this.pieces += 1;
    if (splits && this.splits) this.unknown = "many";
    else if (this.unknown === "no") this.unknown = "one";
  }

  private addField(field: Field | undefined, quoted: boolean): void {
    if (field === emptyQuoted) return;
    if (field === undefined) {
      this.addUnknown(!quoted);
      return;
    }
    switch (field.kind) {
      case "text":
        if (quoted || !this.splits) this.literal(field.text);
        else this.splitText(field.text);
        return;
      case "number":
        this.started = true;
        this.pieces += 1;
        this.numbers += 1;
        if (field.many && !(quoted && this.splits)) this.loose = true;
        this.match("*");
        return;
      case "glob":
        if (!quoted && this.splits) {
          this.cut = this.pieces === 0 ? field.text : undefined;
          this.addUnknown(true);
          return;
        }
        this.started = true;
        this.pieces += 1;
        this.isGlob = true;
        this.match(field.text);
        return;
      case "stream":
        this.started = true;
        this.isStream = true;
        this.pieces += 1;
        return;
      case "words":
        this.cut = this.pieces === 0 ? field.pattern : undefined;
        this.addUnknown(true);
        return;
      default:
        if (field.revision === undefined) this.addUnknown(!quoted);
        else this.addRevision(field.revision, field.many && !(quoted && this.splits));
    }
  }

  /** It has no blanks and no wildcards in it, so that quotes make no difference. */
  private addRevision(revision: string, many: boolean): void {
    this.started = true;
    this.pieces += 1;
    this.sample = (this.sample ?? this.text) + revision;
    this.samples ||= many;
  }

  /** The value of an unquoted variable: split at blanks, then matched against names. */
  private splitText(text: string): void {
    const pieces = text.split(splitting);
    pieces.forEach((piece, index) => {
      if (index > 0) this.breakField();
      if (piece === "") return;
      if (piece.includes("\\")) this.addUnknown(true);
      else if (hasWildcard(piece)) this.wildcard(piece, piece);
      else this.literal(piece);
    });
  }

  private breakField(): void {
    this.finish();
    this.started = false;
    this.text = "";
    this.pattern = undefined;
    this.isGlob = false;
    this.expands = false;
    this.isStream = false;
    this.unknown = "no";
    this.sample = undefined;
    this.samples = false;
    this.cut = undefined;
    this.numbers = 0;
    this.loose = false;
    this.pieces = 0;
  }

  finish(): void {
    if (!this.started) return;
    const shown = this.word?.text ?? "";
    if (this.loose && this.pieces > 1) this.unknown = this.splits ? "many" : "one";
    if (this.unknown !== "no") {
      if (this.expands) this.scope.doubt("a pattern in a place that is only known when it runs");
      const prefix = this.isGlob || this.numbers > 0 ? "" : this.text;
      if (this.cut !== undefined && this.pieces === 1) this.out.push({ kind: "words", text: "", many: true, shown, pattern: this.cut });
      else this.out.push({ kind: this.unknown === "many" ? "words" : "word", text: prefix, many: this.unknown === "many", shown });
    } else if (this.sample !== undefined) {
      const revision = this.isGlob || this.isStream || this.numbers > 0 ? {} : { revision: this.sample };
      this.out.push({ kind: "word", text: "", many: this.samples, shown, ...revision });
    } else if (this.isStream) {
      const alone = this.pieces === 1;
      this.out.push({ kind: alone ? "stream" : "word", text: this.text, many: false, shown, ...(alone ? { flow: this.stream } : {}) });
    } else if (this.numbers > 0 && this.pieces === this.numbers) {
      this.out.push({ kind: "number", text: "", many: this.loose, shown });
    } else if (this.isGlob || this.numbers > 0) {
      const numeric = this.isGlob ? {} : { numeric: true };
      this.out.push({ kind: "glob", text: this.pattern ?? "", many: this.expands, shown, ...numeric });
    } else {
      this.out.push(textField(this.text));
    }
  }
}

/** Stands for "already added". */
const emptyQuoted: Field = textField("");
