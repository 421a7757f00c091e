// Module hooks for ts-register: strips types with Vite's compiler, nothing else. TypeScript's own takes ten times as long
// for the whole source, and many tests start several such processes.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transformWithOxc } from "vite";

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const path = fileURLToPath(url);
  const { code, map } = await transformWithOxc(await readFile(path, "utf8"), path, { lang: "ts", target: "es2023", tsconfig: false });
  const inlined = Buffer.from(JSON.stringify(map)).toString("base64");
  return { format: "module", source: `${code}\n//# sourceMappingURL=data:application/json;base64,${inlined}`, shortCircuit: true };
}
