/**
 * What may be read unasked by the policy in force, for whoever reads without naming what: searches, and programs in the sandbox
 * that nobody can see through. One answer for all of them, so that a rule for `Read` holds wherever something is read.
 */
import {
  defaultTraits,
  type Effect,
  isSecretPath,
  type PolicyInForce,
  type Purpose,
  type Readable,
  type Verdict,
} from "../contract/index.ts";
import type { Hides } from "../host/index.ts";
import { decide, factsFromText } from "../policy/index.ts";

/** For searches: what is denied and what a person would be asked about is left out of a tree. */
export function readablePaths(policy: PolicyInForce): Readable {
  const judge = judgeOf(policy, [...policy.rules.deny, ...policy.rules.ask]);
  return { byName: judge.byName, mayRead: (path, isDirectory) => judge.verdict(path, isDirectory) === "allow" };
}

/** For commands in the sandbox: what is denied, and if nobody approved the command, what a person would be asked about. */
export function unreadablePaths(policy: PolicyInForce, purpose: Purpose): Hides | undefined {
  const { mode, rules } = policy;
  const unattended = purpose === "read" || purpose === "rehearse" || mode === "auto";
  const judge = judgeOf(policy, [...rules.deny, ...(unattended ? rules.ask : [])]);
  if (!unattended && judge.byName) return undefined;
  const hides = (path: string, isDirectory: boolean): boolean => {
    const verdict = judge.verdict(path, isDirectory);
    return unattended ? verdict !== "allow" : verdict === "deny";
  };
  return Object.assign(hides, { key: JSON.stringify([unattended, rules, policy.world]) });
}

interface Judge {
  /** No rule speaks of reading: only what the table of secrets names is not allowed. */
  readonly byName: boolean;
  verdict(path: string, isDirectory: boolean): Verdict;
}

function judgeOf({ rules, world }: PolicyInForce, strict: readonly string[]): Judge {
  const byName = !strict.some((rule) => /^(?:Read|\*)/.test(rule));
  return {
    byName,
    verdict: (path, isDirectory) => {
      if (byName && !isSecretPath(path, isDirectory)) return "allow";
      const facts = factsFromText(path, { cwd: world.workspace, platform: world.platform, kind: isDirectory ? "directory" : "file" });
      const effect: Effect = { kind: "read", path: facts };
      return decide({ tool: "Read", traits: defaultTraits, effects: [effect], mode: "default", rules }, world).verdict;
    },
  };
}
