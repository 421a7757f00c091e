/** Any provider that answers JSON, described in the config: how to ask, and where title, address and words stand. */
import type { Json, JsonObject, SearchMap } from "../../../contract/index.ts";
import { badResponse, type FoundPage, found } from "./provider.ts";

/** `{query}` in an address is encoded, in a body it stands inside a JSON text. */
export function filledTemplate(template: string, query: string, count: number, form: "url" | "json"): string {
  const text = form === "url" ? encodeURIComponent(query) : JSON.stringify(query).slice(1, -1);
  return template.replaceAll("{query}", () => text).replaceAll("{count}", () => String(count));
}

export function readDescribed(answer: Json, map: SearchMap): FoundPage {
  const list = at(answer, map.results);
  if (!Array.isArray(list)) throw badResponse(`there is no list at '${map.results}'`);
  return {
    results: list.map((item) => {
      const pick = (path: string | undefined): Json | undefined => (path === undefined ? undefined : at(item as Json, path));
      return found(pick(map.title), pick(map.url), pick(map.snippet), pick(map.date));
    }),
  };
}

/** `$.data.items[*]`, `data.items`, `['a.b'][0].title`: `$` and `[*]` at the ends change nothing. */
const step = /\[\s*(?:'([^']*)'|"([^"]*)"|([^\]'"]*))\s*\]|([^.[\]]+)/g;

function at(value: Json | undefined, path: string): Json | undefined {
  let node = value;
  for (const [, single, double, index, plain] of path.replace(/^\$/, "").matchAll(step)) {
    const name = single ?? double ?? index ?? plain ?? "";
    if (index === "*" || plain === "*") continue;
    if (typeof node !== "object" || node === null) return undefined;
    const isThere = Array.isArray(node) ? /^\d+$/.test(name) : Object.hasOwn(node, name);
    node = isThere ? (node as JsonObject)[name] : undefined;
  }
  return node;
}
