/** What the reader chose; kept in this browser. */
import { effect, signal } from "@preact/signals";
import { type Language, language } from "./words/words.ts";

export interface Settings {
  readonly language: "system" | Language;
  readonly theme: "system" | "light" | "dark";
  readonly density: "comfortable" | "compact";
  readonly singleKeys: boolean;
  readonly notifications: boolean;
  readonly sound: boolean;
  readonly panel: boolean;
  readonly diff: "unified" | "side";
}

const place = "karyi.settings";
const defaults: Settings = {
  language: "system",
  theme: "system",
  density: "comfortable",
  singleKeys: true,
  notifications: false,
  sound: false,
  panel: true,
  diff: "unified",
};

export const settings = signal<Settings>({ ...defaults, ...read() });

export function change(part: Partial<Settings>): void {
  settings.value = { ...settings.value, ...part };
  try {
    localStorage.setItem(place, JSON.stringify(settings.value));
  } catch {
    // Storage may be closed: the choice holds for this page.
  }
}

export function followSettings(): void {
  const wantsDark = matchMedia("(prefers-color-scheme: dark)");
  const show = (): void => {
    const { theme, density, language: chosen } = settings.value;
    const root = document.documentElement;
    root.dataset.theme = theme === "system" ? (wantsDark.matches ? "dark" : "light") : theme;
    root.dataset.density = density;
    language.value = chosen === "system" ? (/^zh\b/i.test(navigator.language) ? "zh" : "en") : chosen;
    root.lang = language.value;
  };
  effect(show);
  wantsDark.addEventListener("change", show);
  addEventListener("storage", ({ key }) => {
    if (key === place) settings.value = { ...defaults, ...read() };
  });
}

function read(): Partial<Settings> {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "{}") as Partial<Settings>;
  } catch {
    return {};
  }
}
