/** What an error of the SDK or of `fetch` says, with its cause, in a few lines. */
export function messageOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: { readonly message?: unknown } };
  const said = typeof message === "string" ? message : String(error);
  const why = typeof cause?.message === "string" && !said.includes(cause.message) ? `${said}: ${cause.message}` : said;
  return why.split("\n", 3).join(" ").slice(0, 500);
}
