import { expect, it } from "vitest";
import type { CallPart } from "../history/message.ts";
import { Repetition } from "./repetition.ts";

const call = (name: string): CallPart => ({ type: "call", callId: name, providerId: name, name, input: {} });

/** What is said of each turn; `results` says what the calls of a turn gave. */
function said(turns: string, results: (turn: number) => string = () => "same") {
  const repetition = new Repetition();
  return [...turns].map((name, turn) => {
    const circle = repetition.note([call(name)]);
    repetition.gave([{ callId: name, tool: name, output: results(turn), isError: false }]);
    return circle;
  });
}

const at = (list: readonly (string | undefined)[]) =>
  list.flatMap((circle, turn) => (circle === undefined ? [] : [`${turn + 1} ${circle}`]));

it.each([
  ["the same call three times in a row", "AAAAA", ["3 model", "5 person"]],
  ["two in turn", "ABABAB", ["4 model", "6 person"]],
  ["three in turn", "ABCABCAB", ["6 model", "8 person"]],
  ["four in turn, after other work", "XYABCDABCDAB", ["10 model", "12 person"]],
  ["nothing that goes on", "ABCDEFGHABXYAB", []],
  ["twice the same", "AABBCCAA", []],
  ["a new circle after other work", "AAAXYZBBB", ["3 model", "9 model"]],
])("notices %s", (_, turns, expected) => {
  expect(at(said(turns))).toEqual(expected);
});

it("ends a circle that changes nothing, and never one whose results change", () => {
  expect(at(said("A".repeat(16))).at(-1)).toBe("16 end");
  expect(at(said("AB".repeat(10))).at(-1)).toBe("20 end");
  expect(at(said("A".repeat(40), (turn) => `line ${turn}`))).toEqual(["3 model", "5 person"]);
});
