import { expect, onTestFinished, test } from "vitest";
import fc from "../../test/support/fast-check.ts";
import type { Store } from "../contract/index.ts";
import { LongOutputs } from "./long-outputs.ts";
import { openDatabase } from "./opening.ts";
import { readOutput, StoredOutput } from "./outputs.ts";
import { anOwner, aSession, aStore, full, long, temporaryHome } from "./store.fixture.ts";

async function readAll(store: Store, sessionId: string, ref: string, limit: number): Promise<string> {
  let text = "";
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = await store.readOutput(sessionId, ref, offset, limit);
    if (page === undefined) throw new Error("no page");
    expect(page.offset).toBe(offset);
    if (page.next !== undefined) expect(page.next).toBeGreaterThan(offset);
    text += page.text;
    offset = page.next;
  }
  return text;
}

test("an output is kept whole and read by page within its session only", async () => {
  const directory = await temporaryHome();
  const store = await aStore(directory);
  const { id } = await aSession(store);
  const output = await store.createOutput(id);
  await output.write("héllo ");
  await output.write("wörld");
  expect(await output.close()).toEqual({ total: 13, kept: 13 });
  expect(await output.close()).toEqual({ total: 13, kept: 13 });
  await expect(output.write("x")).rejects.toMatchObject({ details: { reason: "output_closed" } });
  expect(await store.readOutput(id, output.ref, 0, 2)).toEqual({ ref: output.ref, text: "h", offset: 0, next: 1, total: 13 });
  expect(await store.readOutput(id, output.ref, 1, 1)).toEqual({ ref: output.ref, text: "é", offset: 1, next: 3, total: 13 });
  expect(await store.readOutput(id, output.ref, 2, 3)).toEqual({ ref: output.ref, text: "llo", offset: 3, next: 6, total: 13 });
  expect(await store.readOutput(id, output.ref, 7, 100)).toEqual({ ref: output.ref, text: "wörld", offset: 7, total: 13 });
  expect(await store.readOutput(id, output.ref, 99, 5)).toEqual({ ref: output.ref, text: "", offset: 13, total: 13 });
  const other = await aSession(store, "other");
  expect(await store.readOutput(other.id, output.ref, 0, 5)).toBeUndefined();
  expect(await store.readOutput(id, "out_unknown", 0, 5)).toBeUndefined();
  await expect(store.createOutput("nobody")).rejects.toMatchObject({ details: { reason: "session_unknown" } });
  await store.close();
  const again = await aStore(directory);
  expect(await readAll(again, id, output.ref, 4)).toBe("héllo wörld");
});

test("an empty output can be read", async () => {
  const store = await aStore(await temporaryHome());
  const { id } = await aSession(store);
  const output = await store.createOutput(id);
  expect(await output.close()).toEqual({ total: 0, kept: 0 });
  expect(await store.readOutput(id, output.ref, 0, 10)).toEqual({ ref: output.ref, text: "", offset: 0, total: 0 });
});

test("over the quota 80 % head and 20 % tail stay, every byte is counted, and the page says what is missing", async () => {
  const store = await aStore(await temporaryHome(), { outputQuotaBytes: 1000 });
  const { id } = await aSession(store);
  const text = Array.from({ length: 5000 }, (_, n) => String(n % 10)).join("");
  const output = await store.createOutput(id);
  await output.write(text);
  expect(await output.close()).toEqual({ total: 5000, kept: 1000 });
  const page = await store.readOutput(id, output.ref, 0, 10_000);
  const notice = "\n[4000 bytes are not kept here: the output was over its quota]\n";
  expect(page).toEqual({ ref: output.ref, text: text.slice(0, 800) + notice + text.slice(4800), offset: 0, total: 5000 });
  expect(await store.readOutput(id, output.ref, 2800, 3)).toEqual({
    ref: output.ref,
    text: "\n[2000 bytes are not kept here: the output was over its quota]\n012",
    offset: 2800,
    next: 4803,
    total: 5000,
  });
  expect(await readAll(store, id, output.ref, 7)).toBe(page?.text);
});

test("a long stream in small pieces stays within the quota while it is written", long, async () => {
  const quota = 512 * 1024;
  const store = await aStore(await temporaryHome(), { outputQuotaBytes: quota });
  const { id } = await aSession(store);
  const output = await store.createOutput(id);
  let total = 0;
  for (let n = 0; total < (full ? 64 : 6) * 1024 * 1024; n += 1) {
    const line = `line ${n} ${"好".repeat(n % 50)}\n`;
    await output.write(line);
    total += Buffer.byteLength(line);
  }
  const closed = await output.close();
  expect(closed.total).toBe(total);
  expect(closed.kept).toBeLessThanOrEqual(quota);
  expect(closed.kept).toBeGreaterThan(quota - 8);
  const text = await readAll(store, id, output.ref, 50_000);
  expect(text).not.toContain("\ufffd");
  expect(text).toContain(`[${total - closed.kept} bytes are not kept here`);
});

test("however the text is cut into pieces and pages, the same text comes back", long, async () => {
  const store = await aStore(await temporaryHome());
  const { id } = await aSession(store);
  const piece = fc.string({ unit: fc.constantFrom("a", "é", "好", "\ud83d", "\ude00", "😀", "\n"), maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.integer({ min: 1, max: 20 }), async (pieces, limit) => {
      const output = await store.createOutput(id);
      for (const text of pieces) await output.write(text);
      const whole = Buffer.from(pieces.join(""));
      expect(await output.close()).toEqual({ total: whole.length, kept: whole.length });
      expect(await readAll(store, id, output.ref, limit)).toBe(whole.toString());
    }),
    { numRuns: full ? 1000 : 60 },
  );
});

test("with any quota what is kept is a head and a tail of the text, never half a character", long, async () => {
  const directory = await temporaryHome();
  const database = await openDatabase({ directory, now: () => 0, onDamage: () => {} });
  onTestFinished(() => database.close());
  const context = {
    database,
    directory,
    longOutputs: new LongOutputs(directory),
    owner: anOwner(),
    now: () => 0,
    isAlive: () => true,
    isStopped: () => false,
  };
  const pieces = fc.array(fc.string({ unit: "binary", maxLength: 30 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), pieces, async (quota, texts) => {
      const output = new StoredOutput(context, "s", quota);
      for (const text of texts) await output.write(text);
      const { total, kept } = await output.close();
      const whole = Buffer.from(texts.join("")).toString();
      expect(total).toBe(Buffer.byteLength(whole));
      expect(kept).toBeLessThanOrEqual(Math.min(quota, total));
      expect(kept).toBeGreaterThan(Math.min(quota, total) - 8);
      const page = await readOutput(context, "s", output.ref, 0, 1_000_000);
      const [head = "", tail = ""] = (page?.text ?? "").split(/\n\[\d+ bytes are not kept here[^\]]*\]\n/);
      expect(whole.startsWith(head)).toBe(true);
      expect(whole.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBe(kept);
    }),
    { numRuns: full ? 2000 : 50 },
  );
});
