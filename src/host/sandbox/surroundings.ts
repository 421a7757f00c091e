/**
 * What a command sees beside its workspace: which directories are private, which stay writable, what is covered. A rehearsal may
 * leave nothing behind; an approved run keeps the machine's temporary files and the caches of package managers.
 */
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { NetworkAccess } from "../../contract/index.ts";
import type { Confinement } from "./confinement.ts";
import { isBelow, isWithin } from "./mount-table.ts";
import { stateBases } from "./state-directory.ts";

/** `rehearse`: nothing stays. `run`: captured and committed. `serve`: confined, but the workspace is written directly. */
export type Purpose = "rehearse" | "run" | "serve";

export interface Surroundings {
  readonly home: string;
  readonly userHome: string;
  readonly purpose: Purpose;
  readonly network: NetworkAccess;
  readonly roots: readonly string[];
}

/** Keys, tokens and passwords in the person's home, and what was typed there. Files of settings that may hold one as well stay. */
const secrets = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".config/gh",
  ".config/gcloud",
  ".config/op",
  ".azure",
  ".kube",
  ".docker",
  ".netrc",
  ".git-credentials",
  ".pypirc",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".mozilla",
  ".thunderbird",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".electrum",
  ".bitcoin",
  ".oci",
  ...["hub", "glab-cli", "rclone", "doctl", "sops", "git/credentials", "containers/auth.json"].map((name) => `.config/${name}`),
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".claude/.credentials.json", ".codex/auth.json"],
  ...[".pgpass", ".mylogin.cnf", ".vault-token", ".boto", ".s3cfg", ".dockercfg", ".authinfo", ".authinfo.gpg"],
  ...["bash", "zsh", "sh", "python", "node_repl", "psql", "mysql", "sqlite", "rediscli"].map((name) => `.${name}_history`),
  ".local/share/fish/fish_history",
  ...[".terraform.d", ".composer/auth.json", ".config/composer/auth.json", ".gemini", ".huggingface", ".cache/huggingface/token"],
  ...[".kaggle", ".netlify", ".fly", ".vnc", ".age", ".ethereum", ".config/solana", ".config/filezilla", ".config/configstore"],
  ...[".claude.json", ".Xauthority", ".viminfo", ".env", ".karyi"],
];

/** Settings that programs need to reach a service, and that often hold the key to it: without a network nobody needs them. */
const serviceSettings = [
  ...[".npmrc", ".yarnrc.yml", ".curlrc", ".wgetrc", ".my.cnf", ".terraformrc", ".m2/settings.xml", ".gradle/gradle.properties"],
  ...[".pip/pip.conf", ".config/pip/pip.conf", ".nuget/NuGet/NuGet.Config", ".nuget/NuGet.Config"],
];

/** Nobody but root can read these anyway. */
const rootSecrets = ["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-"];

/** Only what package managers fetched: no program starts from there by itself. */
const caches = [
  ".cache",
  ".npm/_cacache",
  ".npm/_logs",
  ".cargo/registry",
  ".cargo/git",
  ".gradle/caches",
  ".m2/repository",
  "go/pkg/mod",
  ".nuget/packages",
  ".local/share/pnpm/store",
  ".yarn/berry/cache",
  ".bun/install/cache",
];

/** `temporary`: emptied as well, but what is written there is of interest. */
export function surroundings(
  place: Surroundings,
): Pick<Confinement, "writable" | "emptied" | "hidden" | "kept"> & { readonly temporary: readonly string[] } {
  const { home, userHome, purpose, network, roots } = place;
  const temporary = existing(["/tmp", "/var/tmp", ...(purpose === "rehearse" ? [] : [tmpdir()])]);
  const run = existing(["/run"]);
  const emptied = purpose === "rehearse" ? [...temporary, ...run] : run;
  const writable = purpose === "rehearse" ? [] : outermost([...temporary, ...existing(caches.map((path) => join(userHome, path)))]);
  const hidden = existing([
    ...[...secrets, ...(network === "on" ? [] : serviceSettings)].map((path) => join(userHome, path)),
    ...(process.getuid?.() === 0 ? rootSecrets : []),
    home,
    ...stateBases(home),
  ]);
  const sockets =
    network === "on" ? [] : listeningSockets().filter((path) => ![...emptied, ...hidden].some((directory) => isWithin(path, directory)));
  return {
    // A root that is written directly, or lies around a writable directory, needs no second opening.
    writable: writable.filter((path) => !roots.some((root) => isWithin(path, root))),
    emptied: run.map((path) => ({ path })),
    temporary: purpose === "rehearse" ? temporary : [],
    hidden: [...hidden, ...sockets],
    kept: network === "on" ? resolver(emptied) : [],
  };
}

/** Real paths of what is there, each once. */
function existing(paths: readonly string[]): readonly string[] {
  return [
    ...new Set(
      paths.flatMap((path) => {
        try {
          return [realpathSync.native(path)];
        } catch {
          return [];
        }
      }),
    ),
  ];
}

function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => isBelow(path, other)));
}

/** Services of the host that are reached through a name in the file system, which no network namespace closes. */
function listeningSockets(): readonly string[] {
  try {
    const accepting = 0x10000;
    const paths = readFileSync("/proc/net/unix", "utf8")
      .split("\n")
      .flatMap((line) => {
        const match = /^\S+ \S+ \S+ (\S+) \S+ \S+ +\S+ (\/.*)$/.exec(line);
        return match !== null && (Number.parseInt(match[1] ?? "0", 16) & accepting) !== 0 ? [match[2] ?? ""] : [];
      });
    return existing(paths).filter((path) => lstatSync(path).isSocket());
  } catch {
    return [];
  }
}

/** Names are looked up through files that often lie in /run. */
function resolver(emptied: readonly string[]): readonly string[] {
  return existing(["/etc/resolv.conf"])
    .map((path) => dirname(path))
    .filter((directory) => emptied.some((outer) => isBelow(directory, outer)));
}
