/**
 * Text of a model as Markdown: the one place that sets HTML. Raw HTML in it is shown as text, images wait for a click,
 * links tell their real host, and DOMPurify lets nothing else through.
 */
import DOMPurify from "dompurify";
import { Marked, type Tokens } from "marked";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";

const tags = "p br strong em del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 hr table thead tbody tr th td a span".split(" ");
const schemes = /^(?:https?:|mailto:)/i;

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    image: ({ href, text }: Tokens.Image) => link(href, text === "" ? href : text),
    link({ href, tokens }: Tokens.Link) {
      return link(href, undefined, this.parser.parseInline(tokens));
    },
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? "☑ " : "☐ "),
    code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`,
  },
});

function link(href: string, text: string | undefined, html = escapeHtml(text ?? "")): string {
  if (!schemes.test(href)) return html;
  let host = "";
  try {
    host = new URL(href).host;
  } catch {
    return html;
  }
  const told = host === "" || html.includes(host) ? "" : ` <span>(${escapeHtml(host)})</span>`;
  return `<a href="${escapeHtml(href)}" target="_blank" rel="noopener noreferrer">${html}</a>${told}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

const cleaned = new Map<string, string>();
const keep = 400;

/** Clean HTML of one closed block; the latest are kept. */
function clean(source: string): string {
  const known = cleaned.get(source);
  if (known !== undefined) return known;
  const html = DOMPurify.sanitize(marked.parse(source, { async: false }), {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "target", "rel", "tabindex"],
    ALLOWED_URI_REGEXP: schemes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_TRUSTED_TYPE: true,
  }) as unknown as string;
  if (cleaned.size >= keep) cleaned.delete(cleaned.keys().next().value ?? "");
  cleaned.set(source, html);
  return html;
}

/** Blocks of a text: all but the last are closed and never rendered again while the text grows. */
function blocksOf(text: string): readonly string[] {
  return marked.lexer(text).map(({ raw }) => raw);
}

export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div class="prose">
      {blocks.map((block, index) => (
        <Block key={index} source={block} />
      ))}
    </div>
  );
}

function Block({ source }: { readonly source: string }) {
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (at.current) at.current.innerHTML = clean(source);
  }, [source]);
  return <div ref={at} />;
}
