/**
 * Reads an address. Nothing else in `src/` asks `URL.canParse`: in Node 20 it answers false for a name such as `bücher.example`
 * once V8 has compiled its caller, so that a server that runs for long would refuse what it allowed before.
 */

/** `undefined` if `text` is no address, nor a relative one below `base`. */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
