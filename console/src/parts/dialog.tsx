/** Dialogs, sheets and menus: they hold the focus and give it back, and Escape leaves the innermost one. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../words/words.ts";
import { Icon } from "./icon.tsx";

const focusable = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';
const layers: symbol[] = [];

/** Keeps Tab inside `at` while it is the innermost layer; the focus goes back where it came from. */
export function useLayer(onClose: () => void, focusFirst = true) {
  const at = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const layer = Symbol("layer");
    layers.push(layer);
    const before = document.activeElement;
    if (focusFirst) (at.current?.querySelector<HTMLElement>("[data-first]") ?? at.current?.querySelector<HTMLElement>(focusable))?.focus();
    const onKey = (event: KeyboardEvent): void => {
      if (layers.at(-1) !== layer || event.isComposing) return;
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        close.current();
      } else if (event.key === "Tab" && at.current) keepInside(at.current, event);
    };
    document.addEventListener("keydown", onKey, true);
    return () => {
      document.removeEventListener("keydown", onKey, true);
      layers.splice(layers.indexOf(layer), 1);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [focusFirst]);
  return at;
}

/** Stands for a layer that is on its way; answers how it ends. */
export function standInLayer(): () => void {
  const layer = Symbol("layer");
  layers.push(layer);
  return () => {
    layers.splice(layers.indexOf(layer), 1);
  };
}

export function hasLayer(): boolean {
  return layers.length > 0;
}

function keepInside(root: HTMLElement, event: KeyboardEvent): void {
  const all = [...root.querySelectorAll<HTMLElement>(focusable)].filter((one) => one.offsetParent !== null);
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last) return;
  const current = document.activeElement;
  if (event.shiftKey && (current === first || !root.contains(current))) {
    event.preventDefault();
    last.focus();
  } else if (!event.shiftKey && (current === last || !root.contains(current))) {
    event.preventDefault();
    first.focus();
  }
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly hideTitle?: boolean;
}

export function Dialog({ title, onClose, children, hideTitle = false }: DialogProps) {
  const at = useLayer(onClose);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a click beside the dialog closes it; Escape does the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key of the layer
    <div class="shade" onClick={(event) => event.target === event.currentTarget && onClose()}>
      <div class="dialog" role="dialog" aria-modal="true" aria-label={title} ref={at}>
        {hideTitle ? null : (
          <header>
            <h2 class="grow">{title}</h2>
            <button type="button" class="btn ghost only-icon" aria-label={t("close")} onClick={onClose}>
              <Icon name="close" />
            </button>
          </header>
        )}
        {children}
      </div>
    </div>
  );
}

export function Menu({
  label,
  onClose,
  children,
}: {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const at = useLayer(onClose);
  useEffect(() => {
    const onDown = (event: PointerEvent): void => {
      if (at.current && !at.current.parentElement?.contains(event.target as Node)) onClose();
    };
    document.addEventListener("pointerdown", onDown, true);
    return () => document.removeEventListener("pointerdown", onDown, true);
  }, [at, onClose]);
  const move = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const all = [...(at.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const index = all.indexOf(document.activeElement as HTMLElement);
    all[(index + (event.key === "ArrowDown" ? 1 : -1) + all.length) % all.length]?.focus();
  };
  return (
    <div class="menu" role="menu" aria-label={label} ref={at} onKeyDown={move} tabIndex={-1}>
      {children}
    </div>
  );
}
