/**
 * /etc as a world shows it that nobody was asked about (F7): what tells about the machine, and what programs need to start and run.
 * What the people of the machine set up for services, and what only root reads, is not there. A keeper builds it once, and every
 * world of the session takes it from there.
 */
import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { noDevices, noSetuid, type Step } from "./keeper-order.ts";
import { isBelow, isWithin } from "./mount-table.ts";

export interface EtcView {
  /** Where the keeper builds it. */
  readonly view: string;
  readonly steps: readonly Step[];
  /** True for a path below /etc that is there, or leads to something that is. */
  shows(path: string): boolean;
}

const etc = "/etc";

/** By the names of their files and directories; each word begins one. */
const programs = new RegExp(
  `^(?:${[
    ..."alternatives bash\\.bashrc bash_completion(?:\\.d)? profile(?:\\.d)? environment inputrc skel zsh zshenv fish".split(" "),
    ..."ld\\.so\\.(?:cache|conf|conf\\.d|preload) nsswitch\\.conf gai\\.conf host\\.conf hosts hostname resolv\\.conf".split(" "),
    ..."networks protocols services rpc ethertypes shells login\\.defs mtab localtime timezone adjtime".split(" "),
    ..."locale\\.(?:alias|conf|gen) os-release [a-z]+[-_]release debian_version issue(?:\\.net)? magic(?:\\.mime)? mime\\.types".split(" "),
    ..."mailcap papersize terminfo xattr\\.conf manpath\\.config man_db\\.conf ca-certificates(?:\\.conf)? crypto-policies".split(" "),
    ..."fonts X11 xdg gtk-.* glvnd vulkan OpenCL egl drirc ImageMagick-.* ghostscript texmf groff".split(" "),
    ..."xml sgml dpkg netconfig iproute2 chromium.* firefox.*".split(" "),
    ..."gitconfig gitattributes vim vimrc virc nanorc emacs screenrc tmux\\.conf gdb clang.* llvm.* openmpi R".split(" "),
    ..."java.* jvm.* python.* perl php.* ruby.* lua.* mono dotnet erlang maven.* gradle ant.* cmake.* mke2fs\\.conf".split(" "),
  ].join("|")})$`,
);

/** Of directories that also hold what is not for everybody. */
const within = [
  ...["ssl/certs", "ssl/openssl.cnf", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf", "pki/ca-trust/extracted", "pki/java"],
  ...["apt/sources.list", "apt/sources.list.d", "default/locale"],
];

const longestText = 32 * 1024;

/** `base`: a private directory that outlives runs. */
export function etcView(base: string, uid: number = process.getuid?.() ?? 0): EtcView {
  const view = join(base, "etc");
  mkdirSync(view, { recursive: true, mode: 0o755 });
  const found = [...entriesOf(etc).filter((name) => programs.test(name)), ...within].filter(isForEverybody);
  const accounts = ["passwd", "group"].filter(isForEverybody);
  const steps: Step[] = [
    ["make", "etc", "tmpfs", String(noSetuid | noDevices), "mode=0755", "size=4m"],
    ["put", "etc", view],
    ...found.flatMap((name, index) => shown(name, view, `etc${index}`)),
    ...accounts.map((name): Step => ["text", join(view, name), knownAccounts(readFileSync(join(etc, name), "utf8"), uid)]),
  ];
  const places = [...found, ...accounts].map((name) => join(etc, name));
  return {
    view,
    steps,
    shows: (path) => path === etc || places.some((place) => isWithin(path, place) || isBelow(place, path)),
  };
}

function shown(name: string, view: string, piece: string): readonly Step[] {
  const [from, to] = [join(etc, name), join(view, name)];
  const stats = lstatSync(from);
  if (stats.isSymbolicLink()) return [["link", readlinkSync(from), to]];
  // Every world copies the mounts of its keeper: a short file is written down instead.
  if (stats.isFile() && stats.size <= longestText) return [["text", to, readFileSync(from)]];
  return [
    ["take", piece, from, "1", "0", "0"],
    [stats.isDirectory() ? "directory" : "file", to],
    ["put", piece, to],
  ];
}

/** Lines of the accounts that a program meets: root, nobody, and whose command it is. */
function knownAccounts(text: string, uid: number): string {
  const known = new Set(["0", "65534", String(uid), String(process.getgid?.() ?? uid)]);
  return text
    .split("\n")
    .filter((line) => known.has(line.split(":")[2] ?? ""))
    .map((line) => `${line}\n`)
    .join("");
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).map(({ name }: Dirent) => name);
  } catch {
    return [];
  }
}

function isForEverybody(name: string): boolean {
  const stats = lstatSync(join(etc, name), { throwIfNoEntry: false });
  if (stats === undefined) return false;
  const needed = stats.isDirectory() ? 0o005 : 0o004;
  return stats.isSymbolicLink() || ((stats.isFile() || stats.isDirectory()) && (stats.mode & needed) === needed);
}
