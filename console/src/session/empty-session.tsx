/** A session in which nothing was said yet: what the agent can do, and three ways to begin. */
import { Icon } from "../parts/icon.tsx";
import { t } from "../words/words.ts";

export function EmptySession({ sessionId, workspace }: { readonly sessionId: string; readonly workspace: string }) {
  const fill = (words: string): void => {
    const field = document.querySelector<HTMLTextAreaElement>("#composer");
    if (!field) return;
    field.value = words;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.focus();
  };
  return (
    <div class="empty grow-empty" key={sessionId}>
      <Icon name="sessions" />
      <h2>{t("emptyTitle")}</h2>
      <p>{t("emptyIs", { path: workspace })}</p>
      <div class="stack gap">
        {(["example1", "example2", "example3"] as const).map((key) => (
          <button type="button" class="btn" key={key} onClick={() => fill(t(key))}>
            {t(key)}
          </button>
        ))}
      </div>
    </div>
  );
}
