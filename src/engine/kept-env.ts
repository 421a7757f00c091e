/**
 * The exported variables of a session as the store keeps them: a secure variable that a command exported is written
 * down by its name and filled in again when the session is opened. Refuses to write what cannot be given back exactly
 * from names alone (an encoded value, a token nobody named): that lives as long as the process and no longer.
 */
import type { Masker, SessionPatch, SessionState, Values, ValueUse } from "../contract/index.ts";

type Env = SessionState["env"];
type Filling = Pick<Values, "substitute">;

const placeholder = /\$KARYI\{[A-Za-z_][A-Za-z0-9_]{0,127}\}/g;
/** Only commands see the environment, and it is not known where they send it. */
const use: ValueUse = { tool: "Bash", hosts: [] };

/** The patch as it may lie on a disk. */
export async function keptPatch(patch: SessionPatch, masker: Masker, values: Filling): Promise<SessionPatch> {
  const env = patch.state?.env;
  if (env === undefined) return patch;
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(env)) {
    // A placeholder that is meant as text must not come back as a value.
    const written = masker.mask(value.replaceAll(placeholder, (text) => `$${text}`));
    if (written === value || (await filledIn(written, values)) === value) kept.push([name, written]);
  }
  return { ...patch, state: { ...patch.state, env: Object.fromEntries(kept) } };
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
