/** Artifacts: versions at the left; page, source or comparison at the right. A newer version is offered, never swapped in. */
import "../theme/work.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ApiError, api, pathOf, ticketFor } from "../api/client.ts";
import type { Result } from "../api/types.ts";
import { Counts } from "../card/facts.tsx";
import { may } from "../me.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { countLines } from "../parts/parse-diff.ts";
import { showToast } from "../parts/toast.tsx";
import { useMedia } from "../parts/use-media.ts";
import type { SessionState } from "../state/session-state.ts";
import type { Key } from "../words/en.ts";
import { at, t } from "../words/words.ts";
import { RenderedCompare } from "./rendered-compare.tsx";
import { sessionHref } from "./session-href.ts";

interface Summary {
  readonly id: string;
  readonly title: string;
  readonly content_type: string;
  readonly version: number;
}

interface Version {
  readonly version: number;
  readonly kind: string;
  readonly time: string;
  readonly agent?: string;
}

interface Artifact extends Summary {
  readonly latest_version: number;
  readonly content: string;
  readonly versions: readonly Version[];
}

interface ArtifactsProps {
  readonly state: SessionState;
  readonly artifactId: string | undefined;
  readonly version: string | undefined;
  readonly other: string | undefined;
}

type View = "page" | "source" | "compare";

export function ArtifactsScreen({ state, artifactId, version, other }: ArtifactsProps) {
  const list = useSignal<readonly Summary[] | undefined>(undefined);
  const found = useSignal<Artifact | undefined>(undefined);
  const view = useSignal<View>(other === undefined ? "page" : "compare");
  const { sessionId, artifacts } = state;
  useEffect(() => {
    api<{ readonly artifacts: readonly Summary[] }>("GET", pathOf("sessions", sessionId, "artifacts")).then(
      (answer) => (list.value = answer.artifacts),
      () => (list.value = []),
    );
  }, [sessionId, artifacts]);
  const id = artifactId ?? list.value?.[0]?.id;
  useEffect(() => {
    if (id === undefined) return;
    api<Artifact>(
      "GET",
      `${pathOf("sessions", sessionId, "artifacts", id)}${version === undefined ? "" : `?version=${encodeURIComponent(version)}`}`,
    ).then(
      (artifact) => (found.value = artifact),
      () => (found.value = undefined),
    );
  }, [sessionId, id, version, found]);
  if (list.value !== undefined && list.value.length === 0) {
    return (
      <div class="empty">
        <Icon name="file-text" />
        <h2>{t("noArtifacts")}</h2>
        <p>{t("noArtifactsIs")}</p>
      </div>
    );
  }
  const artifact = found.value;
  if (artifact === undefined || id === undefined) return <div />;
  const from = Number(other ?? Math.max(1, artifact.version - 1));
  const restorable = view.value === "compare" ? from : artifact.version;
  const newest = artifacts.get(id)?.version ?? artifact.latest_version;
  return (
    <div class="body artifact-body">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
      <section class="list-side scroll" tabIndex={0} aria-label={t("artifacts")}>
        {list.value !== undefined && list.value.length > 1 ? (
          <ul>
            {list.value.map((one) => (
              <li key={one.id}>
                <a class="item" href={artifactHref(sessionId, one.id)} aria-current={one.id === id ? "page" : undefined}>
                  <Icon name="file-text" class="quiet" />
                  <span class="clip">{one.title}</span>
                </a>
              </li>
            ))}
          </ul>
        ) : null}
        <div class="padded">
          <h2 class="medium">{artifact.title}</h2>
          <p class="t3 s12">{t("versions", { kind: artifact.content_type, n: artifact.versions.length })}</p>
        </div>
        <ul class="version-list">
          {[...artifact.versions]
            .sort((a, b) => b.version - a.version)
            .map((one) => (
              <li key={one.version}>
                <a
                  class="item"
                  href={artifactHref(sessionId, id, one.version)}
                  aria-current={one.version === artifact.version ? "true" : undefined}
                >
                  <span class={`chip ${one.version === artifact.version ? "run" : ""}`}>v{one.version}</span>
                  <span class="stack grow">
                    <span>{t(`kind_${one.kind}` as Key)}</span>
                    <span class="t3 s12">{[one.agent ?? t("you"), at(Date.parse(one.time))].filter(Boolean).join(" · ")}</span>
                  </span>
                </a>
              </li>
            ))}
        </ul>
      </section>
      <div class="detail">
        <div class="artifact-bar line wrap">
          <div class="seg">
            {(["page", "source", "compare"] as const).map((one) => (
              <button
                type="button"
                key={one}
                aria-pressed={view.value === one}
                disabled={one === "compare" && artifact.versions.length < 2}
                onClick={() => (view.value = one)}
              >
                {t(one)}
              </button>
            ))}
          </div>
          {view.value === "compare" ? <Compared sessionId={sessionId} artifact={artifact} from={from} /> : null}
          <span class="grow" />
          {newest > artifact.latest_version ? (
            <span class="chip run">
              {t("newVersion", { n: newest })} · <a href={artifactHref(sessionId, id, newest)}>{t("show")}</a>
            </span>
          ) : null}
          {restorable < artifact.latest_version && may("call") ? (
            <Restore sessionId={sessionId} artifactId={id} version={restorable} />
          ) : null}
          <button type="button" class="btn ghost only-icon" aria-label={t("download")} onClick={() => download(artifact)}>
            <Icon name="download" />
          </button>
        </div>
        {view.value === "page" ? <Shown sessionId={sessionId} artifact={artifact} /> : null}
        {view.value === "source" ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
          <section class="page" tabIndex={0} aria-label={t("source")}>
            <pre class="shown">{artifact.content}</pre>
          </section>
        ) : null}
        {view.value === "compare" ? <Compare sessionId={sessionId} artifact={artifact} from={from} /> : null}
        <p class="artifact-foot t3 s12 line">
          <Icon name="lock" small />
          {t("noScripts")}
        </p>
      </div>
    </div>
  );
}

function artifactHref(sessionId: string, id: string, version?: number, other?: number): string {
  const query = [version === undefined ? "" : `v=${version}`, other === undefined ? "" : `with=${other}`].filter(Boolean).join("&");
  return `${sessionHref(sessionId, "artifacts")}/${encodeURIComponent(id)}${query === "" ? "" : `?${query}`}`;
}

function PageFrame({ path, title, sandbox }: { readonly path: string; readonly title: string; readonly sandbox: string }) {
  const address = useSignal<string | undefined>(undefined);
  useEffect(() => {
    ticketFor(path).then(
      (url) => (address.value = url),
      (error: Error) => showToast(error.message),
    );
  }, [path, address]);
  return address.value === undefined ? (
    <div class="artifact-frame" />
  ) : (
    <iframe class="artifact-frame" title={title} sandbox={sandbox} src={address.value} />
  );
}

/** Text is text, Markdown is cleaned, pages and pictures live in a frame without any right. */
function Shown({ sessionId, artifact }: { readonly sessionId: string; readonly artifact: Artifact }) {
  const scripts = useSignal(false);
  if (artifact.content_type === "html" || artifact.content_type === "svg") {
    const path = `${pathOf("sessions", sessionId, "artifacts", artifact.id, "page")}?version=${artifact.version}${scripts.value ? "&scripts=1" : ""}`;
    return (
      <div class="frame-at">
        <PageFrame key={path} path={path} title={artifact.title} sandbox={scripts.value ? "allow-scripts" : ""} />
        <label class="line s13 padded">
          <input type="checkbox" checked={scripts.value} onChange={({ currentTarget }) => (scripts.value = currentTarget.checked)} />
          {t("runScripts")} {scripts.value ? <span class="t3 s12">{t("scriptsRun")}</span> : null}
        </label>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page" tabIndex={0} aria-label={artifact.title}>
      {artifact.content_type === "markdown" ? <Markdown text={artifact.content} /> : <pre class="shown">{artifact.content}</pre>}
    </section>
  );
}

interface CompareProps {
  readonly sessionId: string;
  readonly artifact: Artifact;
  readonly from: number;
}

/** Markdown as pages, side by side from 900 px on; everything else as a diff of the source. */
function Compare({ sessionId, artifact, from }: CompareProps) {
  const isWide = useMedia("(min-width: 900px)");
  const isPage = artifact.content_type === "markdown";
  const diff = useDiff(sessionId, artifact, from);
  const before = useSignal<string | undefined>(undefined);
  useEffect(() => {
    api<Artifact>("GET", `${pathOf("sessions", sessionId, "artifacts", artifact.id)}?version=${from}`).then(
      ({ content }) => (before.value = content),
      () => {},
    );
  }, [sessionId, artifact.id, from, before]);
  const titleOf = (version: number): string => {
    const time = artifact.versions.find((one) => one.version === version)?.time;
    return time === undefined ? `v${version}` : `v${version} · ${at(Date.parse(time))}`;
  };
  if (isPage && before.value !== undefined) {
    return (
      <RenderedCompare
        wide={isWide}
        left={{ title: titleOf(from), text: before.value }}
        right={{ title: titleOf(artifact.version), text: artifact.content }}
      />
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
    <section class="page" tabIndex={0} aria-label={t("compare")}>
      {diff === undefined ? null : (
        <div class="box">
          <DiffView text={diff} label={t("diffOf", { path: artifact.title })} />
        </div>
      )}
    </section>
  );
}

function useDiff(sessionId: string, { id, version }: Artifact, from: number): string | undefined {
  const diff = useSignal<string | undefined>(undefined);
  useEffect(() => {
    api<{ readonly diff: string }>("GET", `${pathOf("sessions", sessionId, "artifacts", id, "diff")}?from=${from}&to=${version}`).then(
      (answer) => (diff.value = answer.diff),
      () => (diff.value = ""),
    );
  }, [sessionId, id, version, from, diff]);
  return diff.value;
}

/** Which two are compared, in the bar: any version can stand at the left. */
function Compared({ sessionId, artifact, from }: CompareProps) {
  const { route } = useLocation();
  const diff = useDiff(sessionId, artifact, from);
  return (
    <span class="line compared">
      <select
        class="input list-choice tight"
        aria-label={t("compareWith")}
        value={String(from)}
        onChange={({ currentTarget }) => route(artifactHref(sessionId, artifact.id, artifact.version, Number(currentTarget.value)))}
      >
        {artifact.versions.map(({ version }) => (
          <option key={version} value={String(version)}>
            v{version}
          </option>
        ))}
      </select>
      <Icon name="arrow-right" small />
      <span class="chip run">v{artifact.version}</span>
      {diff === undefined || diff === "" ? null : <Counts {...countLines(diff)} />}
    </span>
  );
}

function Restore({
  sessionId,
  artifactId,
  version,
}: {
  readonly sessionId: string;
  readonly artifactId: string;
  readonly version: number;
}) {
  const { route } = useLocation();
  const restore = async (): Promise<void> => {
    try {
      const result = await api<Result>("POST", pathOf("sessions", sessionId, "artifacts", artifactId, "revert"), { version });
      if (result.status === "ok") route(artifactHref(sessionId, artifactId));
      else showToast(result.error?.message ?? result.output);
    } catch (error) {
      showToast(`${t("errorTitle")}: ${error instanceof ApiError ? error.message : String(error)}`);
    }
  };
  return (
    <button type="button" class="btn restore" onClick={() => void restore()}>
      <Icon name="restore" small />
      {t("restore", { n: version })}
    </button>
  );
}

function download({ id, content }: Artifact): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
  link.download = id;
  link.click();
  URL.revokeObjectURL(link.href);
}
