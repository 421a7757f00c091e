/** Trees for the differential tests: odd names, odd contents, ignore files in every place. Made from a seed, so that a failure can be repeated. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Random = () => number;

/** A small generator of numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

const directories = [
  "src",
  "lib",
  "a b",
  "node_modules",
  "build",
  "dist",
  "deep",
  "é",
  "[id]",
  "logs",
  ".hidden",
  "credentials",
  ".env",
  "-dash",
  "tmp",
];
const files = [
  "main.ts",
  "main.test.ts",
  "app.log",
  "notes.txt",
  "x y.md",
  "new\nline.txt",
  'quote".ts',
  "it's.ts",
  "-n",
  "--help.ts",
  "[id].tsx",
  "{a,b}.ts",
  "*.ts",
  "日本.txt",
  "é.log",
  ".gitkeep",
  ".env",
  ".env.example",
  ".ENV.Local",
  "server.pem",
  "id_rsa",
  "credentials.json",
  ".DS_Store",
  "mod.pyc",
  "build",
  "a\\b.ts",
  "!bang.ts",
  "#hash.ts",
  "Main.TS",
];
const lines = [
  "needle in a haystack",
  "nothing here",
  "two needle and needle again",
  "NEEDLE upper",
  "",
  "  indented needle",
  "unicode é ñ 日本 needle ß 🙂",
  "tab\tneedle\tend",
  "foo(bar) { return needle; }",
  "carriage return needle\r",
  "x".repeat(700),
  `${"y".repeat(600)}needle${"z".repeat(600)}`,
  `${"é".repeat(400)}needle🙂${"ñ".repeat(400)}`,
  "12345 0x1F _under_score",
  "end",
];
const rules = [
  "*.log",
  "!app.log",
  "logs/",
  "/tmp",
  "deep/**",
  "!deep/src",
  "**/lib/*.ts",
  "src/*/main.ts",
  "[a-m]*.md",
  "*.t?t",
  "x\\ y.md",
  "\\#hash.ts",
  "\\!bang.ts",
  "!*.ts",
  "*.ts",
  "# comment",
  "",
  "trailing.txt   ",
  "notes.txt\t",
  "é.log",
  "a b/",
  "/src/**/notes.txt",
  "!/src/notes.txt",
  "{a,b}.ts",
  "*.{log,md}",
  "[[:alpha:]]*.md",
  "*",
  "!*/",
  "main*",
  "[unclosed",
  "deep",
  ".hidden",
  "**",
  "src/",
  "?ain.ts",
  "id_*",
];

export interface TreeOptions {
  readonly files: number;
  readonly repository: boolean;
}

export function growTree(root: string, random: Random, { files: count, repository }: TreeOptions): void {
  if (repository) {
    mkdirSync(join(root, ".git", "info"), { recursive: true });
    writeFileSync(join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(root, ".git", "info", "exclude"), ignoreText(random, 1));
  }
  const seen: string[] = [root];
  for (let i = 0; i < count; i++) {
    let directory = root;
    for (let depth = Math.floor(random() * 4); depth > 0; depth--) directory = join(directory, pick(random, directories));
    quietly(() => {
      mkdirSync(directory, { recursive: true });
      seen.push(directory);
      writeFileSync(join(directory, pick(random, files)), content(random));
    });
    if (random() < 0.1) {
      const name = random() < 0.5 ? Buffer.from([0xff, 0x66, 0xfe]) : Buffer.from([0x61, 0xc3]);
      quietly(() => writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), name, Buffer.from(".txt")]), content(random)));
    }
    if (random() < 0.08)
      quietly(() =>
        symlinkSync(
          pick(random, ["main.ts", "../main.ts", "nowhere", ".", "/etc/hostname", "loop"]),
          join(directory, pick(random, ["link.ts", "loop", "link", "link.pem"])),
        ),
      );
    if (random() < 0.15)
      quietly(() =>
        writeFileSync(join(pick(random, seen), pick(random, [".gitignore", ".gitignore", ".ignore", ".rgignore"])), ignoreText(random, 3)),
      );
  }
  if (random() < 0.5) quietly(() => mkdirSync(join(pick(random, seen), ".git")));
}

function ignoreText(random: Random, most: number): string {
  const ending = random() < 0.2 ? "\r\n" : "\n";
  return (
    Array.from({ length: Math.ceil(random() * most) }, () => (random() < 0.1 ? "!" : "") + pick(random, rules)).join(ending) +
    (random() < 0.5 ? ending : "")
  );
}

function content(random: Random): Buffer {
  const ending = random() < 0.2 ? "\r\n" : "\n";
  const text = Array.from({ length: Math.floor(random() * 12) }, () => pick(random, lines)).join(ending) + (random() < 0.7 ? ending : "");
  const kind = random();
  if (kind < 0.06) return Buffer.concat([Buffer.from(text), Buffer.from([0]), Buffer.from(text)]);
  if (kind < 0.1) return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
  if (kind < 0.13) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
  if (kind < 0.2)
    return Buffer.concat([
      Buffer.from(text),
      Buffer.from([0xe9, 0x20]),
      Buffer.from("needle"),
      Buffer.from([0xff, 0xc3]),
      Buffer.from("\nneedle"),
    ]);
  if (kind < 0.22) return Buffer.from(text, "latin1");
  if (kind < 0.24) return Buffer.concat([Buffer.from(`${text}\n`), Buffer.from("filler line\n".repeat(9_000)), Buffer.from([0])]);
  return Buffer.from(text);
}

function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // The name is taken by something else: the tree is as odd without it.
  }
}
