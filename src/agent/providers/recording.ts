/** Keeps the answers of a real model in a file, one line each, and plays them again: `--record FILE`, `replay/FILE`. */
import { ToolFailure } from "../../contract/index.ts";
import { type Model, type ModelEvent, type ModelRequest, ProviderFailure } from "./model.ts";

export interface RecordFile {
  /** Begins the file anew. */
  write(text: string): Promise<void>;
  append(text: string): Promise<void>;
}

/** Where an answer stands: whose conversation, after how many answers, and whether it only told the past. */
interface RecordedAnswer {
  readonly model: string;
  readonly conversation?: string;
  readonly answer?: number;
  readonly summary?: true;
  readonly events: readonly ModelEvent[];
}

export function recording(model: Model, file: RecordFile): Model {
  return {
    ...model,
    async *stream(request) {
      const events: ModelEvent[] = [];
      for await (const event of model.stream(request)) {
        if (event.type !== "alive") events.push(event);
        if (event.type === "end") {
          const line = `${JSON.stringify({ model: model.id, ...placeOf(request), events } satisfies RecordedAnswer)}\n`;
          const isFirst = request.answersInAll === 0 && request.conversation === "" && !request.isSummary;
          await (isFirst ? file.write(line) : file.append(line));
        }
        yield event;
      }
    },
  };
}

function placeOf({ conversation, answersInAll, isSummary }: ModelRequest): Omit<RecordedAnswer, "model" | "events"> {
  return { conversation, answer: answersInAll, ...(isSummary ? { summary: true } : {}) };
}

const idleMs = 3_600_000;

export function replayed(id: string, text: string, file: string): Model {
  const answers = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line, index): RecordedAnswer => {
      try {
        // A line without a place stands where it is.
        return { conversation: "", answer: index, ...(JSON.parse(line) as RecordedAnswer) };
      } catch {
        throw new ToolFailure("invalid_tool_input", `${file}: line ${index + 1} is no recorded answer.`, {
          details: { reason: "bad_record" },
        });
      }
    });
  const told = new Set<RecordedAnswer>();
  return { id, idleTimeoutMs: idleMs, stream: (request) => play(answers, request, file, told) };
}

async function* play(
  all: readonly RecordedAnswer[],
  { conversation, answersBefore, isSummary }: ModelRequest,
  file: string,
  told: Set<RecordedAnswer>,
): AsyncGenerator<ModelEvent> {
  const own = all.filter((one) => one.conversation === conversation);
  // A record may begin within a conversation: what counts is the order. Of an answer that was kept twice the later one counts.
  const places = [...new Set(own.flatMap(({ answer = 0, summary }) => (summary ? [] : [answer])))].sort((a, b) => a - b);
  const place = places[answersBefore];
  // The past may be told several times before one answer.
  const found = isSummary
    ? own.find((one) => one.summary && one.answer === place && !told.has(one))
    : own.findLast(({ answer, summary }) => !summary && answer === place);
  if (!found || place === undefined) {
    const whose = conversation === "" ? "" : ` of ${conversation}`;
    throw new ProviderFailure(
      "fatal",
      "record_ended",
      `${file} has no ${isSummary ? "summary before " : ""}answer ${answersBefore + 1}${whose}.`,
    );
  }
  told.add(found);
  yield* found.events;
}
