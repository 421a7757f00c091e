/** Text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Assignments that a shell reads back exactly; names that no shell can hold are left out. */
export function exportText(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== "_")
    .map(([name, value]) => `export ${name}=${shellQuote(value)}\n`)
    .join("");
}
