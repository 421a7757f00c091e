/** The tools every engine has. */
import type { Tool } from "../contract/index.ts";
import { artifactTools } from "../tools/artifact/index.ts";
import { fileTools } from "../tools/file/index.ts";
import { metaTools } from "../tools/meta/index.ts";
import { searchTools } from "../tools/search/index.ts";
import { shellTools } from "../tools/shell/index.ts";
import { taskTools } from "../tools/task/index.ts";
import { webTools } from "../tools/web/index.ts";

export const builtinTools: readonly Tool[] = [
  ...shellTools,
  ...fileTools,
  ...searchTools,
  ...taskTools,
  ...artifactTools,
  ...webTools,
  ...metaTools,
];
