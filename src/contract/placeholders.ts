/** The form of a secure variable in the input of a call (V1), for every room that looks for it. */

/** What a variable may be called, as the source of an expression. */
export const variableName = "[A-Za-z_][A-Za-z0-9_]{0,127}";

/** `$KARYI{NAME}`; its first group is `$` if the text itself is meant, its second is the name. For `matchAll` and `replaceAll`. */
export const placeholderPattern = new RegExp(`(\\$?)\\$KARYI\\{(${variableName})\\}`, "g");
