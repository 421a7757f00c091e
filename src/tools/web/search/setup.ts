/** What to type when no search engine is configured, or something of it is missing. */
import { type SearchSettings, ToolFailure } from "../../../contract/index.ts";

const set = "karyi config set web.search.";

function disabled(message: string, lines: readonly string[]): ToolFailure {
  return new ToolFailure("tool_disabled", `${message} Type:\n${lines.join("\n")}`, {
    hint: "A person sets this up once; searching works from the next call on.",
    details: { reason: "not_configured" },
  });
}

export function notConfigured(): ToolFailure {
  return disabled("No search engine is configured.", [
    "# your own SearXNG (json enabled under search.formats)",
    `${set}provider searxng`,
    `${set}baseUrl http://127.0.0.1:8888`,
    "# or a service with a key: brave, tavily, bocha, google, bing",
    `${set}provider brave`,
    "karyi var set SEARCH_KEY",
    `${set}apiKey '$KARYI{SEARCH_KEY}'`,
  ]);
}

export function keyMissing(provider: string): ToolFailure {
  return disabled(`The search engine '${provider}' needs a key.`, ["karyi var set SEARCH_KEY", `${set}apiKey '$KARYI{SEARCH_KEY}'`]);
}

export function checkSettings({ provider, baseUrl, cx, request, map }: SearchSettings): void {
  if (provider === "searxng" && baseUrl === undefined)
    throw disabled("SearXNG needs the address of your instance.", [`${set}baseUrl http://127.0.0.1:8888`]);
  if (provider === "google" && cx === undefined) throw disabled("Google needs the id of a search engine.", [`${set}cx YOUR_ENGINE_ID`]);
  if (provider === "json" && (request === undefined || map === undefined)) {
    throw disabled("The provider 'json' needs `request` and `map`.", [
      `${set}request '{"url": "https://api.example.com/search?q={query}", "headers": {"x-api-key": "$KARYI{SEARCH_KEY}"}}'`,
      `${set}map '{"results": "results", "title": "title", "url": "url", "snippet": "text"}'`,
    ]);
  }
}
