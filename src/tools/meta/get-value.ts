/**
 * GetValue: asks the person for a secret with hidden input. The value goes into the vault; this tool, and the model
 * that called it, only ever learn its name.
 */

import { z } from "zod";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { getValueData } from "../data/other-data.ts";

/** People answer when they come back. */
const patienceMs = 24 * 3600 * 1000;

const scopes = { session: "for this session", project: "for this project", global: "for all projects" } as const;

const input = z.object({
  key: z
    .string()
    .max(128)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "letters, digits and _, not beginning with a digit")
    .describe("Such as GITHUB_TOKEN"),
  reason: z.string().min(1).max(1000).describe("Why, for the person"),
  note: z.string().max(1000).optional().describe("What to save it as"),
});
export type GetValueGiven = z.input<typeof input>;

export const getValue = defineTool({
  name: "GetValue",
  aliases: ["get_value"],
  description:
    "Asks the person for a secret with hidden input. You never see it: from the next turn on, write $KARYI{key} in any tool input " +
    "where it belongs. Never ask for secrets in the conversation.",
  input,
  dataSchema: getValueData,
  synonyms: { name: "key", variable: "key", why: "reason" },
  example: { key: "NPM_TOKEN", reason: "Publishing the package to the registry needs it.", note: "Token for publishing" },
  traits: { searchHint: "secret password token credential api key ask person secure variable" },
  needs: ["valueRequests"],
  timeoutMs: patienceMs,
  resumable: true,
  plan: ({ key, reason }) => ({
    summary: `Ask the person for the value of ${key}: ${reason}`,
    effects: [{ kind: "state", area: "values" }],
  }),
  async run({ key, reason, note }, { valueRequests, callId, signal }) {
    if (!valueRequests.canAsk()) {
      throw new ToolFailure("permission_denied", `There is nobody here who could be asked for ${key}.`, {
        hint: `The person can give it beforehand with \`karyi var set ${key}\`; then $KARYI{${key}} works.`,
        details: { reason: "nobody_to_ask", key },
      });
    }
    const answer = await valueRequests.ask({ id: callId, key, reason, ...(note === undefined ? {} : { note }) }, signal);
    if (answer.kind === "refused") {
      const words = answer.words === undefined || answer.words.trim() === "" ? "" : ` They said: ${answer.words.trim()}`;
      throw new ToolFailure("permission_denied", `The person did not give a value for ${key}.${words}`, {
        hint: "Go on without it, or ask what to do instead.",
        details: { reason: "value_refused", key },
      });
    }
    return {
      output: `The person gave a value for ${key}, kept ${scopes[answer.scope]}. From the next turn on, $KARYI{${key}} stands for it in any tool input.`,
      data: { key, scope: answer.scope },
    };
  },
});
