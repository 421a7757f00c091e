/** Which proxy the environment names for an address, and which addresses it leaves out (`NO_PROXY`). */
import { parsedUrl } from "../../contract/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export function proxyFor(url: URL, env: Environment): string | undefined {
  const named = url.protocol === "https:" ? settingOf(env, "https_proxy") : settingOf(env, "http_proxy");
  const proxy = named ?? settingOf(env, "all_proxy");
  if (proxy === undefined || isLeftOut(url, settingOf(env, "no_proxy") ?? "")) return undefined;
  const spelled = proxy.includes("://") ? proxy : `http://${proxy}`;
  return parsedUrl(spelled) !== undefined && /^https?:/i.test(spelled) ? spelled : undefined;
}

function settingOf(env: Environment, name: string): string | undefined {
  const value = env[name] ?? env[name.toUpperCase()];
  return value === undefined || value === "" ? undefined : value;
}

function isLeftOut(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = "", wanted] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      const bare = name.replace(/^\*?\./, "").replace(/^\[|\]$/g, "");
      return (wanted === undefined || wanted === port) && (host === bare || host.endsWith(`.${bare}`));
    });
}
