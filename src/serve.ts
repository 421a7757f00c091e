/** The public API of the server: `import { serve } from "karyi/serve"`. */
export {
  addToken,
  listTokens,
  type NewToken,
  removeToken,
  type ServeOptions,
  type Serving,
  serve,
  startAgain,
  takeOver,
} from "./compose/serving/index.ts";
