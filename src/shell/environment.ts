/**
 * Names of variables that matter: those that change what later commands execute, load or read,
 * those that take code into every program, and those that hold secrets.
 * Owns the names; what follows from them is decided where they are used.
 */
import { isSecretVariable } from "../contract/index.ts";

const exact = new Set([
  ..."PATH IFS ENV HOME PWD OLDPWD SHELL SHELLOPTS BASHOPTS CDPATH PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND POSIXLY_CORRECT EXECIGNORE GLOBIGNORE".split(
    " ",
  ),
  ..."FCEDIT FIGNORE HISTFILE HISTCMD HISTCONTROL HISTIGNORE INPUTRC MAIL MAILPATH MAILCHECK OPTIND OPTARG TMOUT UID EUID PPID COMP_WORDBREAKS FUNCNEST".split(
    " ",
  ),
  ..."PAGER EDITOR VISUAL BROWSER LESS LESSOPEN LESSCLOSE LESSEDIT LESSKEY LESSKEYIN LESSKEY_SYSTEM LESSCHARSET MORE MANROFFOPT MANOPT MANLESS".split(
    " ",
  ),
  ..."NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_REPL_EXTERNAL_MODULE JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH".split(
    " ",
  ),
  ..."RUBYOPT RUBYLIB RUBYSHELL GEM_HOME GEM_PATH BUNDLE_GEMFILE PHPRC PHP_INI_SCAN_DIR LUA_INIT LUA_PATH LUA_CPATH TCLLIBPATH R_PROFILE R_ENVIRON".split(
    " ",
  ),
  ..."GREP_OPTIONS GREP_COLOR GREP_COLORS TAR_OPTIONS GZIP BZIP BZIP2 XZ_OPT XZ_DEFAULTS ZIPOPT UNZIP UNZIPOPT ZIP ARJ_SW LZOP ZSTD_CLEVEL".split(
    " ",
  ),
  ..."CC CXX CPP LD AR AS FC CFLAGS CXXFLAGS LDFLAGS MAKE MAKEFLAGS MFLAGS MAKEFILES GNUMAKEFLAGS".split(" "),
  ..."GCONV_PATH LOCPATH NLSPATH MALLOC_TRACE GLIBC_TUNABLES RESOLV_HOST_CONF RES_OPTIONS HOSTALIASES LOCALDOMAIN TMPDIR TEMP TMP TZDIR TERMINFO TERMINFO_DIRS TERMCAP TERMPATH".split(
    " ",
  ),
  ..."MAGIC JQ_COLORS AWKPATH AWKLIBPATH AWK_HASH SQLITE_HISTORY PSQLRC PGSERVICEFILE MYSQL_HOME EXINIT VIMINIT GVIMINIT VIM VIMRUNTIME NVIM_APPNAME MYVIMRC".split(
    " ",
  ),
  ..."SSH_ASKPASS SSH_AUTH_SOCK SSH_ASKPASS_REQUIRE SUDO_ASKPASS SUDO_EDITOR RSYNC_RSH CVS_RSH TEXTDOMAIN TEXTDOMAINDIR OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSLKEYLOGFILE".split(
    " ",
  ),
  ..."KUBECONFIG DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT http_proxy https_proxy ftp_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY CURL_HOME WGETRC NETRC".split(
    " ",
  ),
  ..."COPROC DIRSTACK GROUPS PIPESTATUS READLINE_LINE BASHPID REPLY MAPFILE HOSTFILE DISPLAY XAUTHORITY TCL_LIBRARY TK_LIBRARY PS_FORMAT PS_PERSONALITY I_WANT_A_BROKEN_PS".split(
    " ",
  ),
]);
for (const name of ["REPLY", "MAPFILE", "OPTIND", "OPTARG"]) exact.delete(name);

const families =
  /^(?:LD_|DYLD_|BASH|GIT_|GCM_|PYTHON|PERL|RUBY|XDG_|BAT_|RIPGREP_|FZF_|npm_|NPM_|YARN_|PNPM_|PIP_|UV_|CARGO|RUST|GO[A-Z]+$|GRADLE_|MAVEN_|MVN_|ANT_|DOTNET_|COREHOST_|COR_|CORECLR_|DENO_|BUN_|ELECTRON_|LC_ALL_PATH|MAN|SYSTEMD_|DBUS_|AWS_|AZURE_|GOOGLE_|GCLOUD_|CLOUDSDK_|HELM_|TF_|ANSIBLE_|VAGRANT_|KARYI_|__KARYI)/;
const suffixes =
  /(?:^|_)(?:PAGER|EDITOR|OPTIONS|OPTS|OPT|FLAGS|PATH|PATHS|CONFIG|CONFIG_FILE|COMMAND|CMD|WRAPPER|PROXY|ASKPASS|PRELOAD|STARTUP|RC|RCFILE|INIT|PLUGIN|PLUGINS|LOADER|SHELL|EXEC|EXECUTABLE|BIN|HOOK|HOOKS)$/;

/** Harmless although a family or an ending above would catch them. */
const harmless = new Set(
  "GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR MANWIDTH npm_config_loglevel".split(
    " ",
  ),
);

/** Known to every program of the tables as a matter of colour, width or talkativeness, or to none: harmless with any value. */
const display = new Set(
  "NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES LS_COLORS LSCOLORS TREE_COLORS BLOCKSIZE BLOCK_SIZE DF_BLOCK_SIZE DU_BLOCK_SIZE LS_BLOCK_SIZE TIME_STYLE QUOTING_STYLE TABSIZE TIMEFORMAT CI DEBUG VERBOSE NODE_ENV".split(
    " ",
  ),
);

const locale = /^[\w.@:-]*$/;
const digits = /^\d*$/;
const noPager = /^(?:cat)?$/;
/** Harmless as long as the value is a plain name: a path in it would be opened, a command in it run. */
const plainValued: ReadonlyMap<string, RegExp> = new Map([
  ["LANG", locale],
  ["LANGUAGE", locale],
  ["TZ", /^(?![/:])(?!.*\.\.)[\w+,./:<>-]*$/],
  ["TERM", /^\w[\w.+-]*$/],
  ["PAGER", noPager],
  ["GIT_PAGER", noPager],
  ["MANPAGER", noPager],
  // Bash evaluates whatever is assigned to these as arithmetic, substitutions in it too.
  ["RANDOM", digits],
  ["SRANDOM", digits],
  ["SECONDS", digits],
  ["OPTIND", digits],
]);

/**
 * What setting a variable to a value comes to: `steers` changes what the shell and every program do, `seen` may be
 * obeyed by some program that gets to see it: there is always one more that names a file, a server or a command.
 */
export type Setting = "harmless" | "seen" | "steers";

export function settingOf(name: string, value: string | undefined, exported: boolean): Setting {
  const plain = plainValued.get(name) ?? (name.startsWith("LC_") ? locale : undefined);
  if (plain !== undefined) return value !== undefined && plain.test(value) ? "harmless" : "steers";
  if (display.has(name) || harmless.has(name)) return "harmless";
  if (steersExecution(name)) return "steers";
  return exported ? "seen" : "harmless";
}

/** Setting it changes what later commands do. */
export function steersExecution(name: string): boolean {
  if (exact.has(name)) return true;
  return families.test(name) || suffixes.test(name);
}

/** Loads code into every program that starts; never legitimate for an agent's command. */
export function loadsCode(name: string): boolean {
  return /^(?:LD_(?:PRELOAD|AUDIT|LIBRARY_PATH)|DYLD_(?:INSERT_LIBRARIES|LIBRARY_PATH|FRAMEWORK_PATH|FALLBACK_LIBRARY_PATH|FALLBACK_FRAMEWORK_PATH|VERSIONED_LIBRARY_PATH))(?:_\w+)?$/.test(
    name,
  );
}

const secretName =
  /KEY|TOKEN|SECRET|PASS(?:W|P|_|$)|PWD_|CREDENTIAL|AUTH|COOKIE|SESSION_ID|PRIVATE|SIGNATURE|DSN|(?:^|_)PAT$|WEBHOOK|(?:DATABASE|DB|MONGO\w*|REDIS|POSTGRES\w*|PG|MYSQL|AMQP|RABBITMQ|BROKER)_UR[IL]|CONNECTION_STRING|^__KARYI/i;

/** Begins the names of variables that carry the values of secure variables into a shell. */
export const boundPrefix = "__KARYI_V_";

/** Wider than what is kept from commands: whoever shows a variable can wait for an answer. */
export function holdsSecret(name: string): boolean {
  return secretName.test(name) || isSecretVariable(name);
}

const quietValues = new Set(["", "cat", "true", "false", ":", "0", "1", "/bin/true", "/bin/cat", "/usr/bin/cat", "/usr/bin/true"]);
const startingShell =
  /^(?:BASH_FUNC_|BASH_ENV$|ENV$|SHELLOPTS$|BASHOPTS$|PS4$|PROMPT_COMMAND$|EXECIGNORE$|GLOBIGNORE$|POSIXLY_CORRECT$|LD_PRELOAD$|LD_AUDIT$|GCONV_PATH$|IFS$)/;

/** What was found in an environment: the doubt of it all, and what steers by the pattern that asked. */
interface Inspected {
  readonly doubt: string | undefined;
  readonly steering: Map<RegExp, string | undefined>;
}

const inspected = new WeakMap<object, Inspected>();
/** The environment asked about last, which is nearly always the one asked about next. */
let lastEnv: Readonly<Record<string, string>> | undefined;
let lastFound: Inspected | undefined;

function inspect(env: Readonly<Record<string, string>>): Inspected {
  if (env === lastEnv && lastFound !== undefined) return lastFound;
  let found = inspected.get(env);
  if (found === undefined) {
    found = { doubt: doubtOf(env), steering: new Map() };
    inspected.set(env, found);
  }
  lastEnv = env;
  lastFound = found;
  return found;
}

const foundLeft = new WeakMap<object, { readonly setting: string | undefined }>();

/** A variable that an earlier command left behind and that programs may obey: one that is not known to be inert. Remembered by object. */
export function leftSetting(left: Readonly<Record<string, string>> | undefined): string | undefined {
  if (left === undefined) return undefined;
  let found = foundLeft.get(left);
  if (found === undefined) {
    const name = Object.entries(left).find(([one, value]) => one !== "OLDPWD" && settingOf(one, value, true) !== "harmless")?.[0];
    found = { setting: name === undefined ? undefined : `an earlier command set ${name.slice(0, 40)}` };
    foundLeft.set(left, found);
  }
  return found.setting;
}

/** Why an environment makes every command doubtful, if it does. Remembered by object. */
export function environmentDoubt(env: Readonly<Record<string, string>> | undefined): string | undefined {
  return env === undefined ? undefined : inspect(env).doubt;
}

function doubtOf(env: Readonly<Record<string, string>>): string | undefined {
  let doubt: string | undefined;
  for (const name of Object.keys(env)) {
    if (startingShell.test(name)) doubt = `the environment sets ${name.slice(0, 40)}`;
  }
  const path = env.PATH;
  if (path !== undefined && /(?:^|:)(?!\/)/.test(path)) doubt ??= "PATH names a relative directory";
  return doubt;
}

/**
 * A variable of the environment that would steer the named program, with a value that is not known to be inert.
 * The pattern must be a constant: what it finds is remembered by object.
 */
export function environmentSteers(env: Readonly<Record<string, string>> | undefined, names: RegExp): string | undefined {
  if (env === undefined) return undefined;
  const { steering } = inspect(env);
  if (!steering.has(names))
    steering.set(
      names,
      Object.keys(env).find((name) => names.test(name) && !harmless.has(name) && !quietValues.has(env[name] ?? "")),
    );
  return steering.get(names);
}
