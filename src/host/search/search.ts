/** The search port: ripgrep where there is one, the same answers without it. Looks for ripgrep once, when first needed. */
import { type Readable, type Search, ToolFailure } from "../../contract/index.ts";
import { systemPath } from "../files/byte-name.ts";
import { find } from "./find.ts";
import { gitIgnored } from "./ignore/git-ignored.ts";
import { ignoredIn } from "./ignore/ignored-in.ts";
import { javascriptGrep } from "./javascript/javascript-grep.ts";
import { findLinks } from "./links.ts";
import { readableByName, readableIn } from "./readable.ts";
import { findRipgrep } from "./ripgrep/ripgrep-binary.ts";
import { ripgrepGrep } from "./ripgrep/ripgrep-grep.ts";
import { lookAtTarget } from "./target.ts";

const maxTextLength = 30_000;

export interface SearchOptions {
  /** Absolute path of a ripgrep; `null` does without one. */
  readonly ripgrep?: string | null;
  /** Asked anew for every search, because rules come and go. */
  readable?(): Readable;
}

export function createSearch(options: SearchOptions = {}): Search {
  let located: Promise<string | undefined> | undefined;
  const locate = (): Promise<string | undefined> => {
    if (options.ripgrep === null) return Promise.resolve(undefined);
    located ??= options.ripgrep === undefined ? findRipgrep() : Promise.resolve(options.ripgrep);
    return located;
  };
  const readable = (): Readable => options.readable?.() ?? readableByName;
  return {
    async find(request) {
      checkText(request.pattern);
      if (lookAtTarget(request.directory).kind === "file") {
        throw new ToolFailure("invalid_tool_input", `${request.directory} is a file, not a directory.`, {
          details: { reason: "not_a_directory" },
        });
      }
      return find(request, readableIn(request.directory, readable()));
    },
    async grep(request) {
      for (const text of [request.pattern, request.glob ?? ""]) checkText(text);
      const target = lookAtTarget(request.target);
      // No command line can carry a name that is not UTF-8.
      const program = typeof systemPath(request.target) === "string" ? await locate() : undefined;
      const allowed = readableIn(request.target, readable());
      return program === undefined ? javascriptGrep(request, target, allowed) : ripgrepGrep(program, request, target, allowed);
    },
    ignoredIn,
    mayEnter: (directory) => readable().mayRead(directory, true),
    links: findLinks,
    ignored: gitIgnored,
  };
}

/** What no name and no line can hold, and what no command line can carry. */
function checkText(text: string): void {
  if (text.includes("\0") || text.length > maxTextLength) {
    throw new ToolFailure("invalid_tool_input", `A pattern must not hold NUL characters or more than ${maxTextLength} characters.`, {
      details: { reason: "invalid_pattern" },
    });
  }
}
