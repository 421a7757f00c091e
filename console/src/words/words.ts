/** Words in the reader's language: typed keys, plurals and times by `Intl`. */
import { computed, signal } from "@preact/signals";
import { en, type Key } from "./en.ts";
import { zh } from "./zh.ts";

export type Language = "en" | "zh";
export type Words = Readonly<Record<string, string | number>>;

export const language = signal<Language>(document.documentElement.lang === "zh" ? "zh" : "en");
const table = computed<Readonly<Record<Key, string>>>(() => (language.value === "zh" ? zh : en));
const plural = computed(() => new Intl.PluralRules(language.value));
const numbers = computed(() => new Intl.NumberFormat(language.value));
const compact = computed(() => new Intl.NumberFormat(language.value, { notation: "compact", maximumFractionDigits: 1 }));
const clock = computed(() => new Intl.DateTimeFormat(language.value, { hour: "2-digit", minute: "2-digit", hour12: false }));
const clockSeconds = computed(
  () => new Intl.DateTimeFormat(language.value, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }),
);
const weekday = computed(() => new Intl.DateTimeFormat(language.value, { weekday: "short" }));
const day = computed(() => new Intl.DateTimeFormat(language.value, { month: "short", day: "numeric" }));

export function t(key: Key, words: Words = {}): string {
  return table.value[key].replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, other?: string) => {
    const value = words[name] ?? "";
    const shown = typeof value === "number" ? numbers.value.format(value) : value;
    if (one === undefined || typeof value !== "number") return shown;
    return `${shown} ${plural.value.select(value) === "one" ? one : other}`;
  });
}

export function short(value: number): string {
  return compact.value.format(value);
}

/** How long something took: `0.2 s`, `38 s`, `3 m 20 s`. */
export function took(ms: number): string {
  const unit = language.value === "zh" ? { h: " 小时", m: " 分", s: " 秒" } : { h: " h", m: " m", s: " s" };
  if (ms < 9950) return `${numbers.value.format(Math.max(0.1, Math.round(ms / 100) / 10))}${unit.s}`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}${unit.s}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}${unit.m}` : `${minutes}${unit.m} ${seconds % 60}${unit.s}`;
  return `${Math.floor(minutes / 60)}${unit.h} ${minutes % 60}${unit.m}`;
}

/** How long ago, in one unit: `12 s`, `4 m`, `2 h`, `Mon`. */
export function ago(time: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  const unit = language.value === "zh" ? { s: " 秒", m: " 分", h: " 小时" } : { s: " s", m: " m", h: " h" };
  if (seconds < 60) return `${seconds}${unit.s}`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}${unit.m}`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}${unit.h}`;
  return seconds < 6 * 86_400 ? weekday.value.format(time) : day.value.format(time);
}

export function agoWords(time: number, now: number): string {
  if (now - time >= 86_400_000) return ago(time, now);
  return language.value === "zh" ? `${ago(time, now)}前` : `${ago(time, now)} ago`;
}

export function at(time: number): string {
  return clock.value.format(time);
}

export function atSecond(time: number): string {
  return clockSeconds.value.format(time);
}

export function size(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${numbers.value.format(unit === 0 ? value : Math.round(value * 10) / 10)} ${units[unit] ?? "B"}`;
}
