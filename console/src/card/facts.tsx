/** The parts of a card that tell: the thing itself, why it asks, the way back, warnings. */
import { useSignal } from "@preact/signals";
import type { Approval, EffectLine } from "../api/types.ts";
import { sessions } from "../live/sessions.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { countLines } from "../parts/parse-diff.ts";
import { shortPaths } from "../parts/short-path.ts";
import { hasHidden, plainHost } from "../parts/suspicious.ts";
import { Command, Visible } from "../parts/visible-text.tsx";
import { reasonWords } from "../words/reasons.ts";
import { language, t } from "../words/words.ts";
import { effectKey, hostOf, inOrder, lineOf, objectOf } from "./question.ts";

const verdictIcons: Readonly<Record<string, IconName>> = { allow: "check", ask: "hand", rehearse: "flask", deny: "ban" };
const foldedEffects = 6;

export function Thing({ approval }: { readonly approval: Approval }) {
  const { preview } = approval;
  if (preview?.type === "diff" && preview.text !== undefined) {
    const { added, removed } = countLines(preview.text);
    const path = objectOf(approval.effects.find(({ effect }) => effect.kind === "write")?.effect ?? { kind: "" });
    return (
      <div class="box">
        <div class="file-head">
          <Icon name="file-diff" />
          <code class="clip grow">{path}</code>
          <Counts added={added} removed={removed} />
        </div>
        <DiffView text={preview.text} label={t("diffOf", { path })} />
      </div>
    );
  }
  if (preview?.type === "command" || typeof (approval.input as { command?: unknown } | null)?.command === "string") {
    return (
      <div>
        <div class="cmd">
          <span class="prompt mono" aria-hidden="true">
            $
          </span>
          <pre>
            <Command text={lineOf(approval)} />
          </pre>
        </div>
        <Folder approval={approval} />
      </div>
    );
  }
  const input = approval.input !== null && typeof approval.input === "object" && !Array.isArray(approval.input) ? approval.input : {};
  return (
    <dl class="args mono">
      {Object.entries(input).map(([name, value]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name}=`}>
          <Command text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} />
        </dd>,
      ])}
    </dl>
  );
}

/** Where it would run, if that is not the workspace itself. */
function Folder({ approval: { cwd, root_session_id: root } }: { readonly approval: Approval }) {
  const workspace = sessions.value?.find(({ id }) => id === root)?.workspace;
  if (cwd === undefined || cwd === "" || cwd === workspace) return null;
  const path = workspace !== undefined && cwd.startsWith(`${workspace}/`) ? cwd.slice(workspace.length + 1) : cwd;
  return <p class="t3 s12 folder">{t("inFolder", { path })}</p>;
}

export function Counts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span class="num s12 counts">
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}

export function Facts({ approval, says }: { readonly approval: Approval; readonly says: string | undefined }) {
  const told = approval.description === undefined || approval.description === "" ? says : approval.description;
  const lines = inOrder(approval.effects);
  return (
    <dl class="facts">
      {told === undefined ? null : (
        <>
          <dt>{t("agentSays")}</dt>
          <dd class="t2">
            <Visible text={t("quoted", { text: told })} />
          </dd>
        </>
      )}
      <dt>{t("whyItAsks")}</dt>
      <dd>
        {lines.length > 1 ? (
          <EffectLines lines={lines} />
        ) : (
          <>
            {shortPaths(reasonWords(approval, language.value))} <span class="t3">· </span>
            <code class="t3">{approval.rule}</code>
          </>
        )}
      </dd>
      <dt>{t("wayBack")}</dt>
      <dd>{wayBack(approval)}</dd>
    </dl>
  );
}

function wayBack({ undo }: Approval): string {
  if (undo.guarantee === "exact") return t("backExact");
  if (undo.guarantee === "files") return t("backFiles");
  return undo.reason === undefined ? t("backNothing") : t("backNone", { what: undo.reason });
}

function EffectLines({ lines }: { readonly lines: readonly EffectLine[] }) {
  const all = useSignal(false);
  const shown = all.value ? lines : lines.slice(0, foldedEffects);
  return (
    <ul class="stack">
      {shown.map(({ effect, verdict, rule, ...why }) => (
        <li class={`effect ${verdict}`} key={`${effect.kind} ${objectOf(effect)} ${rule}`}>
          <Icon name={verdictIcons[verdict] ?? "hand"} small />
          <span>
            {t(effectKey(effect))} <code>{objectOf(effect)}</code>{" "}
            <span class="t3 s12">
              {verdict === "allow" ? "" : `${shortPaths(reasonWords({ rule, ...why }, language.value))} · `}
              {rule}
            </span>
          </span>
        </li>
      ))}
      {lines.length > shown.length ? (
        <li>
          <button type="button" class="btn ghost tight" data-more onClick={() => (all.value = true)}>
            {t("effectsMore", { n: lines.length - shown.length })}
          </button>
        </li>
      ) : null}
    </ul>
  );
}

export function Warnings({ approval }: { readonly approval: Approval }) {
  const lines: string[] = [];
  const writes = approval.effects.filter(({ effect }) => effect.kind === "write");
  if (approval.repaired !== undefined && approval.repaired.length > 0) lines.push(t("repaired", { what: approval.repaired.join(", ") }));
  if (writes.some(({ effect }) => effect.unread === true)) lines.push(t("neverRead"));
  if (asks(approval, /secret/)) lines.push(t("secretFile"));
  if (asks(approval, /sensitive/) && approval.rehearsal === undefined) lines.push(t("riskyFile"));
  if (hasHidden(JSON.stringify(approval.input))) lines.push(t("bidi"));
  for (const { effect } of approval.effects) {
    const plain = effect.kind === "connect" ? plainHost(hostInText(objectOf(effect))) : undefined;
    if (plain !== undefined) lines.push(t("punycode", { host: plain }));
  }
  if (lines.length === 0) return null;
  return (
    <ul class="stack warnings">
      {lines.map((line) => (
        <li class="note ask" key={line}>
          <Icon name="warning" />
          <span>{line}</span>
        </li>
      ))}
    </ul>
  );
}

function asks({ effects }: Approval, rules: RegExp): boolean {
  return effects.some(({ rule, verdict }) => rules.test(rule) && verdict !== "allow");
}

/** As it is written: a parsed address is plain already. */
function hostInText(url: string): string {
  return /^[a-z]+:\/\/([^/?#]+)/i.exec(url)?.[1] ?? hostOf(url);
}
