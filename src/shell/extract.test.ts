import { describe, expect, it } from "vitest";
import { classify, extractCommands, parseShell } from "./index.ts";

function names(text: string): readonly (string | undefined)[] {
  return extractCommands(text).map((command) => command.name);
}

describe("every simple command is found", () => {
  it.each([
    ["a; b && c || d | e & f", ["a", "b", "c", "d", "e", "f"]],
    ["(a); { b; }; ! c; time d", ["a", "b", "c", "d"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["for x in $(a); do b; done; for ((i=0;i<$(c);i++)); do d; done", ["a", "b", "c", "d"]],
    ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
    ["case $(a) in $(b)) c;; *) d;& x) e;;& esac", ["a", "b", "c", "d", "e"]],
    ["select x in $(a); do b; done", ["a", "b"]],
    ["f() { a; }; function g { b; }; coproc c; coproc X { d; }", ["a", "b", "c", "d"]],
    ['a "$(b "$(c)")" `d` <(e) >(f)', ["a", "b", "c", "d", "e", "f"]],
    ["x=$(a) y[$(b)]=1 z=([$(c)]=$(d)) e", ["e", "a", "b", "c", "d"]],
    ["a <<X\n$(b) `c`\nX\nd <<'X'\n$(no)\nX\ne <<-X\n\t$(f)\n\tX", ["a", "b", "c", "d", "e", "f"]],
    ['a <<< "$(b)" > $(c)', ["a", "b", "c"]],
    ["[[ $(a) == $(b) && -f $(c) ]]; (( $(d) + 1 )); echo $(( 1 << $(e) ))", ["a", "b", "c", "d", "echo", "e"]],
    ["echo ${x:-$(a)} ${y/$(b)/$(c)} ${z:$(d):$(e)} ${w[$(f)]}", ["echo", "a", "b", "c", "d", "e", "f"]],
    ["a # b\nc", ["a", "c"]],
    ["a |& b", ["a", "b"]],
  ])("%j", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it("a shift in arithmetic is no here-document", () => {
    expect(names("echo $((1<<2)); ls")).toEqual(["echo", "ls"]);
  });
});

describe("the real name past wrappers", () => {
  it.each([
    ["env -i A=1 B=2 ls", "ls", ["env"]],
    ["env -u X -C /tmp ls", "ls", ["env"]],
    ["env -S 'ls -l'", "ls", ["env"]],
    ["sudo -u root ls", "ls", ["sudo"]],
    ["doas -u root ls", "ls", ["doas"]],
    ["nohup nice -n 5 ionice -c 3 timeout -k 1 5 stdbuf -oL setsid ls", "ls", ["nohup", "nice", "ionice", "timeout", "stdbuf", "setsid"]],
    ["command -p ls", "ls", ["command"]],
    ["builtin echo x", "echo", ["builtin"]],
    ["exec -a x ls", "ls", ["exec"]],
    ["xargs -0 -n 1 rm", "rm", ["xargs"]],
    ["parallel rm ::: a", "rm", ["parallel"]],
    ["bash -c 'rm x'", "rm", ["bash"]],
    ["bash --norc -ec 'rm x'", "rm", ["bash"]],
    ["env sh -c 'timeout 5 rm x'", "rm", ["env", "sh", "timeout"]],
    ["busybox rm x", "rm", ["busybox"]],
    ["watch rm x", "rm", ["watch"]],
    ["flock l rm x", "rm", ["flock"]],
    ["script -c 'rm x'", "rm", ["script"]],
    ["su -c 'rm x'", "rm", ["su"]],
    ["/usr/bin/ls", "ls", []],
    ["./ls", "./ls", []],
    ["$'l\\x73'", "ls", []],
    ['l""s', "ls", []],
  ])("%s", (text, name, wrappers) => {
    const [command] = extractCommands(text);
    expect({ name: command?.name, wrappers: command?.wrappers }).toEqual({ name, wrappers });
  });

  it("find keeps its own place beside what it starts", () => {
    expect(extractCommands("find . -exec rm {} + -o -execdir mv {} x \\;").map(({ name, wrappers }) => [name, wrappers])).toEqual([
      ["find", []],
      ["rm", ["find"]],
      ["mv", ["find"]],
    ]);
  });

  it("what is only known when it runs has no name", () => {
    for (const text of ["$x a", "$(b) a", "/bin/l? a", '"$@"']) expect(extractCommands(text)[0]?.name).toBeUndefined();
    expect(names('bash -c "$x"')).toEqual(["bash"]);
    expect(names("ssh host rm x")).toEqual(["ssh"]);
  });
});

describe("a command in full", () => {
  it("carries words, assignments, redirections, place in the pipe, depth and text", () => {
    expect(extractCommands('A=1 B+=$x  \'cat\'  "a b" $y 2>/dev/null >"$z" <<< q | (wc)')).toEqual([
      {
        name: "cat",
        args: [
          { text: "'a b'", value: "a b" },
          { text: "$y", value: undefined },
        ],
        assignments: [
          { name: "A", append: false, value: { text: "1", value: "1" } },
          { name: "B", append: true, value: { text: "$x", value: undefined } },
        ],
        redirections: [
          { operator: ">", descriptor: 2, target: { text: "/dev/null", value: "/dev/null" }, isStatic: true },
          { operator: ">", descriptor: undefined, target: { text: '"$z"', value: undefined }, isStatic: false },
          { operator: "<<<", descriptor: undefined, target: { text: "q", value: "q" }, isStatic: true },
        ],
        pipe: { index: 0, length: 2 },
        depth: 0,
        wrappers: [],
        text: "A=1 B+=$x cat 'a b' $y 2>/dev/null >\"$z\" <<<q",
      },
      { name: "wc", args: [], assignments: [], redirections: [], pipe: { index: 0, length: 1 }, depth: 1, wrappers: [], text: "wc" },
    ]);
  });

  it("carries the redirections of what it runs in, but for what the shell takes itself", () => {
    const operators = (text: string) =>
      extractCommands(text).map(({ name, redirections }) => [
        name,
        ...redirections.map(({ operator, target }) => `${operator}${target?.text}`),
      ]);
    expect(operators("{ ls $(date) 2>e; (wc <i); } >o")).toEqual([["ls", ">e", ">o"], ["date"], ["wc", "<i", ">o"]]);
    expect(operators("A=1 sh -c 'ls >a; wc' >$o")).toEqual([
      ["ls", ">a", ">$o"],
      ["wc", ">$o"],
    ]);
    expect(operators("(( 1 )) >o")).toEqual([[undefined, ">o"]]);
  });

  it("says whether a here-document is static", () => {
    const isStatic = (text: string) => extractCommands(text)[0]?.redirections[0]?.isStatic;
    expect([isStatic("cat <<X\na\nX"), isStatic("cat <<X\n$a\nX"), isStatic("cat <<'X'\n$a\nX")]).toEqual([true, false, true]);
  });
});

describe("errors", () => {
  it("are found at every depth", () => {
    for (const text of [
      'echo "',
      "ls (",
      "echo $(ls (b)",
      "echo `if`",
      'echo "$(case)"',
      "cat <(for)",
      "x=$(;)",
      "echo ${x",
      "y=$[x",
      "cat <<E'F",
      "a << 3> b",
    ]) {
      const script = parseShell(text);
      expect([text, script.understood, script.errors.length > 0]).toEqual([text, false, true]);
    }
  });

  it("text over 64 KB and hostile nesting are refused quickly", () => {
    for (const text of [
      "x".repeat(70_000),
      "(".repeat(60_000),
      "$(".repeat(30_000),
      "{a,".repeat(20_000),
      "echo ".concat("`".repeat(60_001)),
    ]) {
      expect(parseShell(text).understood).toBe(false);
    }
  });
});

describe("classes", () => {
  it.each([
    ["grep x a", "search"],
    ["cat a | grep x", "search"],
    ["cat a", "read"],
    ["cat a | sort | head", "read"],
    ["ls -l", "list"],
    ["ls && echo done", "list"],
    ["cd src && ls", "list"],
    ["mkdir x && touch y", "silent"],
    ["rm x", "silent"],
    ["mkdir x; ls", "write"],
    ["ls > out", "write"],
    ["ls > /dev/null 2>&1", "list"],
    ["ls | tee out", "write"],
    ["sort -o b a", "write"],
    ["sed -i s/a/b/ f", "write"],
    ["sed s/a/b/ f", "read"],
    ["find . -delete", "write"],
    ["uniq a b", "write"],
    ["npm test", "general"],
    ["cat a | python3", "general"],
    ["echo hi", "general"],
    ["timeout 5 grep x a", "search"],
    ["$x", "general"],
    ["{ ls; } > out", "write"],
    ["(ls; (cat a)) >> out", "write"],
    ["for x in a b; do ls; done > out", "write"],
    ["if ls; then cat a; fi &> out", "write"],
    ["f() { ls; } > out", "write"],
    ["bash -c 'ls' > out", "write"],
    ["find . -exec cat {} + > out", "write"],
    ["[[ -f a ]] > out; ls", "write"],
    ["while read -r x; do grep $x b; done < a 2>/dev/null", "search"],
    ["{ ls $(cat a > b); }", "write"],
  ] as const)("%s is %s", (text, expected) => {
    expect(classify(extractCommands(text))).toBe(expected);
  });
});
