/** Masking text with a hundred secure variables against looking at each of its bytes once. */
import { createMasker } from "../src/vault/index.ts";
import { question } from "./measure.ts";
import { smoke } from "./place.ts";

const size = smoke ? 100_000 : 8_000_000;
const secrets = Array.from({ length: 100 }, (_, index) => ({
  name: `KEY_${index}`,
  value: `s3cr3t-${index}-${"x9Qw".repeat(4)}${index * 7919}`,
}));
const line = "2026-01-01T00:00:00Z INFO request id=4711 path=/api/v1/items?page=3 took 12.5 ms and returned 200 with 1,234 bytes\n";
const code = "  const total = items.reduce((sum, item) => sum + item.price * item.count, 0);\n  return { total, currency: 'EUR' };\n";
const prose =
  "The engine plans every call before it runs: what it would read, write and start is known, judged and shown. A person who is asked\nsees the same plan that is carried out, and nothing else can happen under that approval. What was changed can be taken back.\n";
const mixed = line + code + prose;
const text = mixed.repeat(Math.ceil(size / mixed.length));
const bytes = Buffer.from(text);
const masker = createMasker(() => secrets as never);
if (!masker.mask(`a ${secrets[7]?.value} b`).includes("KEY_7")) throw new Error("the variables are not masked");

function byteLoop(): void {
  let sum = 0;
  for (let index = 0; index < bytes.length; index++) sum = (sum + (bytes[index] ?? 0)) | 0;
  if (sum === 1.5) throw new Error("impossible");
}

question({
  name: "mask: logs, code and prose with 100 variables over a byte loop (at least 25 % of its speed)",
  limit: byteLoop,
  ours() {
    if (masker.mask(text).length !== text.length) throw new Error("something was masked");
  },
  bound: 4,
  pairs: 15,
});
