/** What stands on a terminal's screen after everything that was written to it. */
import headless from "@xterm/headless";

/** Lines from the top, without blanks at their ends; `rows` is more than was written, so that nothing scrolls away. */
export async function screenOf(written: string, columns: number, rows: number): Promise<string[]> {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(written, resolve));
  const lines = Array.from({ length: rows }, (_, row) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? "");
  terminal.dispose();
  return lines;
}
