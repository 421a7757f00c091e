/** What a session is called: the first sentence of the words that began it. */
import { t } from "../words/words.ts";

const longest = 60;

export function titleOf(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  if (line === "") return t("newSession");
  const sentence = /^(.+?)(?:[.!?:](?=\s)|[。！？：])/.exec(line)?.[1] ?? line.replace(/[.。]$/, "");
  const letters = [...sentence];
  return letters.length <= longest
    ? sentence
    : `${letters
        .slice(0, longest - 1)
        .join("")
        .trimEnd()}…`;
}
