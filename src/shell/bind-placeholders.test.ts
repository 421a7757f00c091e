/** Placeholders in shell text, run by real bash with hostile values. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { bindPlaceholders } from "./bind-placeholders.ts";

const hostile = [
  "a b  c",
  "x'y",
  'x"y',
  "$(touch pwned)",
  "`touch pwned`",
  "a\nb",
  "; touch pwned",
  "-n",
  "*",
  "\\",
  "$HOME",
  "${X}",
  "!x",
  "#c",
  "a=b",
  "'; touch pwned; '",
  "EOF\ntouch pwned",
];

function run(text: string, value: string): string {
  const { command, names, problems } = bindPlaceholders(text);
  expect(problems).toEqual([]);
  const env = { PATH: process.env.PATH ?? "", ...Object.fromEntries(names.map(({ variable }) => [variable, value])) };
  const { stdout, stderr, status } = spawnSync("bash", ["-c", command], { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("a value arrives whole and inert", () => {
  const places: readonly (readonly [string, (value: string) => string])[] = [
    ["printf '<%s>' $KARYI{V} end", (value) => `<${value}><end>`],
    ["printf '<%s>' a$KARYI{V}b", (value) => `<a${value}b>`],
    [`printf '<%s>' "x $KARYI{V} y"`, (value) => `<x ${value} y>`],
    ["printf '<%s>' 'x $KARYI{V} y'", (value) => `<x ${value} y>`],
    ["printf '<%s>' $'x\\t$KARYI{V}'", (value) => `<x\t${value}>`],
    ["X=$KARYI{V}; printf '<%s>' \"$X\"", (value) => `<${value}>`],
    ["cat <<EOF\na $KARYI{V} b\nEOF\n", (value) => `a ${value} b\n`],
    ["cat <<'EOF'\na $KARYI{V} $HOME `x` \\ b\nEOF\n", (value) => `a ${value} $HOME \`x\` \\ b\n`],
    ["cat <<< $KARYI{V}", (value) => `${value}\n`],
    ["printf '<%s>' \"$(printf '%s' $KARYI{V}; printf x)\"", (value) => `<${value}x>`],
    ["for i in $KARYI{V}; do printf '<%s>' \"$i\"; done", (value) => `<${value}>`],
    ["[[ $KARYI{V} == x ]] || printf no", () => "no"],
    ["printf '<%s>' $KARYI{V} # $KARYI{V}", (value) => `<${value}>`],
    ["x=a; printf '<%s>' $x$KARYI{V}", (value) => `<a${value}>`],
    ["printf '<%s>' $KARYI{V}$KARYI{V}", (value) => `<${value}${value}>`],
    ["printf '<%s>' '$KARYI{V}'\"$KARYI{V}\"$KARYI{V}", (value) => `<${value}${value}${value}>`],
    ["export X=$KARYI{V}; printf '<%s>' \"$X\"", (value) => `<${value}>`],
    ["X=($KARYI{V} b); printf '<%s>' \"${X[0]}\"", (value) => `<${value}>`],
    ['X=$KARYI{V} bash -c \'printf "<%s>" "$X"\'', (value) => `<${value}>`],
    ['bash -c \'printf "<%s>" "$1"\' _ $KARYI{V}', (value) => `<${value}>`],
    ["cat <<-EOF\n\ta $KARYI{V} b\n\tEOF\n", (value) => `a ${value} b\n`],
    ["cat <<\\EOF\n$KARYI{V} $(no) \\$x\nEOF\n", (value) => `${value} $(no) \\$x\n`],
    ["cat <<A; cat <<'B'\n$KARYI{V}\nA\n$x $KARYI{V}\nB\n", (value) => `${value}\n$x ${value}\n`],
    ["case $KARYI{V} in *) printf ok;; esac", () => "ok"],
    ["printf '<%s>' $'\\x41\\'$KARYI{V}\\n'", (value) => `<A'${value}\n>`],
    ["if true; then printf '<%s>' $KARYI{V}; fi | cat", (value) => `<${value}>`],
    ["f() { printf '<%s>' \"$@\"; }; f a $KARYI{V}", (value) => `<a><${value}>`],
    ["printf '<%s>' a\\\\$KARYI{V}", (value) => `<a\\${value}>`],
    ["awk -v x=1 -v y=$KARYI{V} 'BEGIN { printf \"%d\", x }'", () => "1"],
  ];
  for (const [text, expected] of places) {
    it(JSON.stringify(text), () => {
      for (const value of hostile) expect(run(text, value)).toBe(expected(value));
    });
  }
});

describe("literals and refusals", () => {
  it("$$KARYI{X} is the literal text in every kind of quote", () => {
    for (const text of [
      "printf %s $$KARYI{X}",
      'printf %s "$$KARYI{X}"',
      "printf %s '$$KARYI{X}'",
      "cat <<'E'\n$$KARYI{X}\nE\n",
      "cat <<E\n$$KARYI{X}\nE\n",
    ]) {
      expect(run(text, "").trim()).toBe("$KARYI{X}");
    }
  });

  it("is refused where the value would be read as code", () => {
    for (const text of [
      "$KARYI{V} x",
      "eval echo $KARYI{V}",
      "eval 'echo $KARYI{V}'",
      "bash -c 'echo $KARYI{V}'",
      'bash -c "echo $KARYI{V}"',
      "echo $(( $KARYI{V} + 1 ))",
      "echo `echo $KARYI{V}`",
      "echo ${X:-$KARYI{V}}",
      "python3 -c 'print(\"$KARYI{V}\")'",
      "ssh host echo $KARYI{V}",
      "find . -exec sh -c 'echo $KARYI{V}' \\;",
      "env sh -c 'echo $KARYI{V}'",
      "echo $KARYI{V} | sh",
      "echo $KARYI{V} | sudo bash",
      "cat <<EOF | bash\n$KARYI{V}\nEOF",
      "bash <<EOF\necho $KARYI{V}\nEOF",
      "bash <<'EOF'\necho $KARYI{V}\nEOF",
      "sh <<< $KARYI{V}",
      "bash <(echo $KARYI{V})",
      "source <(echo $KARYI{V})",
      "timeout 5 bash -c $KARYI{V}",
      "bash -c $KARYI{V}",
      "bash $KARYI{V}",
      "xargs sh -c 'echo $KARYI{V}'",
      "trap 'echo $KARYI{V}' EXIT",
      "sed 's/x/$KARYI{V}/' a",
      "awk 'BEGIN { print \"$KARYI{V}\" }'",
      "jq '.x = \"$KARYI{V}\"' a",
      "perl -e 'print \"$KARYI{V}\"'",
      "node --eval=$KARYI{V}",
      "printf $KARYI{V}",
      "printf -v $KARYI{V} x",
      "env -S $KARYI{V}",
      "read $KARYI{V}",
      "unset $KARYI{V}",
      "declare $KARYI{V}",
      "test -v $KARYI{V}",
      "[[ -v $KARYI{V} ]]",
      "[[ $KARYI{V} -eq 1 ]]",
      "((x = $KARYI{V}))",
      "for ((i=$KARYI{V};;)); do :; done",
      "a[$KARYI{V}]=1",
      "$KARYI{V}=1",
      "for $KARYI{V} in a; do :; done",
      "$KARYI{V}() { :; }",
      "cat <<$KARYI{V}\nx\n$KARYI{V}",
      "echo ${x[$KARYI{V}]}",
      "echo {a,$KARYI{V}}",
      "echo $$$KARYI{V}",
      "echo \\$$KARYI{V}",
      'echo "$KARYI{V}',
      "echo $KARYI{V} $__KARYI_V_V",
      "let x=$KARYI{V}",
      "ssh h <<EOF\n$KARYI{V}\nEOF",
      "python3 - <<EOF\nprint('$KARYI{V}')\nEOF",
      "find . -exec bash -c 'echo $KARYI{V}' \\;",
      "su -c 'echo $KARYI{V}'",
    ]) {
      expect([text, bindPlaceholders(text).problems.length > 0]).toEqual([text, true]);
    }
  });

  it("an escaped placeholder is text, as it is to bash", () => {
    expect(bindPlaceholders("echo \\$KARYI{V}")).toEqual({ command: "echo \\$KARYI{V}", names: [], problems: [] });
  });

  it("names every variable once, by its place in the environment", () => {
    expect(bindPlaceholders('curl -H "A: $KARYI{TOKEN}" $KARYI{URL} $KARYI{TOKEN} # $KARYI{NO}')).toEqual({
      command: 'curl -H "A: ${__KARYI_V_TOKEN}" "${__KARYI_V_URL}" "${__KARYI_V_TOKEN}" # $KARYI{NO}',
      names: [
        { name: "TOKEN", variable: "__KARYI_V_TOKEN" },
        { name: "URL", variable: "__KARYI_V_URL" },
      ],
      problems: [],
    });
  });

  it("text without a placeholder stays as it is", () => {
    for (const text of ["echo $KARYI", "echo hi", "cat <<EOF\nx\nEOF", "echo $KARYI{1}"]) expect(bindPlaceholders(text).command).toBe(text);
  });
});
