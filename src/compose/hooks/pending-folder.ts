import { join } from "node:path";

/** What calls of other agents were about to change, until they are over: one file a call. */
export const pendingFolder = (home: string) => join(home, "hooks", "pending");
