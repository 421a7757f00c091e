/** Hands one text to another server and says what it answered. Follows no redirect and reads no answer. */
export async function postJson(
  url: string,
  body: string,
  { headers = {}, timeoutMs }: { readonly headers?: Readonly<Record<string, string>>; readonly timeoutMs: number },
): Promise<number> {
  const answer = await fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/json", ...headers },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  await answer.body?.cancel();
  return answer.status;
}
