/** Explain: a call, the verdict, effect by effect, the same call in each mode, and a rule that would spare the question. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../api/client.ts";
import type { ToolInfo } from "../api/types.ts";
import { effectKey, inOrder, objectOf } from "../card/question.ts";
import { Icon } from "../parts/icon.tsx";
import { shortPath, shortPaths } from "../parts/short-path.ts";
import { modesInOrder, modeWords } from "../session/modes.ts";
import { type Explained, useExplained, VerdictChip, type VerdictWord, verdictIcons } from "../tools/explained.tsx";
import type { Key } from "../words/en.ts";
import { reasonWords } from "../words/reasons.ts";
import { language, t } from "../words/words.ts";
import { RuleDraft } from "./rule-draft.tsx";

const says: Readonly<Record<VerdictWord, Key>> = {
  allow: "karyiAllows",
  ask: "karyiAsks",
  rehearse: "karyiRehearses",
  deny: "karyiDenies",
};
const exampleCommand = "rm -rf build && git push origin main";

export function ExplainView({
  tool: givenTool,
  input: givenInput,
}: {
  readonly tool: string | undefined;
  readonly input: string | undefined;
}) {
  const tool = useSignal(givenTool ?? "Bash");
  const text = useSignal(givenInput ?? exampleCommand);
  const tools = useSignal<readonly string[]>(["Bash", "Edit", "Write", "Read", "WebFetch"]);
  const draft = useSignal(false);
  useEffect(() => {
    api<{ readonly tools: readonly ToolInfo[] }>("GET", "/tools").then(
      (found) => (tools.value = found.tools.map(({ name }) => name)),
      () => {},
    );
  }, [tools]);
  const input = inputOf(tool.value, text.value);
  const asked = useExplained(tool.value, input, text.value.trim() !== "");
  const explained = asked.kind === "ready" ? asked.explained : undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page explain" tabIndex={0} aria-label={t("explain")}>
      <div class="stack gap-16">
        <div class="field">
          <label for="explain-input">{t("whatWould")}</label>
          <div class="line">
            <select
              class="input tool-choice"
              aria-label={t("tool")}
              value={tool.value}
              onChange={({ currentTarget }) => (tool.value = currentTarget.value)}
            >
              {tools.value.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
            <textarea
              class="input mono"
              id="explain-input"
              rows={1}
              spellcheck={false}
              value={text.value}
              onInput={({ currentTarget }) => (text.value = currentTarget.value)}
            />
          </div>
        </div>
        {asked.kind === "failed" ? <p class="note deny">{asked.message}</p> : null}
        {explained === undefined ? null : <Verdict explained={explained} onDraft={() => (draft.value = true)} />}
      </div>
      <div class="stack gap-16">
        {explained?.modes === undefined ? null : <Modes explained={explained} />}
        {draft.value ? <RuleDraft rule={ruleFor(tool.value, text.value)} /> : null}
      </div>
    </section>
  );
}

/** Of a command its text is enough; every other tool takes JSON, or its first field. */
function inputOf(tool: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Plain text stands for the tool's main field.
  }
  if (tool === "Bash" || tool === "Terminal") return { command: text };
  if (tool === "WebFetch") return { url: text };
  if (tool === "WebSearch") return { query: text };
  return tool === "Grep" || tool === "Glob" ? { pattern: text } : { file_path: text };
}

function ruleFor(tool: string, text: string): string {
  const input = inputOf(tool, text) as { readonly command?: string; readonly file_path?: string; readonly url?: string };
  const inside =
    input.command ??
    input.file_path ??
    (input.url === undefined ? "" : `domain:${/^https?:\/\/([^/:]+)/.exec(input.url)?.[1] ?? input.url}`);
  return inside === "" ? tool : `${tool}(${inside})`;
}

function Verdict({ explained, onDraft }: { readonly explained: Explained; readonly onDraft: () => void }) {
  const { verdict, effects } = explained;
  const asking = effects.filter((one) => one.verdict !== "allow").length;
  return (
    <>
      <div class={`note ${verdict} big`}>
        <Icon name={verdictIcons[verdict]} />
        <div>
          <h2 class="strong">{t(says[verdict])}</h2>
          <p class="t2">
            {effects.length > 1 ? t("askedOf", { asking, n: effects.length }) : shortPaths(reasonWords(explained, language.value))}
          </p>
        </div>
      </div>
      <div class="box">
        <div class="head">
          <h2 class="medium grow">{t("effectByEffect")}</h2>
          <span class="t3 s12">{t("strictest")}</span>
        </div>
        <ul>
          {inOrder(effects).map(({ effect, verdict: own, rule: ownRule, ...why }) => (
            <li class="item" key={`${effect.kind} ${objectOf(effect)} ${ownRule}`}>
              <Icon
                name={
                  effect.kind === "run" || effect.kind === "code"
                    ? "terminal"
                    : effect.kind === "connect"
                      ? "globe"
                      : effect.change === "delete"
                        ? "trash"
                        : "file-text"
                }
                class="quiet"
              />
              <span class="stack grow">
                <span>
                  {t(effectKey(effect))} <code class="breaks">{shortPath(objectOf(effect))}</code>
                </span>
                <span class="t3 s12">
                  {shortPaths(reasonWords({ rule: ownRule, ...why }, language.value))} · <code>{ownRule}</code>
                </span>
              </span>
              <VerdictChip verdict={own} />
            </li>
          ))}
        </ul>
        {verdict === "allow" ? null : (
          <div class="head">
            <span class="t2 s13 grow">{t("draftOffer")}</span>
            <button type="button" class="btn" onClick={onDraft}>
              <Icon name="plus" small />
              {t("draftRule")}
            </button>
          </div>
        )}
      </div>
    </>
  );
}

function Modes({ explained }: { readonly explained: Explained }) {
  return (
    <div class="box">
      <div class="head">
        <h2 class="medium">{t("inEachMode")}</h2>
      </div>
      <ul>
        {modesInOrder.map((mode) => {
          const decision = explained.modes?.[mode];
          return decision === undefined ? null : (
            <li class="item center" key={mode}>
              <span class="stack grow">
                <span class="medium">
                  {t(modeWords[mode].name)} {mode === explained.mode ? <span class="t3 s12">{t("current")}</span> : null}
                </span>
                <span class="t3 s12">{t(modeWords[mode].meaning)}</span>
              </span>
              <VerdictChip verdict={decision.verdict} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
