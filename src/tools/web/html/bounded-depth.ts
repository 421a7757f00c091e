/**
 * Owns how deep a page may be nested before it is parsed. The parser takes time by depth for every element, so a page of
 * nothing but opening tags would hold the whole process up for minutes. Tags beyond the bound are left out, their text stays.
 */

/** Deeper than any page a person wrote. */
export const maxDepth = 600;

const isVoid = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;
/** Their end may be missing, so their beginnings say nothing about depth. */
const endsBySelf = /^(?:p|li|td|th|tr|dt|dd|option|optgroup|thead|tbody|tfoot|rp|rt|html|head|body)$/i;
const holdsRawText = /^(?:script|style|textarea|title|xmp)$/i;
/** Only inside of these does a slash at the end close an element. */
const isForeign = /^(?:svg|math)$/i;
const tagName = /[a-z][^\s/>]*/iy;

/** Linear in the page. A page that keeps to the bound comes back as it is. */
export function withBoundedDepth(html: string): string {
  const kept: string[] = [];
  let from = 0;
  let depth = 0;
  let foreign = 0;
  for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      at = html.indexOf("-->", at + 4);
      if (at === -1) break;
      continue;
    }
    const closes = html[at + 1] === "/";
    tagName.lastIndex = at + (closes ? 2 : 1);
    const [name] = tagName.exec(html) ?? [];
    const end = name === undefined ? at : html.indexOf(">", at);
    if (end === -1) break;
    if (name === undefined) at += 1;
    else if (closes) {
      if (!endsBySelf.test(name)) depth = Math.max(0, depth - 1);
      if (isForeign.test(name)) foreign = Math.max(0, foreign - 1);
      at = end;
    } else if (holdsRawText.test(name)) {
      at = endOfRawText(html, name, end);
      if (at === -1) break;
    } else {
      const isClosed = foreign > 0 && html[end - 1] === "/";
      const nests = !isVoid.test(name) && !endsBySelf.test(name) && !isClosed;
      if (isForeign.test(name) && html[end - 1] !== "/") foreign += 1;
      if (nests && depth >= maxDepth) {
        kept.push(html.slice(from, at));
        from = end + 1;
      } else if (nests) depth += 1;
      at = end;
    }
  }
  return from === 0 ? html : kept.join("") + html.slice(from);
}

function endOfRawText(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, "gi");
  end.lastIndex = from;
  const found = end.exec(html);
  return found === null ? -1 : found.index + found[0].length;
}
