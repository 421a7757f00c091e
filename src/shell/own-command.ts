/**
 * Karyi's own command inside a command: what decides for the person (answers, approvals, trust, tokens, secrets) is on the
 * floor, whoever calls it and through whatever program. Says nothing about the rest of it.
 */
import type { Field } from "./field.ts";

/** Sub-commands that decide; `undefined` means all of them but those that only list. */
const deciding: Readonly<Record<string, RegExp>> = {
  evolve: /^(?:approve|reject|revoke)$/,
  approvals: /^answer$/,
  token: /^(?:add|remove)$/,
  config: /^(?:set|trust)$/,
  plugin: /^(?:add|remove)$/,
  mcp: /^(?:add|remove)$/,
  var: /^(?:set|get|rm|rekey|reset)$/,
  hook: /./,
};

const own = /(?:^|\/)karyi(?:\.(?:js|mjs|cjs|cmd))?(?:@[\w.-]+)?$/;

/** Why this command must not run; `undefined` if it is none of Karyi's, or only looks. */
export function decidesForPerson(fields: readonly Field[]): string | undefined {
  const at = fields.findIndex((field) => field.kind === "text" && own.test(field.text));
  if (at < 0) return undefined;
  const words = fields.slice(at + 1).map((field) => (field.kind === "text" ? field.text : ""));
  for (const [index, word] of words.entries()) {
    const sub = Object.hasOwn(deciding, word) ? deciding[word] : undefined;
    if (sub !== undefined && words.slice(index + 1).some((next) => sub.test(next))) return `karyi ${word} decides for the person`;
  }
  const answersItself = words.some((word, index) => word === "--approve=yes" || (word === "--approve" && words[index + 1] === "yes"));
  return answersItself ? "it would answer Karyi's questions by itself" : undefined;
}
