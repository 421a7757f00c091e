/** Short messages with one action; they go by themselves and take no focus. */
import { signal } from "@preact/signals";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const toasts = signal<readonly Toast[]>([]);
const lifeMs = 8000;
let lastId = 0;

export function showToast(text: string, action?: Toast["action"]): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value.slice(-2), { id, text, ...(action === undefined ? {} : { action }) }];
  setTimeout(() => drop(id), lifeMs);
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts">
      {toasts.value.map(({ id, text, action }) => (
        <div class="toast" key={id}>
          <span>{text}</span>
          {action ? (
            <button
              type="button"
              class="btn ghost tight"
              onClick={() => {
                drop(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          ) : null}
        </div>
      ))}
    </div>
  );
}
