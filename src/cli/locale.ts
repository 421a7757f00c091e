/** Which language the person reads: Chinese where the locale says so, English elsewhere. */

export type Locale = "en" | "zh";

export function localeOf(env: Readonly<Record<string, string | undefined>>): Locale {
  const wish = env.KARYI_LANG ?? env.LC_ALL ?? env.LC_MESSAGES ?? env.LANG ?? "";
  return /^zh/i.test(wish) ? "zh" : "en";
}
