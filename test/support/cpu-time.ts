/** Milliseconds of processor time that this process spends on `work`. A busy machine adds nothing to it, as it would to time by a clock. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
