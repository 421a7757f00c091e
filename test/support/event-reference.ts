/** docs/events.md, made from the types of events and an example of each that a real run gave. */
import { eventTypes, type JsonObject } from "../../src/index.ts";

/** What each type tells; the example shows its fields. */
const told: Readonly<Record<(typeof eventTypes)[number], string>> = {
  run_start: "A run of an agent begins.",
  turn_start: "A model is asked. One `turn_start` and one `turn_end` for each answer.",
  text_delta: "A piece of the answer as it comes.",
  text: "A whole text of the model, or of the person with `role: user`. A half one is not sent.",
  thinking_delta: "A piece of the model's thinking as it comes.",
  tool_call:
    "A call begins. `input` is masked; `class` is there for commands. A call that was broken or cut is told too, with what could be read of it, right before its result.",
  tool_progress: "What a call prints while it runs, bounded; `dropped` counts characters left out.",
  tool_result:
    "A call ended. `output` is its beginning; `output_length` counts all of it. An undo names the calls it took back in `undo_of`; after a crash the result of a call is sent when it is known.",
  permission_request: "A person is asked. `rehearsal` says what trying the command found.",
  permission_result: "The answer, wherever it was given.",
  value_request: "A secret is asked for, and with the same `request_id` how that ended. The value itself is never here.",
  input_required: "A program in the terminal waits for input.",
  subagent_start: "An agent was started by another.",
  subagent_event: "An event of that agent's own stream.",
  subagent_end: "That agent ended. Every `subagent_start` has one.",
  artifact_updated: "An artifact has a new version.",
  turn_end: "The model answered.",
  run_end: "The run is over. The same object is printed by `karyi run --json`.",
  error: "Something went wrong and the run goes on: with `retry_in_ms` it is tried again.",
};

export function eventReference(examples: ReadonlyMap<string, JsonObject>): string {
  const parts = eventTypes.map((type) => {
    const example = examples.get(type);
    const shown = example === undefined ? [] : ["", "```json", JSON.stringify(example, null, 2), "```"];
    return [`## \`${type}\``, "", told[type], ...shown, ""].join("\n");
  });
  return [
    "# Events",
    "",
    "Made by `npm run docs`: each example was taken from a real run; ids, times and paths are replaced by constant ones.",
    "",
    "A session has one stream of events. `seq` counts from 1 without a gap; whoever listens live hears exactly what a replay shows, undo",
    "and recovery included. `session.events()` yields them in a library (`event.type` tells the body apart), `karyi sessions export`",
    "prints them as JSON lines, and HTTP sends them in this form. `time` is in milliseconds. Bodies hold no secret in clear.",
    "",
    ...parts,
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}
