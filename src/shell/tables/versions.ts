/**
 * Programs of which nothing is known but how to ask for their version. Left out on purpose are those that let a file of
 * the project choose the program that answers: yarn, pnpm, cargo, rustc, go, mvn, gradle, dotnet, bazel.
 */
import type { Program } from "../machine.ts";
import { asksAlways, versionOnly } from "../program.ts";

const askedBy: Readonly<Record<string, string>> = {
  "--version":
    "tsc eslint prettier vitest jest webpack vite rollup esbuild biome mocha tsx aws az gcloud vim nvim emacs nano sqlite3 psql mysql redis-cli redis-server swift ffprobe pytest mypy ruff black flake8 poetry pipenv shellcheck shfmt hadolint yamllint clang-format ninja meson bison flex nasm ld lldb valgrind podman ansible packer vagrant rake rspec pandoc bash zsh dash fish ninja git-lfs hg svn cvs",
  "-V": "tmux ansible",
  "-v": "tsc nginx eslint prettier redis-server",
  "-version": "ffmpeg ffprobe",
};

const flagsOf = new Map<string, string[]>();
for (const [flag, names] of Object.entries(askedBy))
  for (const name of names.split(" ")) flagsOf.set(name, [...(flagsOf.get(name) ?? []), flag]);

export const versionPrograms: Readonly<Record<string, Program>> = Object.fromEntries(
  [...flagsOf].map(([name, flags]) => [
    name,
    versionOnly(new RegExp(`^(?:${flags.join("|")})$`), asksAlways("is only known to tell its version")),
  ]),
);
