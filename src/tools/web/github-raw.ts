import { parsedUrl } from "../../contract/index.ts";

/** GitHub's page of a file shows the file through scripts; the file itself stands elsewhere. */
export function withoutBlobPage(url: string): string {
  const parsed = parsedUrl(url);
  if (parsed === undefined) return url;
  const { protocol, host, pathname } = parsed;
  const [, owner, repository, kind, ...rest] = pathname.split("/");
  if (protocol !== "https:" || !/^(?:www\.)?github\.com$/.test(host) || kind !== "blob" || rest.length < 2) return url;
  return `https://raw.githubusercontent.com/${owner}/${repository}/${rest.join("/")}`;
}
