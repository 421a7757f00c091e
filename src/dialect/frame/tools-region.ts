/** Between the tags inside `<tools>`: blanks and comments are dropped, tags are opened, anything else is said. */
import { distance } from "fastest-levenshtein";
import { isBlankRange, readTag } from "../read/tag.ts";
import { toolsXmlTags } from "../read/tools-xml-tags.ts";

/**
 * `on`: `text` is prose (or nothing). `open`: a tag starts at `next`. `leave`: `</tools>`.
 * `reject`: this `<tools>` is somebody else's, and `text` is all of it so far. `fence`: the fence around it closes.
 */
interface ToolsStep {
  readonly does: "on" | "open" | "leave" | "reject" | "fence";
  readonly next: number;
  readonly text?: string;
}

/** One of our tags, or plainly a slip of one: a model that misspelt it gets to know the right ones. */
function isMeant(name: string): boolean {
  if (toolsXmlTags.has(name)) return true;
  for (const tag of toolsXmlTags) if (distance(name, tag) <= (tag.length > 4 ? 2 : 1)) return true;
  return false;
}

export class ToolsRegion {
  private inComment = false;

  /** `opening`: the text of `<tools>`, kept until its first tag shows that it is ours; absent where that is sure. */
  constructor(private opening: string | undefined) {}

  /** What is still kept when the stream ends. */
  get rest(): string {
    return this.opening ?? "";
  }

  /** `fenceMark`: the mark of the fence it stands in. Where `next` is `pos` and it goes on, more text is needed. */
  step(text: string, pos: number, final: boolean, fenceMark: string | undefined): ToolsStep {
    if (this.inComment) return this.pastComment(text, pos, final);
    const lt = text.indexOf("<", pos);
    const to = lt < 0 ? text.length : lt;
    if (!isBlankRange(text, pos, to)) return this.stray(text, pos, to, fenceMark);
    if (to > pos) return this.pass(text, pos, to);
    if (text.startsWith("<!--", lt)) {
      this.inComment = true;
      return this.drop(text, lt, lt + 4);
    }
    const tag = !final && "<!--".startsWith(text.slice(lt, lt + 4)) ? "more" : readTag(text, lt, final);
    if (tag === "more") return { does: "on", next: lt };
    if (tag?.closing && tag.name === "tools") return { does: "leave", next: tag.end };
    const isOurs = tag !== undefined && !tag.closing && isMeant(tag.name);
    if (!isOurs && this.opening !== undefined) return { does: "reject", next: lt, text: this.opening };
    if (tag === undefined || tag.closing) {
      const end = tag?.end ?? lt + 1;
      return { does: "on", next: end, text: text.slice(lt, end) };
    }
    this.opening = undefined;
    return { does: "open", next: lt };
  }

  private stray(text: string, pos: number, to: number, fenceMark: string | undefined): ToolsStep {
    if (this.opening !== undefined) return { does: "reject", next: pos, text: this.opening };
    const gap = text.slice(pos, to);
    if (fenceMark !== undefined && gap.trimStart().startsWith(fenceMark)) return { does: "fence", next: pos };
    return { does: "on", next: to, text: gap };
  }

  private pastComment(text: string, pos: number, final: boolean): ToolsStep {
    const stop = text.indexOf("-->", pos);
    this.inComment = stop < 0;
    return this.drop(text, pos, stop >= 0 ? stop + 3 : final ? text.length : Math.max(pos, text.length - 2));
  }

  /** Blanks are written, so that they stay where prose follows. */
  private pass(text: string, from: number, to: number): ToolsStep {
    return this.opening === undefined ? { does: "on", next: to, text: text.slice(from, to) } : this.drop(text, from, to);
  }

  private drop(text: string, from: number, to: number): ToolsStep {
    if (this.opening !== undefined) this.opening += text.slice(from, to);
    return { does: "on", next: to };
  }
}
