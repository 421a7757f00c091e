/** `docs/api.md` is true: every curl in it runs against a real server and answers what its line says, and no route is missing. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { apiChecker } from "./support/api-document.ts";
import { startGateway } from "./support/gateway.ts";

const run = promisify(execFile);

test("every curl of docs/api.md answers what it says, and every route of the document has one", async () => {
  const text = await readFile(join(import.meta.dirname, "../docs/api.md"), "utf8");
  const lines = [...text.matchAll(/^(curl .*?) {3}# (\d{3})$/gm)].map(([, command = "", status = ""]) => ({ command, status }));
  const gateway = await startGateway();
  try {
    const checker = await apiChecker(gateway);
    const answered: string[] = [];
    for (const { command } of lines) {
      const script = `${command.replace("curl ", "curl -o /dev/null -w '%{http_code}' ")}; true`;
      const { stdout } = await run("bash", ["-c", script], { env: { ...process.env, URL: gateway.url, TOKEN: gateway.token } });
      answered.push(`${stdout} ${command}`);
    }
    expect(answered).toEqual(lines.map(({ command, status }) => `${status} ${command}`));
    const shown = new Set(
      lines.map(({ command }) => {
        const method = /-X (\w+)/.exec(command)?.[1] ?? "GET";
        const path = /\$URL(\/[^"\s?]*)/.exec(command)?.[1] ?? "";
        return checker.operationOf(method, path)?.operationId;
      }),
    );
    const operations = Object.values(checker.document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect(operations.filter((id) => !shown.has(id))).toEqual([]);
  } finally {
    await gateway.close();
  }
});
