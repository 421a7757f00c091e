/** Moments as the person's clock shows them; programs get ISO times with --json. */

const two = (value: number): string => String(value).padStart(2, "0");

/** `2026-11-18 09:05:07`, in the time zone of this machine. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
