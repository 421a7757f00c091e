/** GitHub's page of a file shows the file through scripts; the file itself stands elsewhere. */
export function withoutBlobPage(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  const [, owner, repository, kind, ...rest] = pathname.split("/");
  if (protocol !== "https:" || !/^(?:www\.)?github\.com$/.test(host) || kind !== "blob" || rest.length < 2) return url;
  return `https://raw.githubusercontent.com/${owner}/${repository}/${rest.join("/")}`;
}
