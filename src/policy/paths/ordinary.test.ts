/** The short way says nothing that the whole judgement would not: names from the tables are never ordinary, verdicts are equal. */

import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { type Effect, type Mode, type PathFacts, type PolicyWorld, secretGlobs, secretNames, secretReason } from "../../contract/index.ts";
import { decide } from "../decide.ts";
import { question, run, worldOf } from "../test-world.ts";
import { isOrdinaryBelow } from "./ordinary.ts";
import { protectedNames, protectedReason, sensitiveReason } from "./protected.ts";

const harmless = [
  "src",
  "index.ts",
  "README.md",
  "a",
  "lib",
  "package.json",
  "Cargo.toml",
  "test_data",
  "x-y.z",
  "store",
  "hook",
  "icon.svg",
];
const telling = [
  ..."id_rsa ID_RSA.old credentials credentials.json Credentials secrets secret.yml secrets.ts service-account.json my-credentials.json".split(
    " ",
  ),
  ..."client_secret_1.json prod.env a.env example.env repo.git Repo.GIT hooks pre-commit update spool cron launchagents keychains".split(
    " ",
  ),
  ..."x.code-workspace server.pem a.KEY wallet.dat.bak jenkinsfile Jenkinsfile profile.ps1 config config.fish .git .env a. git~1".split(
    " ",
  ),
];

const spelling = fc.constantFrom<(name: string) => string>(
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => `${name}.bak`,
  (name) => `x${name}`,
  (name) => name.slice(0, -1),
  (name) => `${name}x`,
);
const nameArbitrary = fc.oneof(
  fc.constantFrom(...harmless),
  fc.tuple(fc.constantFrom(...telling, ...protectedNames, ...secretNames), spelling).map(([name, change]) => change(name)),
  fc.constantFrom(...secretGlobs).map((glob) => glob.replace(/\[._-\]/g, "-").replaceAll("*", "file")),
  fc.string({ minLength: 1, maxLength: 8 }).filter((name) => !name.includes("/")),
);
const pathArbitrary = fc.array(nameArbitrary, { minLength: 1, maxLength: 4 });

describe("ordinary paths", () => {
  it("has no name that any table speaks of", () => {
    fc.assert(
      fc.property(pathArbitrary, fc.boolean(), (names, tree) => {
        if (!isOrdinaryBelow(`/repo/${names.join("/")}`, 6)) return;
        expect([secretReason(names), protectedReason(names, tree), sensitiveReason(names)]).toEqual([undefined, undefined, undefined]);
      }),
      { numRuns: 4_000 },
    );
  });

  it.each(protectedNames)("does not count the protected name %s as ordinary", (name) => {
    expect(isOrdinaryBelow(`/repo/${name}`, 6)).toBe(false);
    expect(isOrdinaryBelow(`/repo/${name.toUpperCase()}/x`, 6)).toBe(false);
  });

  it.each(secretNames)("does not count the secret name %s as ordinary", (name) => {
    expect(isOrdinaryBelow(`/repo/${name}`, 6)).toBe(false);
    expect(isOrdinaryBelow(`/repo/${name.toUpperCase()}/x`, 6)).toBe(false);
  });

  it.each(harmless)("takes the short way for %s", (name) => {
    expect(isOrdinaryBelow(`/repo/${name}/${name}`, 6)).toBe(true);
  });

  it("judges exactly as the whole judgement does", () => {
    const worlds: readonly PolicyWorld[] = [
      worldOf(),
      worldOf({ workspace: "/home/u/work", roots: ["/home/u/work"] }),
      worldOf({ workspace: "/home/u", roots: ["/home/u"] }),
      worldOf({ roots: ["/repo", "/repo/inner", "/other"] }),
      worldOf({ temporary: ["/repo/tmp"] }),
      worldOf({ workspace: "/usr/src/app", roots: ["/usr/src/app"] }),
      worldOf({ karyiHome: "/repo/.state" }),
      worldOf({ caseInsensitive: true, sandboxed: true }),
    ];
    const starts = ["/repo", "/home/u/work", "/home/u", "/repo/inner", "/repo/tmp", "/other", "/usr/src/app", "/repo/.state", "/repo-evil"];
    fc.assert(
      fc.property(
        fc.constantFrom(...worlds),
        fc.constantFrom(...starts),
        fc.array(nameArbitrary, { maxLength: 3 }),
        fc.constantFrom<PathFacts["kind"]>("file", "directory", "absent", "fifo", "device", "unreadable"),
        fc.constantFrom<Mode>("plan", "default", "accept-edits", "auto"),
        fc.constantFrom("read", "create", "modify", "delete", "mode", "link"),
        fc.record({ tree: fc.boolean(), unread: fc.boolean(), command: fc.boolean(), linked: fc.boolean() }),
        (world, start, names, kind, mode, change, flags) => {
          const real = [start, ...names].join("/");
          // An `asked` that is no ending of the path makes the whole judgement look.
          const [short, whole] = [real, "."].map((asked): string => {
            const path: PathFacts = { asked, spelled: real, lexical: real, real, kind, hardLinks: flags.linked ? 2 : 1 };
            const effect: Effect =
              change === "read"
                ? { kind: "read", path, tree: flags.tree }
                : { kind: "write", path, change: change as "modify", tree: flags.tree, unread: flags.unread };
            const decision = decide(question(flags.command ? [effect, run("x", true)] : [effect], { mode }), world);
            const [first] = decision.effects;
            return JSON.stringify([decision.verdict, decision.code, first?.verdict, first?.rule, first?.code]);
          });
          expect(short).toBe(whole);
        },
      ),
      { numRuns: 4_000 },
    );
  });
});
