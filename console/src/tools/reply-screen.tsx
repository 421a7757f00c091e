/** Try a reply: a model's text, the calls in it, what had to be mended, and what would happen to each. Runs nothing. */
import { useComputed, useSignal } from "@preact/signals";
import { type DecodedCall, type Dialect, dialects, parseParts } from "../../../src/dialect/index.ts";
import type { ToolInfo } from "../api/types.ts";
import { Icon } from "../parts/icon.tsx";
import { shortPaths } from "../parts/short-path.ts";
import { reasonWords } from "../words/reasons.ts";
import { language, t } from "../words/words.ts";
import { useExplained, VerdictChip } from "./explained.tsx";

/** One call in order, and one without its end, as models write it. */
const example = `I'll look at the helper first, then note what I found.

<tool_call>
<name>Read</name>
<params>
<file_path>src/retry.ts</file_path>
</params>
</tool_call>
<tool_call>
<name>Write</name>
<params>
<file_path>notes.md</file_path>
<content># Retries & jitter
</content>
</params>
`;

const textDialects = dialects.filter((one) => one !== "anthropic" && one !== "openai");

export function ReplyScreen({ tools }: { readonly tools: readonly ToolInfo[] }) {
  const text = useSignal(example);
  const dialect = useSignal<Dialect>("auto");
  const upTo = useSignal(1000);
  const end = useComputed(() => Math.round((text.value.length * upTo.value) / 1000));
  const parts = useComputed(() => {
    const schemas = new Map(tools.map(({ name, input_schema }) => [name, input_schema]));
    return parseParts(text.value.slice(0, end.value), { dialect: dialect.value, tools: (name) => schemas.get(name) });
  });
  const calls = parts.value.flatMap((part) => (part.type === "call" ? [part.call] : []));
  const shown = text.value.slice(0, end.value);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page reply" tabIndex={0} aria-label={t("tryReply")}>
      <div class="stack gap-16">
        <div class="line">
          <div class="field grow">
            <label for="reply">{t("replyPaste")}</label>
            <p class="t3 s12">{t("replyHint")}</p>
          </div>
          <label class="line s13">
            {t("dialect")}
            <select
              class="input"
              value={dialect.value}
              onChange={({ currentTarget }) => (dialect.value = textDialects.find((one) => one === currentTarget.value) ?? "auto")}
            >
              {textDialects.map((one) => (
                <option key={one} value={one}>
                  {one === "auto" ? t("auto") : one}
                </option>
              ))}
            </select>
          </label>
        </div>
        <textarea
          class="input mono reply-text"
          id="reply"
          rows={12}
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
            upTo.value = 1000;
          }}
        />
        <label class="stack s13 gap">
          <span class="t2">{t("chunks", { n: end.value, total: text.value.length })}</span>
          <input
            type="range"
            min={0}
            max={1000}
            value={upTo.value}
            onInput={({ currentTarget }) => (upTo.value = Number(currentTarget.value))}
          />
        </label>
        <div class="box">
          <div class="head">
            <span class="medium grow">{t("whatWasRead")}</span>
            <span class="t3 s12">{t("markedAreCalls")}</span>
          </div>
          <pre class="shown marked">
            {spans(shown, calls).map(({ part, isCall }, index) => (isCall ? <mark key={index}>{part}</mark> : part))}
          </pre>
        </div>
      </div>
      <div class="stack gap-16">
        <h2 class="medium">{calls.length === 0 ? t("noCalls") : t("callsFound", { n: calls.length })}</h2>
        {calls.length === 0 ? <p class="note">{t("noCallsIs")}</p> : null}
        {calls.map((call, index) => (
          <FoundCall key={`${index}:${call.name}`} call={call} />
        ))}
      </div>
    </section>
  );
}

/** The text as it was pasted, cut where calls begin and end. */
function spans(text: string, calls: readonly DecodedCall[]): readonly { readonly part: string; readonly isCall: boolean }[] {
  const cut: { part: string; isCall: boolean }[] = [];
  let at = 0;
  for (const { raw } of calls) {
    const start = text.indexOf(raw, at);
    if (raw === "" || start < 0) continue;
    if (start > at) cut.push({ part: text.slice(at, start), isCall: false });
    cut.push({ part: raw, isCall: true });
    at = start + raw.length;
  }
  return at < text.length ? [...cut, { part: text.slice(at), isCall: false }] : cut;
}

function FoundCall({ call }: { readonly call: DecodedCall }) {
  const asked = useExplained(call.name, call.input, call.unreadable === undefined);
  return (
    <div class="box">
      <div class="head">
        <Icon name="tools" />
        <code class="grow">{call.name}</code>
        {asked.kind === "ready" ? <VerdictChip verdict={asked.explained.verdict} /> : null}
      </div>
      <div class="stack gap padded">
        {call.unreadable === undefined ? null : <p class="note deny">{call.unreadable}</p>}
        {asked.kind === "failed" ? <p class="note deny">{asked.message}</p> : null}
        {call.repaired === undefined ? null : (
          <p class="note ask">
            <Icon name="warning" />
            {t("repaired", { what: call.repaired.join(", ") })}
          </p>
        )}
        {asked.kind === "ready" && asked.explained.verdict !== "allow" ? (
          <p class="t2 s13">
            {shortPaths(reasonWords(asked.explained, language.value))} <span class="t3">· </span>
            <code class="t3">{asked.explained.rule}</code>
          </p>
        ) : null}
        <pre class="shown">{JSON.stringify(call.input, null, 2)}</pre>
        <a class="s13" href={`/tools/${encodeURIComponent(call.name)}?input=${encodeURIComponent(JSON.stringify(call.input))}`}>
          {t("tryInTools")}
        </a>
      </div>
    </div>
  );
}
