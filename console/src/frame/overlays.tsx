/** What lies over the page: palette, settings, keys. One at a time; loaded when first asked for, the palette as soon as the page rests. */
import { effect, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { standInLayer } from "../parts/dialog.tsx";

type Overlay = "palette" | "settings" | "keys";
type Part = ComponentType<{ readonly onClose: () => void }>;

const loaders: Readonly<Record<Overlay, () => Promise<Part>>> = {
  palette: () => import("./palette.tsx").then(({ Palette: one }) => one),
  settings: () => import("./settings-dialog.tsx").then(({ SettingsDialog: one }) => one),
  keys: () => import("./keys-dialog.tsx").then(({ KeysDialog: one }) => one),
};

const shown = signal<Overlay | undefined>(undefined);
const parts = signal<ReadonlyMap<Overlay, Part>>(new Map());

async function load(which: Overlay): Promise<void> {
  if (parts.peek().has(which)) return;
  const part = await loaders[which]();
  parts.value = new Map(parts.peek()).set(which, part);
}

export function openOverlay(which: Overlay): void {
  shown.value = which;
  load(which).catch(() => {
    shown.value = undefined;
  });
}

// Until the part is there, keys meant for it must not act on the page below.
effect(() => {
  const which = shown.value;
  return which === undefined || parts.value.has(which) ? undefined : standInLayer();
});

/** Whoever presses Ctrl K types on at once. */
export function preloadPalette(): void {
  const later = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1000));
  later(() => void load("palette").catch(() => {}));
}

export function Overlays() {
  const which = shown.value;
  const Shown = which === undefined ? undefined : parts.value.get(which);
  return Shown === undefined ? null : <Shown onClose={() => (shown.value = undefined)} />;
}
