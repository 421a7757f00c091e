/**
 * Owns candidates for "this rule would also allow" and "this would still be asked": calls near the one in question.
 * Refuses to claim anything: each candidate carries its effects, and the decision says on which side it falls.
 */
import type { Effect, PathFacts, PolicyWorld, RunEffect } from "../../contract/index.ts";
import type { CommandRule } from "./command-rule.ts";

export interface Example {
  readonly text: string;
  /** Where it is another tool's call. */
  readonly tool?: string;
  readonly effects: readonly Effect[];
}

export function commandExamples({ fixed, open }: CommandRule, program: string): Example[] {
  const same = run(program, fixed);
  const head = known("head", "head -n 20");
  const variants: Example[] = open
    ? ["", " other-argument", " --any-flag other-argument"].map((rest) => ({
        text: `${fixed}${rest}`,
        effects: [run(program, `${fixed}${rest}`)],
      }))
    : [
        { text: `${fixed} 2>/dev/null`, effects: [same] },
        { text: `${fixed} | head -n 20`, effects: [same, head] },
        { text: `cd src && ${fixed}`, effects: [known("cd", "cd src"), same] },
      ];
  const changed = open ? fixed.replace(/\S+$/, "something-else") : `${fixed} --one-more`;
  return [
    ...variants,
    { text: changed, effects: [run(program, changed)] },
    { text: `${fixed} && sh install.sh`, effects: [same, run("sh", "sh install.sh")] },
    { text: `sudo ${fixed}`, effects: [run(program, `sudo ${fixed}`)] },
  ];
}

export function pathExamples(kind: "read" | "write", real: string, world: PolicyWorld): Example[] {
  const touch = (path: string): Effect => (kind === "read" ? { kind, path: plain(path) } : { kind, path: plain(path), change: "modify" });
  const shown = within(real, world.workspace);
  const [one, two] = kind === "read" ? ["Read", "Grep"] : ["Edit", "Write"];
  const command = kind === "read" ? known("cat", `cat ${shown}`) : known("tee", `tee ${shown}`);
  const directory = real.replace(/[\\/][^\\/]*$/, "");
  return [
    { text: `${one} ${shown}`, tool: one, effects: [touch(real)] },
    { text: `${two} ${shown}`, tool: two, effects: [touch(real)] },
    { text: command.text, tool: "Bash", effects: [command, touch(real)] },
    { text: `${one} ${shown}.other`, tool: one, effects: [touch(`${real}.other`)] },
    { text: `${one} another file in ${within(directory, world.workspace)}`, tool: one, effects: [touch(`${directory}/another-file`)] },
    { text: `${one} .env`, tool: one, effects: [touch(`${world.workspace}/.env`)] },
  ];
}

function within(path: string, workspace: string): string {
  if (path === workspace) return "the workspace";
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

export function domainExamples({ origin, hostname, host }: URL): Example[] {
  const get = (url: string, method = "GET"): Example => ({ text: `${method} ${url}`, effects: [{ kind: "connect", url, method }] });
  return [
    get(`${origin}/`),
    get(`${origin}/any/other/page`),
    get(`${origin}/?q=any+words`),
    get(`https://other.${hostname}/`),
    get(`https://${hostname}.example.net/`),
    get(`https://${host}/`, "POST"),
  ];
}

export function toolExamples(tool: string, server?: string): Example[] {
  const other = server === undefined ? "another tool" : `another tool of ${server}`;
  const effects: Effect[] = server === undefined ? [] : [{ kind: "remote", server, tool: "another" }];
  return [
    { text: `${tool} with any other input`, effects },
    { text: other, tool: "another", effects: [{ kind: "unknown", reason: "another tool" }] },
  ];
}

function run(program: string, text: string): RunEffect {
  return { kind: "run", program, text, understood: false };
}

function known(program: string, text: string): RunEffect {
  return { kind: "run", program, text, understood: true };
}

function plain(path: string): PathFacts {
  return { asked: path, spelled: path, lexical: path, real: path, kind: "file" };
}
