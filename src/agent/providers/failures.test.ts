import { APICallError, LoadAPIKeyError } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { failureOf } from "./failures.ts";

const answered = (statusCode: number, message: string) => new APICallError({ message, url: "", requestBodyValues: {}, statusCode });

it.each([
  ["Anthropic", 400, "prompt is too long: 210000 tokens > 200000 maximum", 200_000],
  [
    "Anthropic, with its answer",
    400,
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
    200_000,
  ],
  ["OpenAI", 400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.", 128_000],
  ["OpenAI Responses", 400, "Your input exceeds the context window of this model. Please adjust your input and try again.", undefined],
  ["Google", 400, "The input token count (1048577) exceeds the maximum number of tokens allowed (1048575).", 1_048_575],
  ["xAI", 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
  ["llama.cpp", 500, "the request exceeds the available context size, try increasing it", undefined],
  ["TGI", 422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", 4096],
])("knows an overflow of %s", (_, status, message, window) => {
  expect(failureOf(answered(status, message))).toMatchObject({ kind: "overflow", code: "context_overflow", windowTokens: window });
});

it("tells what passes from what does not", () => {
  expect(failureOf(answered(500, "internal error")).kind).toBe("retry");
  expect(failureOf(answered(429, "too many tokens per minute: token limit reached")).kind).toBe("retry");
  expect(failureOf(answered(404, "no such model")).kind).toBe("fatal");
  expect(failureOf(new TypeError("terminated")).kind).toBe("retry");
  // A package that is set up wrongly is wrong the next time too.
  expect(failureOf(new LoadAPIKeyError({ message: "no key" })).kind).toBe("fatal");
});
