/**
 * Which calls run together (C6): consecutive concurrency-safe calls form one parallel batch, any
 * other call is a batch alone. Results come back in call order whatever finished first.
 */

/** Splits into batches; `safe` says of each item whether it may run beside its neighbours. */
export function batches<T>(items: readonly T[], safe: (item: T) => boolean): T[][] {
  const result: T[][] = [];
  let open = false;
  for (const item of items) {
    const isSafe = safe(item);
    const last = result.at(-1);
    if (isSafe && open && last) last.push(item);
    else result.push([item]);
    open = isSafe;
  }
  return result;
}

/** Runs batch after batch, at most `maxConcurrent` at once; `run` must not reject. */
export async function orchestrate<T, R>(
  items: readonly T[],
  safe: (item: T) => boolean,
  maxConcurrent: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const batch of batches(items, safe)) {
    results.push(...(await runBatch(batch, maxConcurrent, run)));
  }
  return results;
}

async function runBatch<T, R>(batch: readonly T[], maxConcurrent: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(batch.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < batch.length; index = next++) {
      const item = batch[index] as T;
      results[index] = await run(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, batch.length) }, worker));
  return results;
}
