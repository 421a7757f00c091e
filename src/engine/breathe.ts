/**
 * Lets the event loop run now and then. A call whose work is all synchronous underneath resolves without ever
 * returning to it, so a caller that polls in a loop would starve timers, processes and everybody else.
 */
const sliceMs = 5;
let last = performance.now();

export async function breathe(): Promise<void> {
  const now = performance.now();
  if (now - last < sliceMs) return;
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  last = performance.now();
}
