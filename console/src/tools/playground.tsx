/** One tool: fill in, look at the plan while typing, dry run, and only then run it, under the policy like any call. */
import { useSignal } from "@preact/signals";
import { ApiError, api, pathOf } from "../api/client.ts";
import type { Result, Session, ToolInfo } from "../api/types.ts";
import { FileChanges } from "../card/file-changes.tsx";
import { may } from "../me.ts";
import { Menu } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { changesOf } from "../session/call-results.ts";
import { copy } from "../session/call-row.tsx";
import { t, took } from "../words/words.ts";
import { PlanView, useExplained } from "./explained.tsx";
import { type Input, propertiesOf, SchemaForm } from "./schema-form.tsx";

/** Calls from here are of one session, so that they can be found and undone. */
const sessionId = "playground";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

type Tab = "plan" | "modelSees" | "json";
const tabs: readonly Tab[] = ["plan", "modelSees", "json"];

export function Playground({ tool, given }: { readonly tool: ToolInfo; readonly given: string | undefined }) {
  const input = useSignal<Input>(read(given));
  const tab = useSignal<Tab>("plan");
  const result = useSignal<Result | { readonly failed: string } | undefined>(undefined);
  const busy = useSignal<"" | "dry" | "run">("");
  const isComplete = propertiesOf(tool.input_schema).every(({ name, required }) => !required || input.value[name] !== undefined);
  const asked = useExplained(tool.name, input.value, isComplete);
  const call = async (dry: boolean): Promise<void> => {
    busy.value = dry ? "dry" : "run";
    try {
      await api<Session>("POST", "/sessions", { id: sessionId });
      result.value = await api<Result>("POST", pathOf("sessions", sessionId, "calls"), {
        tool: tool.name,
        input: input.value,
        ...(dry ? { dry_run: true } : {}),
      });
    } catch (error) {
      result.value = { failed: error instanceof ApiError ? error.message : String(error) };
    }
    busy.value = "";
  };
  const ended = result.value !== undefined && "status" in result.value ? result.value : undefined;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
      <section class="page tool-form" tabIndex={0} aria-label={tool.name}>
        <div class="line wrap">
          <h2 class="tool-name">{tool.name}</h2>
          <span class="chip outline">{tool.traits.read_only ? t("readsOnly") : t("writes")}</span>
          {tool.traits.read_only || tool.name.startsWith("Terminal") ? null : (
            <>
              <span class="chip outline">
                <Icon name="undo" small />
                {t("canBeUndone")}
              </span>
              <span class="chip outline">
                <Icon name="flask" small />
                {t("dryRunWord")}
              </span>
            </>
          )}
        </div>
        <p class="t2 s13">{tool.description.split("\n", 1)[0]}</p>
        <form
          class="stack gap-16"
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing || !isComplete || busy.value !== "") return;
            event.preventDefault();
            void call(true);
          }}
          onSubmit={(event) => {
            event.preventDefault();
            void call(true);
          }}
        >
          <SchemaForm
            schema={tool.input_schema}
            input={input.value}
            onChange={(next) => {
              input.value = next;
              result.value = undefined;
            }}
          />
          <div class="line wrap">
            <button type="submit" class="btn primary" disabled={busy.value !== "" || !isComplete || !may("call")}>
              {busy.value === "dry" ? <span class="spin" /> : <Icon name="flask" small />}
              {t("dryRun")}
              <kbd>{isMac ? "⌘⏎" : "Ctrl ⏎"}</kbd>
            </button>
            <button type="button" class="btn" disabled={busy.value !== "" || !isComplete || !may("call")} onClick={() => void call(false)}>
              {busy.value === "run" ? <span class="spin" /> : <Icon name="play" small />}
              {t("run")}
            </button>
            {Object.keys(input.value).length === 0 && Object.keys(exampleOf(tool)).length > 0 ? (
              <button type="button" class="btn ghost" onClick={() => (input.value = exampleOf(tool))}>
                <Icon name="pencil" small />
                {t("useExample")}
              </button>
            ) : null}
            <span class="grow" />
            <CopyAs tool={tool.name} input={input.value} />
          </div>
        </form>
      </section>
      <aside class="panel tool-panel" aria-label={t("plan")}>
        <div class="tabs" role="tablist" aria-label={t("plan")}>
          {tabs.map((one) => (
            <button type="button" role="tab" key={one} aria-selected={tab.value === one} onClick={() => (tab.value = one)}>
              {t(one)}
            </button>
          ))}
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
        <div class="scroll grow panel-in" role="tabpanel" aria-label={t(tab.value)} tabIndex={0}>
          {result.value !== undefined && "failed" in result.value ? <p class="note deny">{result.value.failed}</p> : null}
          {tab.value === "plan" ? (
            <Plan asked={asked} result={ended} onApply={() => void call(false)} onDrop={() => (result.value = undefined)} />
          ) : null}
          {tab.value === "modelSees" ? <Shown text={ended?.output ?? ""} /> : null}
          {tab.value === "json" ? <Shown text={JSON.stringify(ended ?? input.value, null, 2)} /> : null}
        </div>
      </aside>
    </>
  );
}

interface PlanProps {
  readonly asked: ReturnType<typeof useExplained>;
  readonly result: Result | undefined;
  readonly onApply: () => void;
  readonly onDrop: () => void;
}

function Plan({ asked, result, onApply, onDrop }: PlanProps) {
  return (
    <>
      {asked.kind === "none" ? <p class="t3 s13">{t("fillIn")}</p> : null}
      {asked.kind === "failed" ? <p class="note deny">{asked.message}</p> : null}
      {asked.kind === "ready" ? <PlanView explained={asked.explained} /> : null}
      {result === undefined ? null : <Outcome result={result} onApply={onApply} onDrop={onDrop} />}
    </>
  );
}

function Outcome({ result, onApply, onDrop }: Omit<PlanProps, "asked" | "result"> & { readonly result: Result }) {
  const changes = changesOf(result);
  const kind = result.status === "ok" || result.status === "planned" ? "allow" : result.status === "suspended" ? "ask" : "deny";
  return (
    <>
      <div class={`note ${kind}`}>
        <Icon name={kind === "allow" ? "check" : kind === "ask" ? "hand" : "circle-x"} />
        <span class="grow">
          {result.status === "suspended" ? t("waitsInInbox") : (result.error?.message ?? firstLine(result.output))}{" "}
          {result.status === "suspended" ? <a href={`/inbox/${encodeURIComponent(result.approval_id ?? "")}`}>{t("openInbox")}</a> : null}
        </span>
        <span class="t2 s12 num">{took(result.duration_ms)}</span>
      </div>
      {changes.length === 0 ? null : (
        <div class="box">
          <FileChanges changes={changes} total={changes.length} />
        </div>
      )}
      {result.status === "planned" ? (
        <div class="line">
          <button type="button" class="btn" onClick={onApply}>
            <Icon name="check" small />
            {t("applyIt")}
          </button>
          <button type="button" class="btn ghost" onClick={onDrop}>
            {t("dropIt")}
          </button>
        </div>
      ) : null}
    </>
  );
}

function Shown({ text }: { readonly text: string }) {
  return <pre class="shown">{text}</pre>;
}

function CopyAs({ tool, input }: { readonly tool: string; readonly input: Input }) {
  const open = useSignal(false);
  const json = JSON.stringify(input);
  const quoted = `'${json.replaceAll("'", "'\\''")}'`;
  const forms: readonly (readonly [string, () => string | Promise<string>])[] = [
    ["CLI", () => `karyi call ${tool} ${quoted}`],
    [
      "HTTP",
      () =>
        `curl -X POST ${location.origin}/api/v1/sessions/${sessionId}/calls -H "Authorization: Bearer $KARYI_TOKEN" -H "Content-Type: application/json" -d '${JSON.stringify({ tool, input }).replaceAll("'", "'\\''")}'`,
    ],
    ["ToolsXML", () => encoded("toolsxml", tool, input)],
    ["tool_call", () => encoded("tool_call", tool, input)],
    ["JSON", () => JSON.stringify({ tool, input }, null, 2)],
  ];
  return (
    <span class="menu-at">
      <button type="button" class="btn ghost" aria-haspopup="menu" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name="copy" small />
        {t("copyAs")}
      </button>
      {open.value ? (
        <Menu label={t("copyAs")} onClose={() => (open.value = false)}>
          {forms.map(([name, make]) => (
            <button
              type="button"
              role="menuitem"
              key={name}
              onClick={() => {
                open.value = false;
                void Promise.resolve(make()).then(copy);
              }}
            >
              {name}
            </button>
          ))}
        </Menu>
      ) : null}
    </span>
  );
}

async function encoded(dialect: "toolsxml" | "tool_call", name: string, input: Input): Promise<string> {
  const { encodeCalls } = await import("../../../src/dialect/index.ts");
  return encodeCalls(dialect, [{ name, input: JSON.parse(JSON.stringify(input)) }]);
}

function exampleOf({ example }: ToolInfo): Input {
  return typeof example === "object" && example !== null && !Array.isArray(example) ? (example as Input) : {};
}

function read(given: string | undefined): Input {
  try {
    const value: unknown = JSON.parse(given ?? "{}");
    return typeof value === "object" && value !== null ? (value as Input) : {};
  } catch {
    return {};
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
