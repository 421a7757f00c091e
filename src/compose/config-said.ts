/**
 * The words of a configuration key, beside its schema: what it does in both languages, its default and an example.
 * `karyi config explain` and docs/config.md are made from them. Refuses to know any key.
 */

/** An English sentence and the same in Chinese. */
export interface KeyWords {
  readonly description: string;
  readonly zh: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/**
 * For `.meta()` of a key's schema.
 *
 * @example z.number().meta(said("Requests a minute.", "每分钟请求数。", { default: 600 }))
 */
export function said(
  description: string,
  zh: string,
  more: Pick<KeyWords, "default" | "examples"> = {},
): KeyWords & Record<string, unknown> {
  return { description, zh, ...more };
}
