/** Searching a tree of 20,000 files, over the `rg` binary itself doing the same search. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { question } from "./measure.ts";
import { benchPlace, smoke, succeeded } from "./place.ts";

const { session, workspace } = await benchPlace();
const files = smoke ? 200 : 20_000;
const inFolder = 100;
const body = Array.from({ length: 30 }, (_, index) => `export const value${index} = compute(${index});\n`).join("");
for (let folder = 0; folder < files / inFolder; folder++) {
  const directory = join(workspace, `part${folder}`);
  mkdirSync(directory);
  for (let index = 0; index < inFolder; index++) {
    const rare = (folder * inFolder + index) % 100 === 0 ? "// needle in the hay\n" : "";
    writeFileSync(join(directory, `file${index}.${index % 2 === 0 ? "ts" : "js"}`), `${body}${rare}`);
  }
}

/** Like the tool: hidden files too, ignore files even outside a repository, and the output read to its end. */
const common = ["--no-config", "--hidden", "--no-require-git"];

question({
  name: "search: Grep in 20,000 files over `rg` itself",
  limit: () => drained(["--json", ...common, "needle", "."]),
  ours: async () => void succeeded(await session.call("Grep", { pattern: "needle" })),
  bound: 1.1,
  pairs: 21,
});

question({
  name: "search: Glob of 10,000 paths over `rg --files`",
  limit: () => drained(["--files", ...common, "-g", "*.ts", "."]),
  async ours() {
    const { data } = succeeded(await session.call("Glob", { pattern: "**/*.ts" }));
    const { total } = data as { total: number };
    if (total !== files / 2) throw new Error(`${total} paths`);
  },
  bound: 1.3,
  pairs: 21,
});

function drained(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, args, { cwd: workspace, stdio: ["ignore", "pipe", "ignore"] });
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    child.on("error", reject);
    child.on("close", () => (bytes > 0 ? resolve() : reject(new Error("rg found nothing"))));
  });
}
