/** Which language the person reads: Chinese where the locale says so, English elsewhere. */

export type Locale = "en" | "zh";

export function localeOf(env: Readonly<Record<string, string | undefined>>): Locale {
  // A variable that is set to nothing says nothing: `LC_ALL= LANG=zh_CN.UTF-8`.
  const wish = env.KARYI_LANG || env.LC_ALL || env.LC_MESSAGES || env.LANG || "";
  return /^zh/i.test(wish) ? "zh" : "en";
}
