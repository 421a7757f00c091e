/** Searching the machine's files: by name, by content, and what git ignores. */
export { createSearch } from "./search.ts";
