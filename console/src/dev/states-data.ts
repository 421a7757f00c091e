/** Made-up questions and calls in every state that the guide names. In development only. */
import type { Approval } from "../api/types.ts";
import type { CallState } from "../state/session-state.ts";

const hourMs = 3_600_000;
const at = Date.now();

const asked: Approval = {
  id: "state",
  root_session_id: "s",
  session_id: "states",
  call_id: "call",
  status: "pending",
  tool: "Bash",
  input: { command: "npm run codegen" },
  cwd: "/work/shop-api",
  class: "general",
  summary: "Run: npm run codegen",
  preview: { type: "command", command: "npm run codegen", cwd: "/work/shop-api" },
  effects: [],
  rule: "builtin:command",
  reason: "npm run codegen is not known to be read-only",
  undo: { guarantee: "exact" },
  agent: "general",
  agent_path: ["lead", "general"],
  description: "Regenerate the API client.",
  created_at: at,
  expires_at: at + 168 * hourMs,
  nonce: "n",
};
const { nonce: _, ...unanswerable } = asked;
const proposal = { rules: ["Bash(npm run codegen)"], also_allows: ["cd src && npm run codegen"], still_asks: ["sudo npm run codegen"] };
const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n export {\n-  one\n+  two\n";
const hugeDiff = `--- a/big.ts\n+++ b/big.ts\n@@ -0,0 +1,2710 @@\n${Array.from({ length: 2710 }, (_line, index) => `+line ${index + 1}`).join("\n")}\n`;
const rehearsal = {
  exit_code: 0,
  change_set: "cs_1",
  changes_total: 2,
  network_attempts: 0,
  withheld: [],
  dropped: [],
  output: "one\ntwo",
  changes: [
    { path: ".husky/pre-commit", change: "created", diff: "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+#!/bin/sh\n", risky: true },
    { path: "src/a.ts", change: "modified", diff },
  ],
} as const;
const write = (verdict: "ask" | "allow", rule: string, path: string, more: object = {}) => ({
  effect: { kind: "write", change: "modify", path, asked: path, ...more },
  verdict,
  rule,
  reason: `changes ${path}`,
});

export const cards: readonly (readonly [string, Approval])[] = [
  ["pending", asked],
  ["dry run and always", { ...asked, can_rehearse: true, proposal }],
  ["with its rehearsal", { ...asked, rehearsal, proposal }],
  [
    "something was withheld",
    {
      ...asked,
      rehearsal: { ...rehearsal, change_set: null, network_attempts: 2, withheld: [{ kind: "network", name: "registry.example" }] },
    },
  ],
  [
    "change of a file",
    {
      ...asked,
      tool: "Edit",
      input: { file_path: "a.ts" },
      preview: { type: "diff", text: diff },
      effects: [write("ask", "builtin:inside", "a.ts")],
    },
  ],
  [
    "huge diff",
    {
      ...asked,
      tool: "Write",
      input: { file_path: "big.ts" },
      preview: { type: "diff", text: hugeDiff },
      effects: [write("ask", "builtin:inside", "big.ts")],
    },
  ],
  [
    "many effects",
    {
      ...asked,
      effects: Array.from({ length: 9 }, (_one, index) => write(index < 2 ? "ask" : "allow", "builtin:inside", `src/${index}.ts`)),
    },
  ],
  [
    "secret file",
    { ...asked, tool: "Edit", preview: null, input: { file_path: ".env" }, effects: [write("ask", "builtin:secret", ".env")] },
  ],
  [
    "file that runs later, never read",
    {
      ...asked,
      tool: "Write",
      preview: null,
      input: { file_path: ".husky/pre-commit", content: "npm test" },
      effects: [write("ask", "builtin:sensitive", ".husky/pre-commit", { unread: true })],
    },
  ],
  ["arguments of a server's tool", { ...asked, tool: "mcp__github__merge", preview: null, input: { number: 4182, method: "squash" } }],
  ["repaired", { ...asked, repaired: ["missing end tag"] }],
  ["hostile characters", { ...asked, preview: { type: "command", command: "echo \u202eabc\u200b https://\u0430pple.example", cwd: "/" } }],
  ["a value", { ...asked, preview: { type: "command", command: 'curl -H "A: $KARYI{API_TOKEN}" x.example', cwd: "/" } }],
  ["not undoable", { ...asked, undo: { guarantee: "none", reason: "merge of github" } }],
  ["expires soon", { ...asked, expires_at: at + hourMs / 2 }],
  ["read-only", unanswerable],
];

export const receipts: readonly (readonly [string, Approval])[] = [
  ["allowed elsewhere", { ...asked, status: "used", answer: "once", answered_by: "http:local phone 10.0.0.2", answered_at: at }],
  ["allowed by somebody", { ...asked, status: "used", answer: "once", answered_by: "http:mei phone 10.0.0.2", answered_at: at }],
  ["denied with words", { ...asked, status: "refused", answer: "deny", words: "Use another name.", answered_at: at }],
  ["expired", { ...asked, status: "expired" }],
  ["the policy changed", { ...asked, status: "void", void_cause: "policy_changed" }],
  ["the file changed", { ...asked, status: "void", void_cause: "plan_changed" }],
  ["the call ended", { ...asked, status: "void", void_cause: "call_ended" }],
  ["the call began without an answer", { ...asked, status: "void", void_cause: "not_needed" }],
];

const call: CallState = {
  callId: "call",
  seq: 1,
  tool: "Bash",
  input: { command: "npm test" },
  summary: "Run: npm test",
  repaired: [],
  startedAt: at - 4000,
  status: "ok",
  output: "one\ntwo\nthree\nfour",
  outputLength: 18,
  undoable: false,
  changes: [],
  changesTotal: 0,
  progress: "",
  undoOf: [],
};
const ended = { ...call, endedAt: at, durationMs: 4000 };

export const calls: readonly (readonly [string, CallState])[] = [
  ["running", { ...call, status: "running", progress: "12 of 40 tests\n13 of 40 tests" }],
  ["waiting", { ...call, status: "waiting", approvalId: "state" }],
  ["done", ended],
  ["very long output", { ...ended, output: Array.from({ length: 200 }, (_line, index) => `line ${index}`).join("\n") }],
  ["cut output", { ...ended, truncatedRef: "out_1", truncatedLeft: 5_000_000 }],
  ["read", { ...ended, tool: "Read", input: { file_path: "a.ts" }, summary: "Read a.ts", output: "" }],
  ["failed", { ...ended, status: "error", error: { code: "tool_error", message: "Exit code 1.", hint: "Read the output." } }],
  ["denied by the floor", { ...ended, status: "denied", error: { code: "permission_denied", message: "builtin:system: never changed" } }],
  ["stopped", { ...ended, status: "cancelled" }],
  ["undone", { ...ended, undoneBy: "undo" }],
  [
    "ended with the server",
    { ...ended, status: "error", error: { code: "interrupted", message: "Ended with the server; checked: not applied" } },
  ],
];
