/** `karyi artifacts`: reads, compares and exports the texts of a session; going back to a version is a call like any other. */
import { resolve } from "node:path";
import type { ArtifactText, SessionHandle } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { exitCodeOf, exitCodes } from "../exit-code.ts";
import { type GlobalFlags, openSession, print, printJson, UsageError, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { printResult } from "../show-result.ts";
import { colourDiff, styled } from "../terminal-style.ts";
import { padded } from "../text-width.ts";
import { oneLine, visible } from "../visible.ts";

/** A person who asked for a comparison waits for it. */
const comparisonMs = 20_000;

interface VersionFlags extends GlobalFlags {
  readonly version?: string;
}

export function listArtifacts(_: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const artifacts = await (await openSession(engine, flags)).artifacts.list();
    if (flags.json)
      printJson({ artifacts: artifacts.map(({ id, title, contentType, version }) => ({ id, title, content_type: contentType, version })) });
    else if (artifacts.length === 0) print(say("noArtifacts"));
    else {
      const width = Math.max(...artifacts.map(({ id }) => oneLine(id).length)) + 2;
      print(
        artifacts
          .map(({ id, title, contentType, version }) => {
            const facts = styled("dim", padded(`v${version}  ${contentType}`, 16), process.stdout);
            return `${padded(styled("bold", oneLine(id), process.stdout), width)}${facts}${oneLine(title)}`;
          })
          .join("\n"),
      );
    }
    return exitCodes.done;
  });
}

export function showArtifact([id = ""]: readonly string[], flags: VersionFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const session = await openSession(engine, flags);
    const artifact = await versionOf(session, id, flags.version);
    const versions = (await session.artifacts.versions(id)).map(({ version, kind, time, callId, agent }) => ({
      version,
      kind,
      time: new Date(time).toISOString(),
      call_id: callId,
      ...(agent === undefined ? {} : { agent }),
    }));
    const { title, contentType, version, content } = artifact;
    if (flags.json) printJson({ id, title, content_type: contentType, version, content, versions });
    else {
      const rows = versions.map(
        (one) => `  ${one.version === version ? "▸" : " "} ${padded(`v${one.version}`, 6)}${padded(one.kind, 14)}${one.time}`,
      );
      const head = `${styled("bold", oneLine(title), process.stdout)}  ${styled("dim", `${oneLine(id)} v${version} ${contentType}`, process.stdout)}`;
      print([head, "", visible(content).trimEnd(), "", styled("dim", say("artifactVersions"), process.stdout), ...rows].join("\n"));
    }
    return exitCodes.done;
  });
}

export function diffArtifact([id = "", from = "", to = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const session = await openSession(engine, flags);
    const { makeDiff } = await import("../../compose/index.ts");
    const [before, after] = [await versionOf(session, id, from), await versionOf(session, id, to)];
    const isSame = before.content === after.content;
    const diff = isSame ? "" : makeDiff(id, before.content, after.content, comparisonMs);
    if (flags.json) printJson({ diff });
    else print(diff === "" ? say(isSame ? "artifactSame" : "artifactNoDiff") : colourDiff(visible(diff.trimEnd()), process.stdout));
    return exitCodes.done;
  });
}

export function exportArtifact([id = "", file = ""]: readonly string[], flags: VersionFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const artifact = await versionOf(await openSession(engine, flags), id, flags.version);
    const { writeText } = await import("../../compose/index.ts");
    const path = resolve(file);
    await writeText(path, artifact.content);
    if (flags.json) printJson({ id, version: artifact.version, path });
    else print(say("artifactExported", oneLine(id), artifact.version, path));
    return exitCodes.done;
  });
}

export function revertArtifact([id = "", version = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const session = await openSession(engine, flags);
    const { content } = await versionOf(session, id, version);
    const result = await session.call("RewriteArtifact", { id, content });
    if (flags.json) printJson(result);
    else printResult(result, { workspace: engine.places.workspace });
    return exitCodeOf([result]);
  });
}

async function versionOf({ artifacts }: SessionHandle, id: string, version: string | undefined): Promise<ArtifactText> {
  const number = version === undefined ? undefined : Number(version);
  if (number !== undefined && (!Number.isInteger(number) || number < 1)) throw new UsageError(say("notACount", version ?? ""));
  const latest = await artifacts.read(id);
  if (latest === undefined) {
    const known = (await artifacts.list()).map((one) => one.id).join(", ");
    throw new ToolFailure("tool_not_found", say("noArtifact", id, known === "" ? "—" : known), {
      details: { reason: "artifact_not_found" },
    });
  }
  const found = await artifacts.read(id, number);
  if (found !== undefined) return found;
  throw new ToolFailure("tool_not_found", say("noArtifactVersion", id, number ?? 0, latest.latestVersion), {
    details: { reason: "version_not_found" },
  });
}
