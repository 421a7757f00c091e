import { describe, expect, test } from "vitest";
import type { PolicyWorld, Verdict } from "../../contract/index.ts";
import { decide } from "../index.ts";
import { question, read, windowsWorld, worldOf, write } from "../test-world.ts";
import type { TextWorld } from "./text-facts.ts";

type Case = readonly [
  expected: Verdict,
  op: "read" | "write",
  path: string,
  setup?: Partial<TextWorld> & { world?: Partial<PolicyWorld>; tree?: boolean; rule?: string },
];

function check(cases: readonly Case[], world: (changes?: Partial<PolicyWorld>) => PolicyWorld, base: Partial<TextWorld> = {}): void {
  for (const [expected, op, path, setup = {}] of cases) {
    const { world: changes, rule, ...text } = setup;
    const effect = op === "read" ? read(path, { ...base, ...text }) : write(path, { ...base, ...text });
    test(`${expected}: ${op} ${JSON.stringify(path.slice(0, 80))} ${JSON.stringify(setup)}`, () => {
      // Edits are accepted here, so that every question left is one about the place.
      const decision = decide(question([effect], { mode: "accept-edits" }), world(changes));
      expect(decision.verdict, decision.reason).toBe(expected);
      if (expected === "deny") expect(decision.code).toBe("tool_forbidden_path");
      if (rule !== undefined) expect(decision.rule).toBe(rule);
    });
  }
}

describe("a `..` that leaves a root is refused, whatever it would resolve to", () => {
  check(
    [
      ["deny", "read", "/repo/../etc/passwd", { rule: "builtin:dotdot" }],
      ["deny", "read", "/repo/./src/.././../etc/passwd", { rule: "builtin:dotdot" }],
      ["deny", "read", "../etc/passwd"],
      ["deny", "read", "../repo/src/a.ts", { rule: "builtin:dotdot" }],
      ["deny", "read", "/repo/../repo/src/a.ts", { rule: "builtin:dotdot" }],
      ["deny", "read", "src/../../repo/a.ts", { rule: "builtin:dotdot" }],
      ["deny", "write", "//repo//..//x"],
      ["deny", "read", "/repo/a/b/../../../home/u/x"],
      ["deny", "read", "/repo/l/../secret", { links: { "/repo/l": "/home/u/x" }, rule: "builtin:dotdot" }],
      ["deny", "read", "/repo/l/../notes.txt", { links: { "/repo/l": "/srv/x" }, rule: "builtin:dotdot" }],
      ["allow", "read", "/repo/l/../x.txt", { links: { "/repo/l": "/repo/a/b" } }],
      ["allow", "read", "/repo/src/../README.md"],
      ["allow", "read", "/tmp/../repo/src/a.ts"],
      ["allow", "read", "../README.md", { cwd: "/repo/src" }],
      ["allow", "read", "/repo/packages/a/../b/x.ts", { world: { roots: ["/repo", "/repo/packages/a"] } }],
      ["deny", "read", "/repo/../other/x", { world: { roots: ["/repo", "/other"] } }],
      ["allow", "read", "..foo/a..b/...", {}],
      ["ask", "read", "/repo/a\n../../etc/passwd", { rule: "builtin:unprintable" }],
    ],
    worldOf,
  );
});

describe("inside is decided on whole names", () => {
  check(
    [
      ["ask", "read", "/repo-evil/a.ts", { rule: "builtin:outside" }],
      ["deny", "write", "/repo-evil/a.ts", { rule: "builtin:outside" }],
      ["deny", "read", "/repo_backup/.env", { rule: "builtin:secret" }],
      ["ask", "read", "/rep/a.ts"],
      ["ask", "read", "/REPO/a.ts"],
      ["allow", "read", "/REPO/a.ts", { world: { caseInsensitive: true } }],
      ["allow", "read", "/repo"],
      ["allow", "read", "/repo/"],
      ["allow", "read", "//repo/./src//a.ts"],
      ["allow", "read", "/repo", { links: { "/repo": "/real/repo" }, world: { workspace: "/real/repo", roots: ["/real/repo"] } }],
      ["allow", "write", "/data/x", { world: { roots: ["/repo", "/data"] } }],
      ["ask", "read", "/home/u/notes.txt"],
      ["deny", "write", "/home/u/notes.txt"],
      ["deny", "write", "/tmp/x"],
      ["allow", "read", "/private/x", { world: { temporary: ["/private"] } }],
      ["deny", "write", "/private/x", { world: { temporary: ["/private"] } }],
    ],
    worldOf,
  );
});

describe("links are judged by where they lead", () => {
  check(
    [
      ["deny", "read", "/repo/link", { links: { "/repo/link": "/etc/shadow" } }],
      ["deny", "write", "/repo/link/new.txt", { links: { "/repo/link": "/home/u" } }],
      ["ask", "read", "/repo/link/notes.txt", { links: { "/repo/link": "/home/u" } }],
      ["deny", "read", "/repo/link/id_rsa", { links: { "/repo/link": "/home/u/.ssh" } }],
      ["deny", "write", "/repo/race", { links: { "/repo/race": "/home/u/.bashrc" } }],
      ["ask", "read", "/repo/notes", { links: { "/repo/notes": "/repo/.env" }, rule: "builtin:secret" }],
      ["ask", "read", "/repo/.env", { links: { "/repo/.env": "/repo/config/production" }, rule: "builtin:secret" }],
      ["deny", "write", "/repo/x", { links: { "/repo/x": "/repo/.git/hooks/pre-commit" }, rule: "builtin:protected" }],
      ["deny", "write", "/repo/d/pre-commit", { links: { "/repo/d": "/repo/.git/hooks" }, rule: "builtin:protected" }],
      ["allow", "write", "/repo/a/b.ts", { links: { "/repo/a": "/repo/src" } }],
      ["allow", "read", "/else/a.ts", { links: { "/else": "/repo/src" } }],
      ["allow", "read", "/repo/loop", { kind: "unreadable" }],
      ["deny", "write", "/repo/loop", { kind: "unreadable", rule: "builtin:unresolved" }],
    ],
    worldOf,
  );
});

describe("a file with several names may be a secret under another one", () => {
  check(
    [
      ["ask", "read", "/repo/hard", { hardLinks: 2, rule: "builtin:hard-link" }],
      ["ask", "write", "/repo/hard", { hardLinks: 2, rule: "builtin:hard-link" }],
      ["allow", "read", "/repo/one", { hardLinks: 1 }],
      ["allow", "read", "/repo/node_modules/x/index.js", { hardLinks: 9 }],
      ["ask", "write", "/repo/node_modules/x/index.js", { hardLinks: 9, rule: "builtin:hard-link" }],
      ["allow", "read", "/repo/.git/objects/ab/cdef", { hardLinks: 2 }],
      ["allow", "read", "/repo/target/debug/app", { hardLinks: 2 }],
    ],
    worldOf,
  );
});

describe("system directories are never written; programs and what tells about the machine is read, the rest only if a rule opens it", () => {
  const directories = "/etc /proc /sys /dev /boot /run /var/run /private/etc /System /Library".split(" ");
  const programs = "/bin /sbin /usr /lib /lib64".split(" ");
  check(
    directories.flatMap((directory): Case[] => [
      ["deny", "read", `${directory}/x`],
      ["deny", "write", `${directory}/x`],
      ["deny", "read", directory],
    ]),
    worldOf,
  );
  check(
    programs.flatMap((directory): Case[] => [
      ["allow", "read", `${directory}/x`, { rule: "builtin:system" }],
      ["deny", "read", `${directory}/x/id_rsa`, { rule: "builtin:secret" }],
      ["deny", "read", `${directory}/x`, { world: { systemPaths: "denied" } }],
      ["deny", "write", `${directory}/x`],
      ["allow", "read", directory, { tree: true }],
    ]),
    worldOf,
  );
  check(
    [
      ...["/etc/os-release", "/etc/hosts", "/proc/cpuinfo", "/proc/meminfo", "/sys/fs/cgroup/memory.max", "/proc/self/cgroup"].flatMap(
        (path): Case[] => [
          ["allow", "read", path, { rule: "builtin:system" }],
          ["deny", "read", path, { world: { systemPaths: "denied" } }],
          ["deny", "write", path],
        ],
      ),
      ["deny", "read", "/etc/passwd", { rule: "builtin:system" }],
      ["deny", "read", "/proc/self/environ"],
      ["deny", "read", "/proc/self/fd/3"],
      ["deny", "read", "/proc/self/root/repo/src/a.ts", { links: { "/proc/self/root": "/" } }],
      ["deny", "read", "/proc/self/cwd/a.ts", { links: { "/proc/self/cwd": "/repo" } }],
      ["deny", "read", "/dev/fd/0"],
      ["deny", "read", "/dev/stdin"],
      ["deny", "write", "/dev/null"],
      ["deny", "read", "/dev/zero", { kind: "device" }],
      ["deny", "write", "/dev/sda", { kind: "device" }],
      ["deny", "write", "/sys/kernel/x"],
      ["deny", "read", "/repo/zero", { kind: "device", rule: "builtin:device" }],
      ["deny", "read", "/ETC/passwd", { world: { caseInsensitive: true } }],
      ["deny", "read", "//etc/passwd"],
      ["deny", "read", "/./etc/./passwd"],
      ["deny", "read", "/", { tree: true }],
      ["ask", "read", "/"],
      ["deny", "read", "/var", { tree: true }],
      ["ask", "read", "/usrlocal/x"],
      ["ask", "read", "/etcetera"],
      ["ask", "read", "/var/runner"],
    ],
    worldOf,
  );
});

describe("a workspace inside a system directory still works, but not inside the kernel's trees", () => {
  const inside = (workspace: string): Partial<PolicyWorld> => ({ workspace, roots: [workspace] });
  check(
    [
      ["allow", "read", "/usr/src/app/a.ts", { world: inside("/usr/src/app") }],
      ["allow", "write", "/run/user/1000/ws/a.ts", { world: inside("/run/user/1000/ws") }],
      ["allow", "read", "/usr/src/other/a.ts", { world: inside("/usr/src/app"), rule: "builtin:system" }],
      ["deny", "write", "/usr/src/other/a.ts", { world: inside("/usr/src/app") }],
      ["deny", "read", "/etc/passwd", { world: inside("/etc") }],
      ["deny", "read", "/proc/1/cwd/a.ts", { world: inside("/proc/1/cwd") }],
      ["deny", "write", "/dev/shm/ws/a.ts", { world: inside("/dev/shm/ws") }],
    ],
    worldOf,
  );
});

describe("malformed paths are refused", () => {
  check(
    [
      ["deny", "read", "/repo/a.txt\0.png", { rule: "builtin:malformed-path" }],
      ["deny", "write", `/repo/${"a/".repeat(2100)}x`, { rule: "builtin:malformed-path" }],
      ["deny", "read", ""],
      ["deny", "read", "/repo/\ud800.txt"],
      ["ask", "read", "/repo/a\rb"],
      ["ask", "read", "/repo/\u202egnp.exe"],
      ["ask", "write", "/repo/a\u200bb.ts"],
      ["allow", "read", "/repo/naïve café 世界.txt"],
      ["allow", "read", "/repo/with space and 'quotes'"],
    ],
    worldOf,
  );
});

describe("what runs later is not written", () => {
  const refused = [
    ".git/hooks/pre-commit .git/config .GIT/config .Git/Hooks/x sub/.git/hooks/post-merge .git/info/attributes .git .git/modules/a/hooks/x",
    ".git/modules/a/b/config .git/worktrees/w/gitdir .git/commondir .git/rebase-merge/git-rebase-todo .git/config.worktree sub/.git",
    "deps/x.git/hooks/update deps/x.git/config .git./config git~1/config .git::$INDEX_ALLOCATION/config .g\u200cit/config .gi\u200dt/hooks/x",
    ".karyi/config.json .KARYI/policy.json a/b/.karyi/x .toolengine/policy.json .claude/settings.json .Claude/agents/x.md .codex/config.toml",
    ".gemini/settings.json .opencode/x .cursor/mcp.json .bashrc .zshrc .profile .bash_profile .zshenv dotfiles/.zprofile .gitconfig .ssh/config",
    ".config/git/config .config/fish/config.fish .config/autostart/x.desktop .config/systemd/user/x.service Library/LaunchAgents/x.plist",
  ].flatMap((line) => line.split(" "));
  check(
    refused.map((path): Case => ["deny", "write", `/repo/${path}`, { rule: "builtin:protected" }]),
    worldOf,
  );
  check(
    [
      ["deny", "write", "/home/u/.bashrc", { rule: "builtin:protected" }],
      ["deny", "write", "/home/u/.ssh/config"],
      ["deny", "write", "/home/u/.ssh/authorized_keys"],
      ["deny", "write", "/home/u/.gitconfig"],
      ["deny", "write", "/home/u/.config/git/config"],
      ["deny", "write", "/home/u/.karyi/config.json"],
      ["deny", "write", "/var/spool/cron/crontabs/u"],
      ["deny", "write", "/state/db.sqlite", { world: { karyiHome: "/state", roots: ["/repo", "/state"] }, rule: "builtin:protected" }],
      ["deny", "read", "/state/blobs/ab", { world: { karyiHome: "/state" }, rule: "builtin:protected" }],
      ["deny", "write", "/repo/state/x", { world: { karyiHome: "/repo/state" } }],
      ["allow", "write", "/home/u/.karyi/worktrees/w/a.ts", { world: { roots: ["/repo", "/home/u/.karyi/worktrees/w"] } }],
      ["deny", "write", "/home/u/.karyi/worktrees/w/.karyi/x", { world: { roots: ["/repo", "/home/u/.karyi/worktrees/w"] } }],
      ["deny", "write", "/repo/.git", { tree: true }],
      ["deny", "write", "/repo/.git/info", { tree: true }],
      ["ask", "write", "/repo/.git/index.lock", { rule: "builtin:sensitive" }],
      ["allow", "read", "/repo/.git/config"],
      ["allow", "read", "/repo/.claude/settings.json"],
      ["allow", "read", "/repo/.bashrc"],
    ],
    worldOf,
  );
});

describe("what a person's other programs run asks, even where edits are accepted", () => {
  const asked = [
    ".mcp.json .vscode/settings.json .vscode/tasks.json .idea/workspace.xml .envrc .npmrc .github/workflows/ci.yml .husky/pre-commit .gitattributes",
    ".gitmodules .pre-commit-config.yaml .devcontainer/devcontainer.json .githooks/pre-push hooks/post-checkout .gitlab-ci.yml .yarnrc.yml",
    ".cargo/config.toml my.code-workspace .VSCODE/settings.json sub/.mcp.json Jenkinsfile .direnv/x",
  ].flatMap((line) => line.split(" "));
  check(
    asked.map((path): Case => ["ask", "write", `/repo/${path}`]),
    worldOf,
  );
  check(
    "src/a.ts package.json Makefile .gitignore .github/README.md .github/CODEOWNERS .editorconfig README.md docs/git.md src/hooks/use-x.ts .prettierrc"
      .split(" ")
      .map((path): Case => ["allow", "write", `/repo/${path}`]),
    worldOf,
  );
});

describe("secret files ask inside and are refused outside", () => {
  const secret = [
    ".env .env.local .env.production sub/.ENV .env.bak .env~ prod.env certs/server.pem server.key id_rsa keys/id_ed25519 id_ecdsa_work store.p12 a.pfx a.jks",
    ".npmrc .pypirc .netrc .pgpass .git-credentials credentials credentials.json secrets.yaml secrets.yml .secrets passwords.kdbx $HOME/.ssh/id_rsa",
    ".aws/credentials .docker/config.json .kube/config .config/gh/hosts.yml service-account.json client_secret_1.json .bash_history .gnupg/x infra/x.tfstate",
    ".env.example.local ..env.swp .e\u200bnv .htpasswd .vault-token .cargo/credentials.toml",
  ].flatMap((line) => line.split(" "));
  check(
    secret.flatMap((path): Case[] => [
      ["ask", "read", `/repo/${path}`],
      ["deny", "read", `/srv/other/${path}`],
    ]),
    worldOf,
  );
  check(
    [
      ["ask", "write", "/repo/.env", { rule: "builtin:secret" }],
      ["ask", "write", "/repo/certs/server.pem"],
      ["deny", "read", "/home/u/.ssh/id_rsa"],
      ["deny", "read", "/root/.ssh/id_rsa"],
      ["deny", "read", "/home/u/.aws/credentials"],
      ["deny", "read", "/home/u/.config/gh", { tree: true }],
      ["deny", "read", "/home/u", { tree: true }],
      ["deny", "read", "/home", { tree: true }],
      ["deny", "read", "/home/u/.ssh/id_rsa", { world: { workspace: "/home/u", roots: ["/home/u"] } }],
      ["ask", "read", "/home/u", { tree: true, world: { workspace: "/home/u", roots: ["/home/u"] } }],
      ["deny", "write", "/home/u/.bashrc", { world: { workspace: "/home/u", roots: ["/home/u"] } }],
      ["allow", "read", "/home/u/notes.txt", { world: { workspace: "/home/u", roots: ["/home/u"] } }],
      ["allow", "read", "/home/u/.kube/charts/x.yaml", { world: { workspace: "/home/u/.kube/charts", roots: ["/home/u/.kube/charts"] } }],
    ],
    worldOf,
  );
  const plain =
    ".env.example .env.sample .env.template src/secrets.ts src/credentials.go docs/secrets.md id_rsa.pub src/environment.ts monkey.ts keys.ts .gitignore".split(
      " ",
    );
  check(
    plain.map((path): Case => ["allow", "read", `/repo/${path}`]),
    worldOf,
  );
});

describe("the workspace itself is not removed", () => {
  test.each([
    ["/repo", "delete", true, "deny"],
    ["/repo", "delete", false, "deny"],
    ["/", "delete", true, "deny"],
    ["/repo", "mode", true, "ask"],
    ["/repo/build", "delete", true, "allow"],
  ] as const)("%s %s tree %s: %s", (path, change, tree, expected) => {
    expect(decide(question([write(path, { change, tree, kind: "directory" })], { mode: "accept-edits" }), worldOf()).verdict).toBe(
      expected,
    );
  });
});

describe("Windows spellings", () => {
  check(
    [
      ["deny", "write", "\\\\.\\PhysicalDrive0"],
      ["deny", "read", "\\\\?\\C:\\repo\\a.ts"],
      ["deny", "read", "//./C:/repo/a.ts"],
      ["deny", "read", "\\\\server\\share\\x"],
      ["deny", "write", "C:secret.txt"],
      ["deny", "write", "/c/Windows/win.ini"],
      ["deny", "read", "C:\\Windows\\System32\\config\\SAM"],
      ["deny", "write", "D:\\x"],
      ["ask", "read", "D:\\x"],
      ["deny", "write", "C:\\repo\\.git\\hooks.\\pre-commit"],
      ["deny", "write", "C:\\repo\\.git \\config"],
      ["deny", "write", "C:\\repo\\GIT~1\\config"],
      ["deny", "write", "C:\\repo\\CLAUDE~1\\x"],
      ["ask", "read", "C:\\repo\\ENV~1"],
      ["deny", "write", "C:\\repo\\.git::$INDEX_ALLOCATION\\config"],
      ["deny", "write", "C:\\repo\\a.txt:stream"],
      ["deny", "write", "C:\\repo\\NUL"],
      ["deny", "read", "C:\\repo\\con.txt"],
      ["deny", "write", "C:\\repo\\src\\COM1 .log"],
      ["deny", "write", "C:\\repo\\.g\u200cit\\config"],
      ["deny", "write", "c:/REPO/.GIT/config"],
      ["deny", "read", "C:\\repo\\..\\Windows\\win.ini"],
      ["deny", "read", "C:\\repo\\.. \\x"],
      ["deny", "read", "C:\\repo\\a?b"],
      ["ask", "write", "C:\\repo\\name."],
      ["allow", "read", "c:/REPO/src/A.ts"],
      ["allow", "read", "C:\\repo\\src\\a.ts"],
      ["allow", "write", "C:\\repo\\src\\a.ts"],
      ["allow", "read", "/c/repo/src/a.ts"],
      ["allow", "read", "src\\a.ts"],
      ["ask", "read", "C:\\repo-evil\\a.ts"],
      ["allow", "read", "\\\\srv\\share\\ws\\a.ts", { world: { workspace: "\\\\srv\\share\\ws", roots: ["\\\\srv\\share\\ws"] } }],
    ],
    windowsWorld,
    { platform: "win32", cwd: "C:\\repo" },
  );
});

describe("commands may name their own streams, tools may not", () => {
  const command = { kind: "run", program: "diff", text: "diff a /dev/null", understood: true } as const;
  test.each(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/2", "/dev/zero", "/dev/full"])("%s", (path) => {
    const stream = read(path, { kind: "device", links: { "/dev/stdin": "/proc/self/fd/0" } });
    expect(decide(question([command, stream], { tool: "Bash" }), worldOf()).verdict).toBe("allow");
    expect(decide(question([stream]), worldOf()).verdict).toBe("deny");
    expect(decide(question([command, write(path, { kind: "device" })], { tool: "Bash" }), worldOf()).verdict).toBe("allow");
  });
  test.each([
    read("/dev/tty"),
    write("/dev/urandom"),
    read("/dev/x/../null"),
    read("/dev/fd/3"),
    write("/dev/null", { change: "delete" }),
    write("/dev/null", { change: "mode" }),
  ])("not %j", (effect) => {
    expect(decide(question([command, effect], { tool: "Bash" }), worldOf()).verdict).toBe("deny");
  });
  test("commands write a session's own temporary directory unasked", () => {
    const world = worldOf({ temporary: ["/scratch"], sandboxed: true });
    const effects = [command, write("/scratch/x")];
    for (const mode of ["plan", "default", "accept-edits", "auto"] as const)
      expect(decide(question(effects, { tool: "Bash", mode }), world).verdict).toBe("allow");
    expect(decide(question([write("/scratch/x")], { tool: "Write" }), world).verdict).toBe("deny");
  });
});
