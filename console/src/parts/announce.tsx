/** What a screen reader is told: whole sentences, at most one in three seconds; questions at once. */
import { signal } from "@preact/signals";

const polite = signal("");
const assertive = signal("");
const pauseMs = 3000;
let next: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(sentence: string): void {
  next = sentence;
  if (timer !== undefined) return;
  polite.value = sentence;
  next = undefined;
  timer = setTimeout(() => {
    timer = undefined;
    if (next !== undefined) announce(next);
  }, pauseMs);
}

export function announceQuestion(sentence: string): void {
  assertive.value = sentence;
}

export function Announcer() {
  return (
    <>
      <div class="hidden" role="status" aria-live="polite">
        {polite.value}
      </div>
      <div class="hidden" role="alert" aria-live="assertive">
        {assertive.value}
      </div>
    </>
  );
}
