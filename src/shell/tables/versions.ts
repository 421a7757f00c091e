/**
 * Programs of which nothing is known but how to ask for their version. Left out on purpose are those that let the
 * project choose the program that answers (yarn, pnpm, cargo, rustc, go, mvn, gradle, dotnet, jest, webpack), or load its
 * code before they answer (pytest, mocha, flake8, ansible, hg).
 */
import type { Program } from "../machine.ts";
import { asksAlways, versionOnly } from "../program.ts";

const askedBy: Readonly<Record<string, string>> = {
  "--version":
    "tsc eslint prettier vitest vite rollup esbuild biome aws vim nvim emacs nano sqlite3 psql mysql redis-cli redis-server ffprobe black ruff shellcheck shfmt hadolint yamllint clang-format ninja meson bison flex nasm ld lldb valgrind podman pandoc fish git-lfs svn",
  "-V": "tmux",
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
