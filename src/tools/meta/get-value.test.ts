import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { type RunContext, ToolFailure, type ToolOutput, type ValueAnswer, type ValueRequest } from "../../contract/index.ts";
import { getValue } from "./get-value.ts";

const input = { key: "NPM_TOKEN", reason: "Publishing needs it." };

function run(answer: ValueAnswer | undefined, asked: ValueRequest[] = []): Promise<ToolOutput> {
  const valueRequests = {
    canAsk: () => answer !== undefined,
    ask: async (request: ValueRequest) => {
      asked.push(request);
      return answer;
    },
  };
  return Promise.resolve(getValue.run(input, { valueRequests, signal: new AbortController().signal } as unknown as RunContext));
}

describe("GetValue", () => {
  it("says how the value is used, never the value", async () => {
    const asked: ValueRequest[] = [];
    expect(await run({ kind: "given", scope: "session" }, asked)).toEqual({
      output:
        "The person gave a value for NPM_TOKEN, kept for this session. From the next turn on, $KARYI{NPM_TOKEN} stands for it in any tool input.",
      data: { key: "NPM_TOKEN", scope: "session" },
    });
    expect(asked).toEqual([input]);
  });

  it("a refusal carries the person's words", async () => {
    const failure = await run({ kind: "refused", words: "use the read-only one" }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolFailure);
    expect((failure as ToolFailure).toError()).toEqual({
      code: "permission_denied",
      message: "The person did not give a value for NPM_TOKEN. They said: use the read-only one",
      hint: "Go on without it, or ask what to do instead.",
      details: { reason: "value_refused", key: "NPM_TOKEN" },
    });
  });

  it("nobody to ask is a denial that says what the person can do", async () => {
    const failure = await run(undefined).catch((error: unknown) => error);
    expect((failure as ToolFailure).toError()).toMatchObject({ code: "permission_denied", details: { reason: "nobody_to_ask" } });
    expect((failure as ToolFailure).hint).toContain("karyi var set NPM_TOKEN");
  });

  it("takes names that can be placeholders, and nothing else", () => {
    const schema = getValue.input as z.ZodType;
    expect(schema.safeParse(getValue.example).success).toBe(true);
    for (const key of ["", "1A", "A-B", "A}B"]) expect(schema.safeParse({ ...input, key }).success).toBe(false);
  });

  it("plans without asking", async () => {
    expect(await getValue.plan?.(input, {} as never)).toEqual({
      summary: "Ask the person for the value of NPM_TOKEN: Publishing needs it.",
      effects: [{ kind: "state", area: "values" }],
    });
  });
});
