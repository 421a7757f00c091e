/** A server's part of the machine: sockets, its claim on the home, private entries, files to hand out. */
export { startAgain, takeOver } from "./hand-over.ts";
export { postJson } from "./post-json.ts";
export { PrivateEntries } from "./private-entries.ts";
export { serveHttp } from "./serve-http.ts";
export { claimServing } from "./serving-claim.ts";
export { StaticFiles } from "./static-files.ts";
