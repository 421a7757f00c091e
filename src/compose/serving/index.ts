/** The server as the command and programs start it. Apart from the rest of compose: the other commands load nothing of it. */
export { startAgain, takeOver } from "../../host/server/index.ts";
export { type ServeOptions, type Serving, serve } from "./serve.ts";
export { addToken, listTokens, type NewToken, removeToken } from "./tokens.ts";
