/** Ways past the judgement of commands that were once open, each by the name of its mechanism. */
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "./analyze.ts";
import type { ShellWorld } from "./types.ts";

const world: ShellWorld = { cwd: "/repo", userHome: "/home/u", workspace: "/repo", gitTrusted: true };

/** Either it is not understood, or it names the secret as a read: both are judged before it is shown. */
function isSeen(command: string, more: Partial<ShellWorld> = {}): boolean {
  const { understood, effects } = analyzeCommand(command, { ...world, ...more });
  return !understood || effects.some((effect) => effect.kind === "read" && /\.env|\/(?:d|conf)?$|\/repo$/.test(effect.path));
}

const isForbidden = (command: string, more: Partial<ShellWorld> = {}): boolean =>
  analyzeCommand(command, { ...world, ...more }).effects.some(({ kind }) => kind === "forbidden");

describe("a letter behind a number takes no value", () => {
  it.each(["head -99999c .env", "head -9qc .env", "tail -5c .env", "head -1kn .env", "tail -3n .env", "head -5vc .env"])(
    "%s",
    (command) => {
      expect(analyzeCommand(command, world).understood).toBe(false);
    },
  );

  it.each(["head -5 a.txt", "head -n 5 a.txt", "head -c5 a.txt", "tail -5 a.txt", "head -5q a.txt b.txt", "grep -3 x a.txt"])(
    "plain forms are understood: %s",
    (command) => {
      expect(analyzeCommand(command, world).understood).toBe(true);
    },
  );
});

describe("a wildcard of find -path crosses a slash", () => {
  it.each([
    "find . -path './d*' -exec cat {} +",
    "find . -wholename './con?/*' | xargs cat",
    "find . -ipath './D*' | xargs cat",
    "find . -iwholename '*[a-z]' -exec head {} \\;",
    "find . -path '*v' -exec cat {} +",
    "find . -path './*/.e*' | xargs cat",
  ])("%s", (command) => {
    const { effects } = analyzeCommand(command, world);
    // The host looks through a whole tree for secrets if nothing narrows the names.
    const whole = effects.some((effect) => effect.kind === "read" && effect.tree === true && effect.opens === undefined);
    expect(whole || effects.some((effect) => effect.kind === "read" && effect.path.includes(".env"))).toBe(true);
  });

  it("an ending still narrows it", () => {
    const { effects, understood } = analyzeCommand("find . -path './src/*.js' -exec cat {} +", world);
    expect(understood).toBe(true);
    expect(effects.filter((effect) => effect.kind === "read").map((effect) => effect.opens)).toContainEqual(["*.js"]);
  });
});

describe("sets of characters in patterns", () => {
  it.each(["cat .en[[=v=]]", "cat .en[[.v.]]", "cat .en[[:alpha:]]", "cat .e[!x]v"])("%s", (command) => {
    expect(isSeen(command)).toBe(true);
  });
});

describe("words between a sign and its name", () => {
  it.each(["jq -n '$#x\nENV'", "jq -n '$ # x\n  ENV'", "jq '.a #\\\n| env' f", "jq -n '$__prog_args'"])("%s", (command) => {
    expect(analyzeCommand(command, world).understood).toBe(false);
  });
});

describe("an option that takes no pattern", () => {
  it.each(["ag -A . d", "ag -B . d", "ag -C . d", "rg -A . d"])("%s", (command) => {
    expect(isSeen(command)).toBe(true);
  });
});

describe("an option that takes a value in some versions only", () => {
  it.each(["column -t -n -o .env", "column -tn -o .env"])("%s", (command) => {
    expect(analyzeCommand(command, world).understood).toBe(false);
  });
});

describe("letters that ps reads in another way than they are written", () => {
  it.each(["ps -auxe", "ps -eux", "ps -axe", "ps axe", "ps e"])("%s", (command) => {
    expect(analyzeCommand(command, world).understood).toBe(false);
  });

  it("the usual ones are understood", () => {
    expect(["ps aux", "ps -ef", "ps -eLf", "ps -aux", "ps -e -o pid,cmd"].map((one) => analyzeCommand(one, world).understood)).toEqual(
      Array(5).fill(true),
    );
  });
});

describe("values of options are no hosts, and hosts in them are", () => {
  const hosts = (command: string) =>
    analyzeCommand(command, world).effects.flatMap((effect) => (effect.kind === "connect" ? effect.url : []));

  it.each([
    ["curl --max-redirs 5 https://x.example", ["https://x.example"]],
    ["curl --proto '=https' --tlsv1.2 -sSf https://x.example", ["https://x.example"]],
    ["curl --retry-max-time 30 -sSLo out https://x.example", ["https://x.example"]],
    ["wget -t 3 -T 5 --user-agent me https://x.example/a", ["https://x.example/a"]],
    ["nc -zvw 3 x.example 80", ["tcp://x.example:80"]],
    ["ssh -vp 22 x.example ls", ["ssh://x.example"]],
    ["curl -x proxy.example:80 https://x.example", ["http://proxy.example:80", "https://x.example"]],
    ["curl --socks5 proxy.example https://x.example", ["http://proxy.example", "https://x.example"]],
    ["curl --connect-to ::10.0.0.1:80 https://x.example", ["http://10.0.0.1:80", "https://x.example"]],
    ["curl --connect-to a:1::2 https://x.example", ["https://x.example"]],
    ["curl --resolve x.example:443:10.0.0.1,::1 https://x.example", ["http://10.0.0.1", "http://[::1]", "https://x.example"]],
  ])("%s", (command, expected) => {
    expect(hosts(command)).toEqual(expected);
  });
});

describe("an unknown word is not no word", () => {
  it.each(["ip link $V", "ip -s $V", "ip addr $V", 'ip link "$V"', "ip $V show", "hostname $V", "date $V", "ss $V", "mount $V"])(
    "%s",
    (command) => {
      expect(analyzeCommand(command, world).understood).toBe(false);
    },
  );

  it("known words are", () => {
    expect(["ip link", "ip -s link show", "ip addr"].map((command) => analyzeCommand(command, world).understood)).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe("a format that checks signatures", () => {
  it.each([
    "git shortlog --format='%G?'",
    "git log --format='%G?'",
    "git log --pretty='%h %GK'",
    "git show --pretty=tformat:%GS",
    "git for-each-ref --format='%(signature:key)'",
  ])("%s", (command) => {
    expect(analyzeCommand(command, world).understood).toBe(false);
  });
});

describe("git that enters another repository", () => {
  it.each(["git diff --submodule=diff", "git log -p --submodule=diff", "git show --submodule=diff"])("%s", (command) => {
    expect(analyzeCommand(command, world).understood).toBe(false);
  });
});

describe("a variable that nobody set", () => {
  it.each([
    "rm -rf ${UNSET}/*",
    'rm -rf "${UNSET}"/*',
    "rm -rf $UNSET/",
    "rm -rf ${A}${B}/*",
    "rm -rf ${UNSET:-}/*",
    "rm -r $UNSET/home/*",
    "rm -rf $UNSET/usr",
    "X=; rm -rf $X/*",
  ])("on the floor: %s", (command) => {
    expect(isForbidden(command)).toBe(true);
  });

  it.each(["rm -rf $UNSET/build", "D=$(mktemp -d); rm -rf $D/*", "rm -rf $UNSET", "rm -rf build/$X"])("not on it: %s", (command) => {
    expect(isForbidden(command)).toBe(false);
  });
});

describe("help that comes with something to do", () => {
  it.each(["rm -rf src --help", "rm --version src", "cp a b --help", "mv src other --help", "chmod 000 a --help"])("%s", (command) => {
    expect(analyzeCommand(command, world).effects.some(({ kind }) => kind === "write")).toBe(true);
  });

  it("alone it is help", () => {
    expect(analyzeCommand("rm --help", world)).toMatchObject({ understood: true, effects: [{ kind: "run" }] });
  });
});

describe("what an earlier command left behind", () => {
  it.each([
    ..."HOME XDG_CONFIG_HOME LD_LIBRARY_PATH NODE_OPTIONS PERL5OPT PYTHONPATH PATH LESSOPEN GIT_DIR GIT_EXTERNAL_DIFF".split(" "),
    ..."ANYTHING VIRTUAL_ENV TAPE".split(" "),
  ])("%s takes away the standing of a program", (name) => {
    const left = { [name]: "/repo/x" };
    expect(analyzeCommand("git status", { ...world, env: left, left }).understood).toBe(false);
    expect(analyzeCommand("ls", { ...world, env: left, left }).understood).toBe(false);
  });

  it("what is known to be inert does not, nor does the shell itself mind", () => {
    const inert = { NO_COLOR: "1", LANG: "C.UTF-8", OLDPWD: "/repo/a", CI: "true", COLUMNS: "80", TZ: "UTC" };
    expect(analyzeCommand("git status", { ...world, env: inert, left: inert }).understood).toBe(true);
    expect(analyzeCommand("echo hi; cd src", { ...world, env: { X: "1" }, left: { X: "1" } }).understood).toBe(true);
  });
});
