/** docs/config.md, made from the schema of the configuration and the table of rule forms. */
import { configKeys, ruleForms, ruleNotes } from "../../src/compose/index.ts";

export function configReference(): string {
  const keys = configKeys().map(({ key, type, en, default: value, minimum, example, required }) =>
    [
      `### \`${key}\``,
      "",
      `${en}${required ? " Required." : ""}`,
      "",
      `- type: ${type.includes("|") ? type.split(" | ").map(code).join(", ") : type}`,
      ...(value === undefined ? [] : [`- default: ${code(JSON.stringify(value))}`]),
      ...(minimum === undefined ? [] : [`- at least: ${minimum}`]),
      ...(example === undefined ? [] : [`- example: ${code(JSON.stringify(example))}`]),
      "",
    ].join("\n"),
  );
  const forms = ruleForms.map(({ form, example, en }) => `| ${code(form)} | ${code(example)} | ${en} |`);
  return [
    "# Configuration",
    "",
    "Made by `npm run docs` from the schema; `karyi config explain KEY` says the same, with the value in force.",
    "",
    "`~/.karyi/config.json` below `.karyi/config.json` of the workspace below environment below flags. Later layers win key by key;",
    "lists of rules, roots and hooks add up. A project's file can only tighten until `karyi config trust`.",
    "",
    "## Rules",
    "",
    "| form | example | meaning |",
    "| --- | --- | --- |",
    ...forms,
    "",
    ...ruleNotes.map(({ en }) => `- ${en}`),
    "",
    "## Keys",
    "",
    ...keys,
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}
