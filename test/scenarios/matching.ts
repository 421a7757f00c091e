/**
 * What a scenario says about a result: a part of it. An object names the members it cares about; `{"$has": …}` a text, or several,
 * that must occur in this order; `{"$lacks": …}` texts that must not; `{"$like": …}` a regular expression; `{"$some": …}` an item
 * that an array must hold. Answers what does not fit, in words.
 */
type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

export function mismatches(actual: unknown, wanted: unknown, at = "result"): readonly string[] {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual)) return [`${at} is no list: ${show(actual)}`];
    if (actual.length !== wanted.length) return [`${at} has ${actual.length} items, not ${wanted.length}: ${show(actual)}`];
    return wanted.flatMap((item, index) => mismatches(actual[index], item, `${at}[${index}]`));
  }
  if (!isObject(wanted)) return Object.is(actual, wanted) ? [] : [`${at} is ${show(actual)}, not ${show(wanted)}`];
  const keys = Object.keys(wanted);
  if (keys.some((key) => key.startsWith("$"))) return keys.flatMap((key) => special(key, actual, wanted[key], at));
  if (!isObject(actual)) return [`${at} is no object: ${show(actual)}`];
  return keys.flatMap((key) => mismatches(actual[key], wanted[key], `${at}.${key}`));
}

function special(key: string, actual: unknown, wanted: unknown, at: string): readonly string[] {
  const list = Array.isArray(wanted) ? wanted : [wanted];
  if (key === "$absent") return actual === undefined ? [] : [`${at} is there: ${show(actual)}`];
  if (key === "$some") {
    const items: readonly unknown[] = Array.isArray(actual) ? actual : [];
    return list
      .filter((one) => !items.some((item) => mismatches(item, one).length === 0))
      .map((one) => `${at} lacks ${show(one)}: ${show(actual)}`);
  }
  if (typeof actual !== "string") return [`${at} is no text: ${show(actual)}`];
  if (key === "$like") return new RegExp(String(wanted), "su").test(actual) ? [] : [`${at} is not like ${show(wanted)}: ${show(actual)}`];
  if (key === "$lacks") return list.filter((one) => actual.includes(String(one))).map((one) => `${at} has ${show(one)}: ${show(actual)}`);
  if (key === "$has") return inOrder(actual, list.map(String), at);
  return [`${at}: there is no ${key}`];
}

function inOrder(text: string, parts: readonly string[], at: string): readonly string[] {
  let from = 0;
  for (const part of parts) {
    const found = text.indexOf(part, from);
    if (found < 0) return [`${at} lacks ${show(part)}${from > 0 ? ` after character ${from}` : ""}: ${show(text)}`];
    from = found + part.length;
  }
  return [];
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 1_500 ? `${text.slice(0, 1_500)}…` : text;
}
