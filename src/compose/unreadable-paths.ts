/**
 * What a command in the sandbox may not read in the workspace, so that the rules for `Read` hold for programs nobody can see
 * through as well: what a rule forbids, and, where no person approved the command, what a person would be asked about.
 */
import { defaultTraits, type Effect, type PolicyInForce } from "../contract/index.ts";
import type { Hides, Purpose } from "../host/index.ts";
import { decide, factsFromText } from "../policy/index.ts";
import { mayBeSecret } from "../tools/shell/index.ts";

/** Nothing where everything may be read. */
export function unreadablePaths({ mode, rules, world }: PolicyInForce, purpose: Purpose): Hides | undefined {
  const unattended = purpose === "rehearse" || mode === "auto";
  const aboutReading = [...rules.deny, ...(unattended ? rules.ask : [])].some((rule) => rule.startsWith("Read"));
  if (!unattended && !aboutReading) return undefined;
  return (path) => {
    if (!aboutReading && !mayBeSecret(lastNames(path))) return false;
    const effect: Effect = { kind: "read", path: factsFromText(path, { cwd: world.workspace, platform: world.platform }) };
    const { verdict } = decide({ tool: "Bash", traits: defaultTraits, effects: [effect], mode: "default", rules }, world);
    return unattended ? verdict !== "allow" : verdict === "deny";
  };
}

/** A name and the one around it: whoever asks comes from the top, and was told of what lies further out. */
function lastNames(path: string): string {
  return path.slice(path.lastIndexOf("/", path.lastIndexOf("/") - 1) + 1);
}
