/** Tools: a list, a form made from the schema, and what the call would do before it is made. */
import "../theme/work.css";
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lazy, useRoute } from "preact-iso";
import { api } from "../api/client.ts";
import type { ToolInfo } from "../api/types.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useMedia } from "../parts/use-media.ts";
import { t } from "../words/words.ts";
import { Playground } from "./playground.tsx";

const ReplyScreen = lazy(() => import("./reply-screen.tsx").then(({ ReplyScreen: one }) => one));

const icons: Readonly<Record<string, IconName>> = {
  Bash: "terminal",
  Terminal: "square-terminal",
  Read: "file-text",
  Edit: "file-diff",
  MultiEdit: "layers",
  Write: "file-plus",
  Glob: "file-search",
  Grep: "text-search",
  Agent: "bot",
  WebFetch: "globe",
  WebSearch: "globe",
};

export function ToolsScreen() {
  const { params, query } = useRoute();
  const tools = useSignal<readonly ToolInfo[] | undefined>(undefined);
  const filter = useSignal("");
  useEffect(() => {
    api<{ readonly tools: readonly ToolInfo[] }>("GET", "/tools").then(
      (found) => (tools.value = found.tools),
      () => {},
    );
  }, [tools]);
  const shown = useComputed(() => {
    const wanted = filter.value.trim().toLowerCase();
    return (tools.value ?? []).filter(
      ({ name, traits }) => wanted === "" || name.toLowerCase().includes(wanted) || traits.search_hint.toLowerCase().includes(wanted),
    );
  });
  const isReply = params.name === "reply";
  // Where there is room a first one is open; a phone shows the list.
  const hasRoom = useMedia("(min-width: 561px)");
  const wanted = params.name ?? (hasRoom ? "Bash" : undefined);
  const chosen = tools.value?.find(({ name }) => name === wanted);
  return (
    <>
      <header class="top">
        {chosen === undefined ? null : (
          <a class="btn ghost only-icon phone-only" aria-label={t("back")} href="/tools">
            <Icon name="chevron-left" />
          </a>
        )}
        <h1>{t("tools")}</h1>
        <nav class="seg" aria-label={t("tools")}>
          <a href="/tools" aria-current={isReply ? undefined : "page"}>
            {t("tryTool")}
          </a>
          <a href="/tools/reply" aria-current={isReply ? "page" : undefined}>
            {t("tryReply")}
          </a>
        </nav>
        <span class="grow" />
        {tools.value === undefined ? null : (
          <span class="t3 s13 not-phone">
            {t("toolsCount", { n: tools.value.length, demand: tools.value.filter((one) => groupOf(one) !== "core").length })}
          </span>
        )}
      </header>
      {isReply ? (
        <ReplyScreen tools={tools.value ?? []} />
      ) : tools.value === undefined ? (
        <Skeleton />
      ) : (
        <div class={`body tool-body${chosen === undefined ? "" : " has-tool"}`}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
          <section class="tool-list scroll" tabIndex={0} aria-label={t("tools")}>
            <div class="filter field-at before">
              <Icon name="search" small class="quiet" />
              <input
                class="input"
                type="search"
                aria-label={t("filter")}
                placeholder={t("filter")}
                value={filter.value}
                onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
              />
            </div>
            <Group title={t("alwaysShown")} tools={shown.value.filter((one) => groupOf(one) === "core")} chosen={wanted} />
            <Group title={t("onDemand")} tools={shown.value.filter((one) => groupOf(one) === "demand")} chosen={wanted} />
            <Group title={t("ofServers")} tools={shown.value.filter((one) => groupOf(one) === "server")} chosen={wanted} />
          </section>
          {chosen === undefined ? (
            <div class="empty not-phone">
              <Icon name="tools" />
              <p>{t("chooseTool")}</p>
            </div>
          ) : (
            <Playground key={chosen.name} tool={chosen} given={query.input} />
          )}
        </div>
      )}
    </>
  );
}

const core = new Set(["Bash", "Read", "Edit", "Write", "Glob", "Grep", "Agent", "Terminal"]);

function groupOf({ name }: ToolInfo): "core" | "demand" | "server" {
  if (name.startsWith("mcp__") || name.includes(":")) return "server";
  return core.has(name) ? "core" : "demand";
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.。])\s|\n/, 1)[0]?.replace(/\.$/, "") ?? "";
}

interface GroupProps {
  readonly title: string;
  readonly tools: readonly ToolInfo[];
  readonly chosen: string | undefined;
}

function Group({ title, tools, chosen }: GroupProps) {
  if (tools.length === 0) return null;
  return (
    <>
      <h2 class="eyebrow tool-group">{title}</h2>
      <ul>
        {tools.map(({ name, description }) => (
          <li key={name}>
            <a class="item tool-item" href={`/tools/${encodeURIComponent(name)}`} aria-current={name === chosen ? "page" : undefined}>
              <Icon name={icons[name] ?? (name.startsWith("mcp__") ? "plug" : "tools")} class="quiet" />
              <span class="stack grow">
                <span>{name}</span>
                <span class="t3 s12 clip">{firstSentence(description)}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
