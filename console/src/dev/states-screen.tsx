/** Every state of every component, one below the other. In development only: no build for people has it. */
import { ApprovalCard } from "../card/approval-card.tsx";
import { sending } from "../card/approvals.ts";
import { Receipt } from "../card/receipt.tsx";
import { ValueForm } from "../card/value-card.tsx";
import { BannerNote } from "../frame/banner.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { CallRow, ExploredRow } from "../session/call-row.tsx";
import { ChangesPanel } from "../session/changes-panel.tsx";
import { EmptySession } from "../session/empty-session.tsx";
import { TalkRow } from "../session/talk-row.tsx";
import type { Row } from "../state/rows.ts";
import { type Entry, emptySession } from "../state/session-state.ts";
import { VerdictChip } from "../tools/explained.tsx";
import { calls, cards, receipts } from "./states-data.ts";

const state = emptySession("states");
const place = { key: "e", seq: 1, time: Date.now() };
const entries: readonly (readonly [string, Entry])[] = [
  ["person's message", { ...place, kind: "said", text: "Fix the flaky test." }],
  ["agent's text", { ...place, kind: "text", text: "I look at `retry.ts` **first**.\n\n- one\n- two", open: false }],
  ["thinking", { ...place, kind: "thinking", text: "Hm.", until: place.time, open: true }],
  ["thought", { ...place, kind: "thinking", text: "Hm.", until: place.time + 12_000, open: false }],
  ["model changed", { ...place, kind: "model", model: "another/model" }],
  ["done", { ...place, kind: "end", status: "done", tookMs: 38_000 }],
  ["stopped", { ...place, kind: "end", status: "cancelled", tookMs: 38_000 }],
  ["failed", { ...place, kind: "end", status: "failed", message: "The provider does not answer.", tookMs: 1000 }],
  ["error", { ...place, kind: "error", message: "Too many requests.", retryInMs: 8000 }],
];

/** A card whose answer is on its way, and late. */
const late = "state-late";
sending.value = new Map(sending.value).set(late, { answer: "once", since: Date.now() - 6000 });

export function StatesScreen() {
  const reads = calls.filter(([name]) => name === "read" || name === "done").map(([, one]) => one);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page narrow" aria-label="States" tabIndex={0}>
      <h1 class="strong">States</h1>
      {cards.map(([name, approval], index) => (
        <State kind="card" name={name} key={name}>
          <ApprovalCard approval={{ ...approval, id: `state-${index}` }} index={0} total={1} />
        </State>
      ))}
      <State kind="card" name="sending, not confirmed yet">
        <ApprovalCard approval={{ ...(cards[0]?.[1] as (typeof cards)[0][1]), id: late }} index={1} total={3} times={4} onMove={() => {}} />
      </State>
      {receipts.map(([name, approval]) => (
        <State kind="receipt" name={name} key={name}>
          <Receipt approval={approval} />
        </State>
      ))}
      {calls.map(([name, one]) => (
        <State kind="call" name={name} key={name}>
          <CallRow call={{ ...one, callId: `state ${name}` }} state={state} />
        </State>
      ))}
      <State kind="call" name="reads that join">
        <ExploredRow calls={reads} state={state} />
      </State>
      {entries.map(([name, entry]) => (
        <State kind="row" name={name} key={name}>
          <TalkRow row={{ kind: "entry", key: name, entry } satisfies Row} state={state} />
        </State>
      ))}
      <State kind="value" name="asked for">
        <ValueForm id="v" keyName="NPM_TOKEN" reason="To publish 2.4.0" agent="lead" />
      </State>
      <State kind="value" name="password prompt">
        <ValueForm id="p" keyName="" reason="deploy@shop.example's password:" agent="lead" isPrompt />
      </State>
      {[3000, 60_000].map((ms) => (
        <State kind="banner" name={`lost for ${ms / 1000} s`} key={ms}>
          <BannerNote state={{ kind: "lost", since: Date.now() - ms, reason: "offline" }} back={undefined} />
        </State>
      ))}
      <State kind="banner" name="busy">
        <BannerNote state={{ kind: "lost", since: Date.now() - 3000, reason: "busy" }} back={undefined} />
      </State>
      <State kind="banner" name="logged out">
        <BannerNote state={{ kind: "lost", since: Date.now(), reason: "unauthorized" }} back={undefined} />
      </State>
      <State kind="banner" name="back">
        <BannerNote state={{ kind: "open" }} back={38} />
      </State>
      <State kind="screen" name="loading">
        <Skeleton />
      </State>
      <State kind="screen" name="empty session">
        <EmptySession sessionId="states" workspace="/work/shop-api" />
      </State>
      <State kind="screen" name="no changes">
        <ChangesPanel state={state} />
      </State>
      <State kind="verdict" name="all four">
        <p class="line wrap">
          {(["allow", "rehearse", "ask", "deny"] as const).map((verdict) => (
            <VerdictChip key={verdict} verdict={verdict} />
          ))}
        </p>
      </State>
    </section>
  );
}

interface StateProps {
  readonly kind: string;
  readonly name: string;
  readonly children: preact.ComponentChildren;
}

function State({ kind, name, children }: StateProps) {
  return (
    <div class="step-group" data-state={`${kind} ${name}`}>
      <h2 class="eyebrow net-head">{`${kind}: ${name}`}</h2>
      {children}
    </div>
  );
}
