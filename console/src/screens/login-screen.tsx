/** Shown to a browser that is nobody yet. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ApiError, logIn } from "../api/client.ts";
import { me } from "../me.ts";
import { Mark } from "../parts/icon.tsx";
import { t } from "../words/words.ts";

export function LoginScreen() {
  const field = useRef<HTMLInputElement>(null);
  const problem = useSignal("");
  const busy = useSignal(false);
  const submit = async (): Promise<void> => {
    busy.value = true;
    problem.value = "";
    try {
      me.value = await logIn({ token: field.current?.value ?? "" });
    } catch (error) {
      problem.value = error instanceof ApiError && error.status === 401 ? t("wrongToken") : String((error as Error).message);
    }
    busy.value = false;
  };
  return (
    <main class="login">
      <form
        class="way-in"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div class="brand">
          <Mark />
          <h1>{t("loginTitle")}</h1>
        </div>
        <p class="t2 s13">{t("loginIs")}</p>
        <div class="field">
          <label for="token">{t("token")}</label>
          <input class="input mono" id="token" ref={field} type="password" autocomplete="off" />
        </div>
        {problem.value === "" ? null : (
          <p class="note deny" role="alert">
            {problem.value}
          </p>
        )}
        <button type="submit" class="btn primary" disabled={busy.value}>
          {t("logIn")}
        </button>
      </form>
    </main>
  );
}
