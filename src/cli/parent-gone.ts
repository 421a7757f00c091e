/** Tells when the process that started this one is gone. Some parents die without a signal to their children. */

const parentCheckMs = 2_000;

export function parentGone(): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      resolve();
    }, parentCheckMs);
    timer.unref();
  });
}
