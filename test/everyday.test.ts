/**
 * Everyday commands in a repository with node, python and make, in all four modes: which are asked about before anything ran. Nobody
 * is asked in default about one that changes nothing, stays offline and reads inside; those are run for real, and no card comes.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { capturingHere } from "../src/host/sandbox/fixtures/world.ts";
import type { Mode, Verdict } from "../src/index.ts";
import { outsideDirectory, testEngine } from "./support/engine.ts";

const holds = (await capturingHere()).includes("E0");
const why = holds ? "" : " (skipped: tier E0 does not hold here)";

/** A bar with blanks around it is a pipe. */
const row = (text: string): readonly string[] => text.split(/(?<![| ])\|(?![| ])/);

/** Change nothing, stay offline, read inside: a person would agree that nobody need be asked. */
const quiet = [
  ...row("ls|ls -la|pwd|cat README.md|head -5 README.md|tail -5 README.md|wc -l README.md|wc -l src/*.js|sort README.md|uniq README.md"),
  ...row(
    "grep -rn TODO src|grep -c x src/a.js|find . -name '*.js'|find . -name '*.js' | wc -l|find src -type f|tree src || true|du -sh .|stat README.md",
  ),
  ...row("file README.md || true|git status|git status --short|git log --oneline|git log -3 --stat|git diff|git diff --stat|git show HEAD"),
  ...row(
    "git branch|git branch -a|git rev-parse HEAD|git ls-files|git blame README.md|git stash list|git tag|git remote -v|git describe --always",
  ),
  ...row(
    "git config --get user.name|git shortlog -sn HEAD|git grep TODO|git diff HEAD --name-only|git show HEAD:README.md|cat package.json",
  ),
  ...row(
    "jq .name package.json || true|sed -n 1,5p README.md|awk 'NR<3' README.md|cut -c1-10 README.md|tr a-z A-Z < README.md|diff src/a.js src/b.js || true",
  ),
  ...row(
    "echo hello|printf '%s\\n' hi|date|whoami|uname -a|hostname|id|env | wc -l|which node|type ls|command -v git|nproc|df -h .|free || true",
  ),
  ...row("node --version|npm --version|node -e 'console.log(1)'|node -p 1+1|node src/a.js|npm test|npm run hello|node --test test || true"),
  ...row(
    "bash -c 'ls src'|sh scripts/look.sh|for f in src/*.js; do wc -l $f; done|if [ -f README.md ]; then echo yes; fi|test -d src && echo dir",
  ),
  ...row(
    "cat src/a.js | grep x | head -3|ls src | sort -r|xargs -n1 echo < README.md|basename src/a.js|dirname src/a.js|realpath src|seq 3",
  ),
  ...row(
    "md5sum README.md|sha256sum src/a.js|base64 README.md|od -c README.md | head -2|nl -ba src/a.js|cat -n src/a.js|tac README.md|rev README.md",
  ),
  ...row(
    "cd src && ls|(cd src; pwd)|cd src; cd ..|export CI=1|true|sleep 0.01|cat /etc/os-release|cat /proc/cpuinfo | head -3|ls /usr/bin | head -3",
  ),
  ...row("echo x > /tmp/note; cat /tmp/note|mktemp"),
];

/** Change files inside: rehearsed, and asked about with the result in hand; in auto done and undoable. */
const changing = [
  ...row("touch new.txt|mkdir -p build|echo x >> README.md|cp README.md copy.md|mv src/b.js src/c.js|rm src/b.js|sed -i s/x/y/ src/a.js"),
  ...row(
    "git add -A|git commit -qam wip --allow-empty|git checkout -b topic|git stash|git mv src/b.js src/d.js|git rm -q src/b.js|git reset -q",
  ),
  ...row("npm run build|node scripts/gen.js|sh scripts/gen.sh|tee out.txt <<< x|ln -s README.md link"),
  ...row(
    "chmod +x scripts/gen.sh|truncate -s 0 src/b.js|printf x > a.out|find . -name '*.tmp' -delete|tar cf src.tar src|split README.md part-",
  ),
];

/** Reach out or lead outside by name: asked about before; in auto the host or the path does not exist. */
const reaching = [
  ...row("curl https://example.com|wget https://example.com|git fetch|git push|git pull|git clone https://example.com/x.git"),
  ...row(
    "ls ..|cat ../other/file|ls ../..|head -3 ~/.profile|git ls-remote origin|curl -s localhost:3000|cat /var/log/syslog|ls ~|cat ~/notes.txt|ls /opt|nc -z localhost 80|ssh example.com ls|ping -c1 example.com",
  ),
];

/** Rows that need a tool which may be missing. */
const byTool = {
  python3: {
    quiet: row(
      "python3 --version|python3 -c 'print(1)'|python3 -m json.tool package.json|python3 -c 'import tempfile; tempfile.mkdtemp()'|python3 scripts/look.py",
    ),
    changing: row("python3 scripts/gen.py"),
  },
  make: { quiet: row("make --version|make -n|make"), changing: row("make build") },
  cc: { quiet: row("cc --version|cc -fsyntax-only src/c.c|cc -E src/c.c"), changing: row("cc -o prog src/c.c") },
} as const;
type Tool = keyof typeof byTool;

const required = process.env.KARYI_REQUIRE_TOOLS === "1";
const isThere = (tool: Tool): boolean => spawnSync(tool, ["--version"], { stdio: "ignore" }).status === 0;
const tools = (Object.keys(byTool) as Tool[]).map((tool) => ({ tool, there: isThere(tool) }));

async function repository(mode: Mode) {
  const cards: string[] = [];
  // Around a workspace among the temporary files nothing lies outside.
  const { engine, workspace } = await testEngine({
    workspace: await outsideDirectory(),
    mode,
    approve: async ({ summary }) => {
      cards.push(summary);
      return "deny";
    },
  });
  for (const name of ["src", "scripts", "test"]) await mkdir(join(workspace, name));
  const put = (name: string, text: string) => writeFile(join(workspace, name), text);
  await put("README.md", "# TODO\none\ntwo\nthree\n");
  await put("src/a.js", "const x = 1; // TODO\nconsole.log(x);\n");
  await put("src/b.js", "console.log(2);\n");
  await put(
    "package.json",
    JSON.stringify({ name: "r", scripts: { test: "node src/a.js", hello: "echo hello", build: "node scripts/gen.js" } }),
  );
  await put("Makefile", "all:\n\t@echo all\nbuild:\n\techo built > out\n");
  await put("scripts/look.sh", "ls; cat README.md\n");
  await put("scripts/gen.sh", "echo x > gen\n");
  await put("scripts/gen.js", `require("fs").writeFileSync("gen", "x")\n`);
  await put("scripts/look.py", `print(len(open("README.md").read()))\n`);
  await put("src/c.c", "int main(void) { return 0; }\n");
  await put("scripts/gen.py", `open("gen", "w").write("x")\n`);
  await put("test/a.test.js", `require("node:test").test("x", () => {})\n`);
  execFileSync(
    "bash",
    ["-c", "git init -q -b main && git config user.name a && git config user.email a@b && git add -A && git commit -qm x"],
    {
      cwd: workspace,
    },
  );
  return { session: await engine.openSession(), cards };
}

/** The verdicts that a person would agree with, by mode. */
const agreed: Readonly<Record<"quiet" | "changing" | "reaching", Readonly<Record<Mode, readonly Verdict[]>>>> = {
  quiet: {
    default: ["allow", "rehearse"],
    "accept-edits": ["allow", "rehearse"],
    plan: ["allow", "rehearse"],
    auto: ["allow"],
  },
  changing: { default: ["rehearse"], "accept-edits": ["allow", "rehearse"], plan: ["rehearse"], auto: ["allow"] },
  reaching: { default: ["ask", "rehearse"], "accept-edits": ["ask", "rehearse"], plan: ["ask", "rehearse", "deny"], auto: ["allow"] },
};

describe.skipIf(!holds)(`everyday commands${why}`, { timeout: 240_000 }, () => {
  it("there are a hundred and fifty of them", () => {
    const further = Object.values(byTool).flatMap((rows) => [...rows.quiet, ...rows.changing]);
    expect(quiet.length + changing.length + reaching.length + further.length).toBeGreaterThanOrEqual(150);
  });

  it.each(["default", "accept-edits", "plan", "auto"] as const)("are asked about in %s only where a person would agree", async (mode) => {
    // A home below /tmp would be in the session's own temporary directory, where nothing of the machine is.
    vi.stubEnv("HOME", await outsideDirectory());
    onTestFinished(() => void vi.unstubAllEnvs());
    const { session } = await repository(mode);
    const surprising: string[] = [];
    for (const [kind, commands] of Object.entries({ quiet, changing, reaching }) as ["quiet" | "changing" | "reaching", string[]][]) {
      for (const command of commands) {
        const { decision } = await session.explain("Bash", { command });
        if (!agreed[kind][mode].includes(decision.verdict)) surprising.push(`${kind} ${decision.verdict}: ${command} (${decision.reason})`);
      }
    }
    expect(surprising).toEqual([]);
  });

  it("that change nothing, stay offline and read inside run in default with nobody asked", async () => {
    const { session, cards } = await repository("default");
    const asked: string[] = [];
    for (const command of quiet) {
      const { status } = await session.call("Bash", { command });
      if (status === "denied" || status === "suspended") asked.push(command);
      await session.call("Bash", { command: `cd ${session.workspace}` });
    }
    expect({ asked, cards }).toEqual({ asked: [], cards: [] });
  });

  for (const { tool, there } of tools) {
    const missing = there || required ? "" : ` (skipped: there is no ${tool} here)`;
    it.skipIf(missing !== "")(`with ${tool} are asked about only where a person would agree, and run${missing}`, async () => {
      if (!there) throw new Error(`KARYI_REQUIRE_TOOLS is set, and there is no ${tool}.`);
      const surprising: string[] = [];
      for (const mode of ["default", "accept-edits", "plan", "auto"] as const) {
        const { session } = await repository(mode);
        for (const kind of ["quiet", "changing"] as const) {
          for (const command of byTool[tool][kind]) {
            const { decision } = await session.explain("Bash", { command });
            if (!agreed[kind][mode].includes(decision.verdict)) surprising.push(`${mode} ${kind} ${decision.verdict}: ${command}`);
          }
        }
      }
      const { session, cards } = await repository("default");
      for (const command of byTool[tool].quiet) {
        const { status, output } = await session.call("Bash", { command });
        if (status !== "ok") surprising.push(`${status}: ${command}: ${output}`);
      }
      expect({ surprising, cards }).toEqual({ surprising: [], cards: [] });
    });
  }
});
