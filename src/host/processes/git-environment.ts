/**
 * The environment in which git only reads: whatever its config can make it run, fetch or write is switched off by what git is given,
 * wherever the config lies. Keys with a name of their own (filters, drivers) have to be listed first. What the text of a command
 * asks for itself stays with judgement; so do `diff.external` and `diff.NAME.command`, which have no harmless value.
 */

const variables: Readonly<Record<string, string>> = {
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_SSH_COMMAND: "false",
  GIT_ASKPASS: "true",
  GIT_EDITOR: "true",
  GIT_ATTR_NOSYSTEM: "1",
};

const settings: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.sshCommand", "false"],
  ["core.askPass", "true"],
  ["core.alternateRefsCommand", "true"],
  ["core.attributesFile", "/dev/null"],
  ["log.showSignature", "false"],
  ["gpg.program", "false"],
  ...["openpgp", "x509", "ssh"].map((kind) => [`gpg.${kind}.program`, "false"] as const),
  ["gpg.ssh.defaultKeyCommand", "false"],
  ["credential.helper", ""],
  ["protocol.allow", "never"],
  ["submodule.recurse", "false"],
  ["safe.bareRepository", "explicit"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["interactive.diffFilter", "cat"],
  ["help.autocorrect", "never"],
  // A hidden file keeps its size and time, but not its number and the time of its last change.
  ["core.checkStat", "minimal"],
  ["core.trustctime", "false"],
];

/** By section and last word of a key; between them stands the name somebody gave it. */
const named: Readonly<Record<string, string>> = {
  "filter clean": "cat",
  "filter smudge": "cat",
  "filter process": "",
  "filter required": "false",
  "diff textconv": "cat",
  "merge driver": "false",
  "trailer cmd": "true",
  "trailer command": "true",
  "tar command": "cat",
  "remote uploadpack": "false",
  "remote receivepack": "false",
  "remote vcs": "false",
  "remote promisor": "false",
  "submodule update": "none",
  "hook enabled": "false",
};

/** Nothing is run by it. The names end with a NUL each. */
export const listNames = "git config --name-only -z -l";

/** `names`: the keys that are set where git will read. */
export function readingGit(env: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith("GIT_"));
  const pairs = [...settings, ...names.flatMap(harmlessly)];
  return withGitSettings({ ...Object.fromEntries(kept), ...variables }, pairs);
}

/** As if they stood in a config that comes last. */
export function withGitSettings(
  env: Readonly<Record<string, string>>,
  pairs: readonly (readonly [key: string, value: string])[],
): Record<string, string> {
  return {
    ...env,
    GIT_CONFIG_COUNT: String(pairs.length),
    ...Object.fromEntries(
      pairs.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

function harmlessly(key: string): readonly (readonly [string, string])[] {
  const [, section = "", last = ""] = /^([^.]+)\..+\.([^.]+)$/s.exec(key) ?? [];
  // A hook of the config is known by its command, and switched off by another key.
  if (section === "hook") return [[`${key.slice(0, -last.length)}enabled`, "false"]];
  const value = named[`${section} ${last}`];
  return value === undefined ? [] : [[key, value]];
}
