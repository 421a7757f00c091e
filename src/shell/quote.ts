/** How a value is written as one shell word: as it is where that is safe, in single quotes otherwise. */

const plain = /^(?:[A-Za-z0-9_@%+=:,./^-]+|\[|\]|\{\})$/;

export function quote(value: string): string {
  if (plain.test(value)) return value;
  return `'${value.replaceAll("'", "'\\''")}'`;
}
