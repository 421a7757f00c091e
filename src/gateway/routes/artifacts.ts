/** `/sessions/ID/artifacts`: texts of a session with their versions. They are changed by calls; a page of one can do nothing. */
import { z } from "@hono/zod-openapi";
import { type ArtifactText, artifactTypes, type SessionHandle } from "../../contract/index.ts";
import { invalid, notFound } from "../problem.ts";
import { wireResult } from "../wire/convert.ts";
import { resultSchema, sessionIdParam } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

const summarySchema = z
  .object({ id: z.string(), title: z.string(), content_type: z.enum(artifactTypes), version: z.number().int() })
  .openapi("ArtifactSummary");

const versionSchema = z.object({
  version: z.number().int(),
  kind: z.enum(["create", "update", "update_fuzzy", "rewrite"]),
  time: z.string(),
  call_id: z.string(),
  agent: z.string().optional(),
  removed: z.boolean().optional(),
});

const artifactSchema = summarySchema
  .extend({ latest_version: z.number().int(), content: z.string(), versions: z.array(versionSchema) })
  .openapi("Artifact");

const artifactParams = sessionIdParam.extend({ artifact: z.string().min(1).max(400) });
const version = z.coerce.number().int().min(1);

/** An address that sends nothing when it is opened alone either. */
const pageHeaders = {
  "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  "x-content-type-options": "nosniff",
};

export function addArtifactRoutes(routes: Routes): void {
  const { router, sessions, desk } = routes;

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/artifacts",
      operationId: "listArtifacts",
      summary: "The session's artifacts.",
      scope: "read",
      params: sessionIdParam,
      answers: { 200: { description: "The artifacts.", schema: z.object({ artifacts: z.array(summarySchema) }).openapi("ArtifactList") } },
    },
    async ({ caller, params }) => {
      const { artifacts } = await sessions.open(caller, params.id);
      return { status: 200, body: { artifacts: (await artifacts.list()).map(wireSummary) } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/artifacts/{artifact}",
      operationId: "getArtifact",
      summary: "An artifact in one version, with the list of all versions.",
      scope: "read",
      params: artifactParams,
      query: z.object({ version: version.optional() }),
      answers: { 200: { description: "The artifact.", schema: artifactSchema } },
    },
    async ({ caller, params, query }) => {
      const session = await sessions.open(caller, params.id);
      const found = await versionOf(session, params.artifact, query.version);
      const versions = (await session.artifacts.versions(params.artifact)).map(({ callId, time, ...one }) => ({
        ...one,
        time: new Date(time).toISOString(),
        call_id: callId,
      }));
      return { status: 200, body: { ...wireSummary(found), latest_version: found.latestVersion, content: found.content, versions } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/artifacts/{artifact}/diff",
      operationId: "diffArtifact",
      summary: "The difference of two versions as a unified diff.",
      scope: "read",
      params: artifactParams,
      query: z.object({ from: version, to: version }),
      answers: {
        200: { description: "The difference; empty if there is none.", schema: z.object({ diff: z.string() }).openapi("ArtifactDiff") },
      },
    },
    async ({ caller, params, query }) => {
      const session = await sessions.open(caller, params.id);
      const [before, after] = [await versionOf(session, params.artifact, query.from), await versionOf(session, params.artifact, query.to)];
      const diff = before.content === after.content ? "" : desk.diff(params.artifact, before.content, after.content);
      return { status: 200, body: { diff } };
    },
  );

  router.add(
    {
      method: "post",
      path: "/sessions/{id}/artifacts/{artifact}/revert",
      operationId: "revertArtifact",
      summary: "Makes an earlier version the newest one again.",
      scope: "call",
      params: artifactParams,
      body: z.strictObject({ version: z.number().int().min(1) }).openapi("Revert"),
      answers: { 200: { description: "The Result of the call.", schema: resultSchema } },
    },
    async ({ caller, params, body }) => {
      const session = await sessions.open(caller, params.id);
      const { content } = await versionOf(session, params.artifact, body.version);
      const result = await session.call("RewriteArtifact", { id: params.artifact, content: content.replaceAll("$KARYI{", "$$$$KARYI{") });
      return { status: 200, body: wireResult(result) };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/artifacts/{artifact}/page",
      operationId: "showArtifactPage",
      summary: "An HTML or SVG artifact as a page without rights, for a frame with `sandbox`.",
      scope: "read",
      byTicket: true,
      params: artifactParams,
      query: z.object({ version: version.optional(), scripts: z.enum(["0", "1"]).optional() }),
      answers: { 200: { description: "The page.", contentType: "text/html", schema: z.string() } },
    },
    async ({ caller, params, query }) => {
      const { content, contentType } = await versionOf(await sessions.open(caller, params.id), params.artifact, query.version);
      if (contentType !== "html" && contentType !== "svg")
        throw invalid("Only HTML and SVG artifacts are pages.", { content_type: contentType });
      const policy = pageHeaders["content-security-policy"];
      const scripted = "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
      return {
        status: 200,
        body: content,
        headers: {
          ...pageHeaders,
          "content-security-policy": query.scripts === "1" ? scripted : policy,
          "content-type": contentType === "svg" ? "image/svg+xml" : "text/html; charset=utf-8",
        },
      };
    },
  );
}

function wireSummary({ id, title, contentType, version: number }: Pick<ArtifactText, "id" | "title" | "contentType" | "version">) {
  return { id, title, content_type: contentType, version: number };
}

async function versionOf({ artifacts }: SessionHandle, id: string, number: number | undefined): Promise<ArtifactText> {
  const found = await artifacts.read(id, number);
  if (found !== undefined) return found;
  const known = (await artifacts.list()).map((one) => one.id).join(", ");
  throw notFound(
    number === undefined ? `There is no artifact '${id}'. There are: ${known || "none"}.` : `Artifact '${id}' has no version ${number}.`,
  );
}
