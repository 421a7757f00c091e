/** The shell tools. */
import type { Tool } from "../../contract/index.ts";
import { bash } from "./bash.ts";

export { bash };

export const shellTools: readonly Tool[] = [bash];
