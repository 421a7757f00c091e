/** Marks around text that comes from strangers (web pages, search results, other servers), so that a model can tell it apart. */

const mark = "untrusted";

/** `nonce`: hex digits, at least 8, new for every call, so that a page cannot write the end of its own frame. */
export function markUntrusted(nonce: string, url: string, text: string): string {
  const name = `${mark}-${nonce}`;
  return `<${name} url="${attribute(url)}">\n${breakMarks(text)}\n</${name}>`;
}

const lookAlike = new RegExp(`[<＜﹤‹〈](?=[\\s/／\\\\\\p{Cf}]*${[...mark].join("\\p{Cf}*")})`, "giu");

/** What looks like such a mark is one no more. */
function breakMarks(text: string): string {
  return text.replace(lookAlike, "&lt;");
}

function attribute(url: string): string {
  return url.replace(/["<>\s\p{C}]/gu, (character) => encodeURIComponent(character)).slice(0, 2000);
}
