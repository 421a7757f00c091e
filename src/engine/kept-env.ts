/**
 * The exported variables of a session as the store keeps them: a secure variable that a command exported is written
 * down by its name and filled in again when the session is opened. Refuses to write what cannot be given back exactly
 * from names alone (an encoded value, a token nobody named): that lives as long as the process and no longer.
 */
import { type Masker, placeholderPattern, type SessionPatch, type SessionState, type Values, type ValueUse } from "../contract/index.ts";

type Env = SessionState["env"];
type Filling = Pick<Values, "substitute">;

/** Only commands see the environment, and it is not known where they send it. */
const use: ValueUse = { tool: "Bash", hosts: [] };

/** The patch as it may lie on a disk. */
export async function keptPatch(patch: SessionPatch, masker: Masker, values: Filling): Promise<SessionPatch> {
  if (patch.env === undefined) return patch;
  const kept: [string, string | null][] = [];
  for (const [name, value] of Object.entries(patch.env)) kept.push([name, value === null ? null : await writable(value, masker, values)]);
  return { ...patch, env: Object.fromEntries(kept) };
}

/** The value by the names in it, or `null` if these would not give it back exactly. */
async function writable(value: string, masker: Masker, values: Filling): Promise<string | null> {
  // A placeholder that is meant as text must not come back as a value.
  const written = masker.mask(value.replaceAll(placeholderPattern, (text) => `$${text}`));
  return written === value || (await filledIn(written, values)) === value ? written : null;
}

/** The environment as commands get it; what can no longer be filled in is left out. */
export async function openedEnv(env: Env, values: Filling): Promise<Env> {
  const opened: [string, string][] = [];
  for (const [name, written] of Object.entries(env)) {
    const value = await filledIn(written, values);
    if (value !== undefined) opened.push([name, value]);
  }
  return Object.fromEntries(opened);
}

async function filledIn(written: string, values: Filling): Promise<string | undefined> {
  if (!written.includes("$KARYI{")) return written;
  try {
    const { text } = (await values.substitute({ text: written }, use, [])) as { readonly text: string };
    return text;
  } catch {
    return undefined;
  }
}
