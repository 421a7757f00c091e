/** Artifacts of a session as resources: `karyi://artifact/ID`, and `…?version=N`. */
import type { SessionHandle } from "../../contract/index.ts";
import type { ResourceSurface } from "./surface.ts";

const mimeTypes: Readonly<Record<string, string>> = {
  markdown: "text/markdown",
  text: "text/plain",
  code: "text/plain",
  html: "text/html",
  json: "application/json",
  csv: "text/csv",
  svg: "image/svg+xml",
  mermaid: "text/vnd.mermaid",
};
const prefix = "karyi://artifact/";

export function artifactResources({ artifacts }: Pick<SessionHandle, "artifacts">): ResourceSurface {
  return {
    list: async () =>
      (await artifacts.list()).map(({ id, title, contentType, version }) => ({
        uri: `${prefix}${encodeURIComponent(id)}`,
        name: id,
        title,
        description: `Version ${version}`,
        mimeType: mimeTypes[contentType] ?? "text/plain",
      })),
    templates: async () => [
      { uriTemplate: `${prefix}{id}`, name: "artifact", title: "Artifact", description: "The latest version of an artifact" },
      {
        uriTemplate: `${prefix}{id}{?version}`,
        name: "artifact-version",
        title: "Version of an artifact",
        description: "One version of an artifact",
      },
    ],
    async read(uri) {
      const named = parsed(uri);
      const found = named && (await artifacts.read(named.id, named.version));
      return found && { contents: [{ uri, mimeType: mimeTypes[found.contentType] ?? "text/plain", text: found.content }] };
    },
  };
}

function parsed(uri: string): { readonly id: string; readonly version?: number } | undefined {
  if (!uri.startsWith(prefix)) return undefined;
  const [path = "", query = ""] = uri.slice(prefix.length).split("?", 2);
  const version = new URLSearchParams(query).get("version");
  try {
    const id = decodeURIComponent(path);
    if (version === null) return { id };
    return /^\d{1,9}$/.test(version) ? { id, version: Number(version) } : undefined;
  } catch {
    return undefined;
  }
}
