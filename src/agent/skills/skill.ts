/** A skill as a file defines it (A7): words that are told to a model when it asks for them. */

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** `fork`: the skill runs in a sub-agent, and only its answer comes back. */
  readonly context: "inline" | "fork";
  readonly body: string;
  /** Path of its `SKILL.md`. */
  readonly source: string;
}

/** Puts the arguments into the body: every `$ARGUMENTS`, literally. A body without it gets them at its end. */
export function skillText({ body }: Pick<Skill, "body">, args: string): string {
  if (body.includes("$ARGUMENTS")) return body.split("$ARGUMENTS").join(args);
  return args === "" ? body : `${body}\n\nARGUMENTS: ${args}`;
}
