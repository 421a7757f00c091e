/**
 * A shop's workspace in the middle of a day, for looking at the console: a session that waits with its agents, changes, tasks and
 * artifact, a sub-agent's command, a value asked for, a failure, and one at rest. Scripts over real calls; no model.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readEvents, type TestGateway } from "./gateway.ts";

type Language = "en" | "zh";
type Turn = Readonly<Record<string, unknown>>;

const files: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "shop-api", version: "2.3.0", scripts: { test: "node test/run.mjs", codegen: "node tools/codegen.mjs" } }, null, 2)}\n`,
  "src/retry.ts": `const MIN_DELAY_MS = 50;\nconst random = Math.random;\n\n/** Tries a call again until it succeeds. */\nexport async function retry<T>(run: () => Promise<T>): Promise<T> {\n  for (let attempt = 1; ; attempt += 1) {\n    try {\n      return await run();\n    } catch (error) {\n      if (attempt === 3) throw error;\n      await new Promise((done) => setTimeout(done, delay(attempt)));\n    }\n  }\n}\n\nexport function delay(attempt: number) {\n  return Math.random() * 100 * attempt;\n}\n`,
  "src/checkout.ts": `import { retry } from "./retry.ts";\n\nexport async function pay(api: Api, order: Order) {\n  const key = order.id;\n  return retry(() => api.charge(order));\n}\n`,
  "src/generated/api.ts": "export interface Charge {\n  amount: number;\n}\n",
  "test/checkout.test.ts": "test('retries once', () => {\n  expect(calls).toBe(2);\n});\n",
  "test/run.mjs": `import { appendFileSync } from "node:fs";\nfor (let turn = 1; turn <= 20; turn += 1) console.log("ok " + turn + " - checkout retries");\nappendFileSync("test/report.txt", "checkout 20 of 20\\n");\n`,
  "tools/codegen.mjs": `import { mkdirSync, writeFileSync } from "node:fs";\nmkdirSync(".husky", { recursive: true });\nwriteFileSync(".husky/pre-commit", "#!/bin/sh\\nnpm run codegen --silent\\n");\nwriteFileSync("src/generated/api.ts", "export interface Charge {\\n  amount: Money;\\n  idempotencyKey?: string;\\n}\\n");\n`,
  "build/old.js": "var a = 1;\n",
};

const edited = {
  old_string: "  return Math.random() * 100 * attempt;",
  new_string: "  const jitter = random() * 100 * attempt;\n  return Math.max(MIN_DELAY_MS, jitter);",
};
const newTest = `import { delay } from "../src/retry.ts";\n\ntest("never waits less than the floor", () => {\n  for (let attempt = 1; attempt < 4; attempt += 1) {\n    expect(delay(attempt)).toBeGreaterThanOrEqual(50);\n  }\n});\n\ntest("waits longer each time", () => {\n  expect(delay(3)).toBeGreaterThan(0);\n});\n`;

/** Milliseconds that a sub-agent goes on thinking: longer than anybody looks. */
const longMs = 3_600_000;

function story(language: Language, modelOf: (name: string) => string): Readonly<Record<string, readonly Turn[]>> {
  const say = (en: string, zh: string): string => (language === "zh" ? zh : en);
  const call = (name: string, input: object) => ({ name, input });
  const usage = { input_tokens: 9800, output_tokens: 420 };
  return {
    flaky: [
      {
        text: say("I’ll look at the failing test and the retry helper first.", "我先看失败的测试和重试函数。"),
        calls: [
          call("Read", { file_path: "src/retry.ts" }),
          call("Read", { file_path: "src/checkout.ts" }),
          call("Read", { file_path: "test/checkout.test.ts" }),
          call("Grep", { pattern: "delay\\(" }),
          call("TaskCreate", { title: say("Find the cause", "找出原因") }),
          call("TaskCreate", { title: say("Fix src/retry.ts", "修复 src/retry.ts") }),
          call("TaskCreate", { title: say("Prove it: run the test 20 times", "验证：测试连跑 20 次") }),
          call("TaskCreate", { title: say("Summary for the pull request", "为合并请求写摘要") }),
        ],
        usage,
      },
      {
        text: say(
          "The delay comes from `Math.random()` with no floor, so two attempts can fall into the same millisecond. I’ll add a floor and make the jitter injectable.",
          "延迟直接取自 `Math.random()`，没有下限，两次重试可能落在同一毫秒。我会加一个下限，并让抖动可以注入。",
        ),
        calls: [call("Edit", { file_path: "src/retry.ts", ...edited })],
        usage,
      },
      {
        calls: [
          call("Write", { file_path: "test/retry.test.ts", content: newTest }),
          call("Edit", { file_path: "src/checkout.ts", old_string: "  const key = order.id;\n", new_string: "" }),
          ...["1", "2"].flatMap((id) => ["in_progress", "done"].map((status) => call("TaskUpdate", { id: `task_${id}`, status }))),
          call("TaskUpdate", { id: "task_3", status: "in_progress" }),
        ],
        usage,
      },
      {
        calls: [
          call("Agent", {
            prompt: "Find every caller of delay().",
            agent: "search",
            description: say("Find other callers of delay()", "查找 delay() 的其他调用处"),
            model: modelOf("search"),
            mode: "background",
          }),
          call("Agent", {
            prompt: "Read the log of the last CI run.",
            description: say("Read the log of CI run 4182", "阅读第 4182 次 CI 日志"),
            model: modelOf("log"),
          }),
          call("Bash", {
            command: "npm test -- checkout --repeat 20",
            description: say("Run the flaky test 20 times to prove the fix.", "把不稳定的测试连跑 20 次，确认修好了。"),
          }),
        ],
        usage,
      },
      { text: "…" },
    ],
    search: [
      { calls: [call("Grep", { pattern: "delay\\(" }), call("Glob", { pattern: "src/**/*.ts" })], usage },
      { calls: [call("Read", { file_path: "src/checkout.ts" })], usage },
      { text: say("Two callers so far.", "目前有两处。"), delay_ms: longMs, usage },
    ],
    log: [
      { calls: [call("Read", { file_path: "ci/4182.log" })], usage },
      { text: say("There is no log.", "没有日志。"), usage },
    ],
    upgrade: [
      {
        text: say("A helper regenerates the client.", "由一个助手重新生成客户端。"),
        calls: [
          call("Agent", {
            prompt: "Regenerate the API client.",
            description: say("Regenerate the API client", "重新生成 API 客户端"),
            model: modelOf("codegen"),
          }),
        ],
      },
      { text: say("Done.", "完成。") },
    ],
    codegen: [
      {
        calls: [
          call("Bash", {
            command: "npm run codegen",
            description: say("Regenerate the API client for the new charge type.", "为新的扣款类型重新生成 API 客户端。"),
          }),
        ],
      },
      { text: "…" },
    ],
    release: [
      {
        text: say("The notes are written. To publish I need a token.", "说明写好了。发布需要一个令牌。"),
        calls: [call("GetValue", { key: "NPM_TOKEN", reason: say("To publish the release", "用于发布") })],
      },
      { text: "…" },
    ],
    prices: [{ text: say("The list could not be read.", "无法读取价目表。"), finish: "refused" }],
    cache: [{ text: say("Nothing is left of the old cache.", "旧缓存已清理干净。") }],
  };
}

const prompts: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  flaky: {
    en: "Fix flaky checkout retry. The test fails on CI now and then: find out why, and keep the change small.",
    zh: "修复不稳定的结账重试。结账测试在 CI 上时好时坏：找出原因并修好，改动尽量小。",
  },
  upgrade: { en: "Upgrade to Node 22", zh: "升级到 Node 22" },
  release: { en: "Release notes 2.4", zh: "2.4 发布说明" },
  prices: { en: "Import price list", zh: "导入价目表" },
  cache: { en: "Clean up CI cache", zh: "清理 CI 缓存" },
};

const notes: Readonly<Record<Language, readonly string[]>> = {
  en: [
    "# shop-api 2.4\n\nThis release brings a number of improvements, among them safe retries and a faster checkout.\n",
    "# shop-api 2.4\n\nThis release brings a number of improvements, among them safe retries and a faster checkout.\n\n## Breaking changes\n\n- Node 18 is no longer supported.\n- charge() may throw while it is retried.\n\n## Upgrade\n\n1. Delete node_modules.\n2. Run npm install.\n",
    "# shop-api 2.4\n\nThis release brings safe retries and a faster checkout, and one change that you must know.\n\n## Breaking changes\n\n- Node 18 is no longer supported.\n- charge() needs an idempotencyKey when it is retried.\n\n## Upgrade\n\n1. Set engines.node to 20 or higher.\n2. Run npm install.\n3. Run the tests once.\n",
  ],
  zh: [
    "# shop-api 2.4\n\n本次发布带来一系列改进，其中包括安全的重试和更快的结账。\n",
    "# shop-api 2.4\n\n本次发布带来一系列改进，其中包括安全的重试和更快的结账。\n\n## 不兼容改动\n\n- 不再支持 Node 18。\n- charge() 重试时可能抛出异常。\n\n## 升级\n\n1. 删除 node_modules。\n2. 运行 npm install。\n",
    "# shop-api 2.4\n\n本次发布带来安全的重试和更快的结账，另有一处改动必须了解。\n\n## 不兼容改动\n\n- 不再支持 Node 18。\n- charge() 重试时必须带 idempotencyKey。\n\n## 升级\n\n1. 把 engines.node 设为 20 或更高。\n2. 运行 npm install。\n3. 跑一遍测试。\n",
  ],
};

/** Fills the gateway's workspace and plays every session until it waits or ends. */
export async function fillShop(gateway: TestGateway, language: Language = "en"): Promise<void> {
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  for (const [name, text] of Object.entries(files)) await write(join(gateway.workspace, name), text);
  for (const name of ["lead", "search"]) {
    await write(join(gateway.home, "agents", `${name}.md`), `---\nname: ${name}\ndescription: Of the shop.\ntools: "*"\n---\nWork.\n`);
  }
  const scriptOf = (name: string): string => join(gateway.home, "run", `shop-${name}.json`);
  const modelOf = (name: string): string => `scripted/${scriptOf(name)}`;
  for (const [name, turns] of Object.entries(story(language, modelOf))) await write(scriptOf(name), JSON.stringify(turns));
  const begin = async (id: string): Promise<void> => {
    await gateway.api("POST", "/sessions", { id, agent: "lead" });
    await gateway.api("POST", `/sessions/${id}/runs`, { prompt: prompts[id]?.[language], model: modelOf(id) });
  };
  const until = (id: string, type: string, times: number) =>
    readEvents(gateway, `/api/v1/sessions/${id}/events`, (all) => all.filter(({ event }) => event === type).length >= times);
  const allow = async (id: string): Promise<void> => {
    const { body } = await gateway.api("GET", `/approvals?status=pending&session_id=${id}`);
    for (const { id: approval, nonce } of body.approvals) {
      await gateway.api("POST", `/approvals/${approval}/answer`, { answer: "once", nonce });
    }
  };
  for (const id of ["cache", "prices"]) {
    await begin(id);
    await until(id, "run_end", 1);
  }
  await gateway.api("POST", "/sessions", { id: "release", agent: "lead" });
  const made = (tool: string, input: object) => gateway.api("POST", "/sessions/release/calls", { tool, input });
  const [first, ...later] = notes[language];
  await made("CreateArtifact", { id: "notes", title: "release-notes.md", content: first });
  for (const content of later) await made("RewriteArtifact", { id: "notes", content });
  await made("Terminal", { command: "ls src test" });
  await made("Terminal", { command: "grep version package.json" });
  await begin("release");
  await until("release", "value_request", 1);
  await begin("upgrade");
  await until("upgrade", "permission_request", 1);
  await begin("flaky");
  for (let asked = 1; asked <= 3; asked += 1) {
    await until("flaky", "permission_request", asked);
    await allow("flaky");
  }
  await until("flaky", "permission_request", 4);
  const { body } = await gateway.api("GET", "/sessions/flaky/calls");
  const checkout = body.calls.find(({ tool }: { readonly tool: string }) => tool === "Edit");
  await gateway.api("POST", `/sessions/flaky/calls/${checkout.call_id}/undo`);
}
